/// The analyzer, and what the recorder does while a program runs, with allocations that fail, in
/// this very process: quick, and where a sanitizer sees what is leaked on the way out. JSON is left
/// out: nlohmann's destructors allocate, which is why the command ends without them
/// (analyzer/io/out_of_memory.hpp).
#include "analyzer/picture/graph.hpp"
#include "analyzer/report/facts/report.hpp"
#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "collector/process/process_tree.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace tidemark;

namespace {

/// The allocation that fails, counted down to from when it is set; 0: none.
std::atomic<std::uint64_t> g_left{0};
std::atomic<bool> g_goes_on{false};  ///< All later ones fail too.
std::atomic<bool> g_has_failed{false};

bool fails_now() {
  if (g_has_failed.load() && g_goes_on.load()) {
    return true;
  }
  if (g_left.load() == 0 || g_left.fetch_sub(1) != 1) {
    return false;
  }
  g_has_failed.store(true);
  return true;
}

void* allocated(std::size_t bytes) {
  void* const memory = fails_now() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocated(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocated(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return fails_now() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

// Sanitized runs take ten times as long.
#if TIDEMARK_SANITIZED
constexpr std::uint64_t kStride = 23;
#else
constexpr std::uint64_t kStride = 1;
#endif

/// Calls `work` with the n-th allocation failing, for every n: it throws std::bad_alloc, or gives
/// what it gives without a fault.
void with_each_failing(const std::function<std::string()>& work) {
  const std::string right = work();
  std::uint64_t wrong = 0;
  std::uint64_t failures = 0;
  for (const bool goes_on : {false, true}) {
    for (std::uint64_t n = 1; n != 0; n += kStride) {
      g_has_failed.store(false);
      g_goes_on.store(goes_on);
      g_left.store(n);
      try {
        const std::string text = work();
        g_goes_on.store(false);
        wrong += text == right ? 0U : 1U;
      } catch (const std::bad_alloc&) {
        g_goes_on.store(false);
      }
      g_left.store(0);
      if (!g_has_failed.load()) {
        break;
      }
      ++failures;
    }
  }
  CHECK(wrong == 0);
  CHECK(failures > 10);
}

/// A load with several blocks of events: threads read them ahead.
std::string a_trace(tests::TraceBuilder& builder) {
  tests::append_naive_load(builder);
  for (int block = 0; block < 6; ++block) {
    builder.flush();
    builder.allocate(1000);
  }
  return builder.finish();
}

}  // namespace

TEST_CASE("a report without memory is a std::bad_alloc, and nothing is lost on the way",
          "[faults]") {
  tests::TraceBuilder builder;
  auto trace = analyzer::LoadedTrace::open(a_trace(builder));
  REQUIRE(trace.ok());

  with_each_failing([&] {
    const auto report = analyzer::build_report(trace.value(), {});
    return report.ok() ? analyzer::report_text(report.value(), {}) +
                             analyzer::report_markdown(report.value())
                       : report.error().message;
  });
}

TEST_CASE("a drawing without memory is a std::bad_alloc, and nothing is lost on the way",
          "[faults]") {
  tests::TraceBuilder builder;
  auto trace = analyzer::LoadedTrace::open(a_trace(builder));
  REQUIRE(trace.ok());
  const auto report = analyzer::build_report(trace.value(), {});
  REQUIRE(report.ok());

  with_each_failing([&] {
    std::vector<picture::Subject> subjects;
    subjects.push_back(picture::subject_of(trace.value(), report.value()));
    const auto scene =
        picture::draw_graph(subjects, {}, [](const std::string& text, double size, bool) {
          return static_cast<double>(text.size()) * size / 2;
        });
    return scene.ok() ? std::to_string(scene.value().items.size()) : scene.error().message;
  });
}

// The recorder used to end here, and left its program alone.
TEST_CASE("a process without memory for the names of its threads is a std::bad_alloc", "[faults]") {
  std::atomic<bool> is_over{false};
  std::thread other([&] { is_over.wait(false); });
  with_each_failing([] { return std::to_string(children_of(getpid()).size()); });
  is_over.store(true);
  is_over.notify_one();
  other.join();
}
