#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

// A test that asserts nothing, and a filter that selects nothing, are failures here: both look
// green by default, and both usually mean that a check was lost.
int main(int argc, char** argv) {
  Catch::Session session;
  session.configData().warnings = static_cast<Catch::WarnAbout::What>(
      Catch::WarnAbout::NoAssertions | Catch::WarnAbout::NoTests);
  return session.run(argc, argv);
}
