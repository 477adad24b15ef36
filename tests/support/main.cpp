#include "tests/support/case_verdict.hpp"

// Both versions of Catch2: see catch.hpp.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/interfaces/catch_interfaces_config.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
constexpr auto kNoSuchTest = Catch::WarnAbout::UnmatchedTestSpec;
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
constexpr auto kNoSuchTest = Catch::WarnAbout::NoTests;
#endif

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kFailed = 1;
constexpr int kSkipped = 4;  // ctest's SKIP_RETURN_CODE: the one that Catch2 3 tells it.

bool g_case_has_failed = false;
std::vector<std::string> g_skips;  // Why, one for each SKIP_TEST(why).

class Watch : public Listener {
 public:
  using Listener::Listener;

  void testCaseStarting(const Catch::TestCaseInfo&) override { g_case_has_failed = false; }

  /// Version 2 asks whether it was seen, version 3 does not.
  auto assertionEnded(const Catch::AssertionStats& stats)
      -> decltype(Listener::assertionEnded(stats)) override {
    g_case_has_failed = g_case_has_failed || !stats.assertionResult.isOk();
    if (stats.assertionResult.getResultType() == Catch::ResultWas::Warning) {
      for (const Catch::MessageInfo& info : stats.infoMessages) {
        if (info.message.rfind("SKIPPED: ", 0) == 0) {
          g_skips.push_back(info.message.substr(info.message.find(' ') + 1));
        }
      }
    }
    return decltype(Listener::assertionEnded(stats))(true);
  }
};

CATCH_REGISTER_LISTENER(Watch)

}  // namespace

bool tidemark::tests::case_has_failed() noexcept {
  return g_case_has_failed;
}

// A test that asserts nothing, and a filter that selects nothing, are failures here: both look
// green by default, and both usually mean that a check was lost.
int main(int argc, char** argv) {
  Catch::Session session;
  session.configData().warnings =
      static_cast<Catch::WarnAbout::What>(Catch::WarnAbout::NoAssertions | kNoSuchTest);
  // Catch2's status is how many assertions failed.
  if (session.run(argc, argv) != 0) {
    return kFailed;
  }
  // In one line each, whatever the reporter made of them, for ./dev test to count.
  for (const std::string& why : g_skips) {
    std::printf("Skipped: %s\n", why.substr(0, why.find('\n')).c_str());
  }
  return g_skips.empty() ? 0 : kSkipped;
}
