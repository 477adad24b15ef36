// What malloc adds to blocks, beside this system's own malloc.

#include "analyzer/report/facts/malloc_headers.hpp"

#include "analyzer/report/facts/report.hpp"
#include "analyzer/report/report_json.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <dlfcn.h>

using namespace tidemark;
using analyzer::malloc_adds_to;
using tests::kMiB;

namespace {

/// @return The function @p name of the C library, also where a sanitizer has one of its own in
/// front of it.
template <typename Function>
Function* of_c_library(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

TEST_CASE("malloc adds to a block what it does here", "[report]") {
  auto* const allocate = of_c_library<void*(std::size_t)>("malloc");
  auto* const release = of_c_library<void(void*)>("free");
  auto* const usable_size = of_c_library<std::size_t(void*)>("malloc_usable_size");
  REQUIRE(allocate != nullptr);
  REQUIRE(release != nullptr);
  REQUIRE(usable_size != nullptr);
  constexpr std::size_t kSizes = 5000;
  std::vector<std::unique_ptr<void, void (*)(void*)>> blocks;
  std::size_t alike = 0;
  for (std::size_t size = 0; size < kSizes; ++size) {
    blocks.emplace_back(allocate(size), release);
    const std::size_t added = usable_size(blocks.back().get()) + sizeof(void*) - size;
    // What is left of a freed chunk may be too little to cut.
    CHECK(added >= malloc_adds_to(size));
    alike += added == malloc_adds_to(size) ? 1U : 0U;
  }
  CHECK(alike >= kSizes - kSizes / 20);
  CHECK(malloc_adds_to(kMiB) == 16);
}

TEST_CASE("what malloc adds is added up at the peak, where it matters", "[report]") {
  const auto [bytes, resident, added] =
      GENERATE(table<std::uint64_t, std::uint64_t, std::optional<std::uint64_t>>({
          {40, 8 * kMiB, 8 * 100'000},       // 800,000 of 4,000,000 asked for.
          {1, 8 * kMiB, 31 * 100'000},       //
          {40, 4'000'000, std::nullopt},     // As much is resident as was asked for.
          {4000, 500 * kMiB, std::nullopt},  // A 500th of what was asked for at most.
      }));
  CAPTURE(bytes, resident);
  tests::TraceBuilder trace;
  trace.at_ms(10);
  const auto stack = trace.stack({"malloc", "insert words.cpp:7", "main"});
  std::vector<std::uint64_t> blocks;
  for (int i = 0; i < 100'000; ++i) {
    blocks.push_back(trace.allocate(bytes, stack));
  }
  trace.at_ms(20).sample(resident);
  trace.release(blocks.front());
  auto opened = trace.open();

  const auto report = analyzer::build_report(opened, {}).value();

  CHECK(report.malloc_added_bytes == added);
  const auto json = nlohmann::json::parse(analyzer::report_json(report));
  CHECK(json["lane_peaks"]["malloc_headers_least_bytes"] == added.value_or(0));
  CHECK(json["lane_peaks"]["malloc_headers_most_bytes"] == added.value_or(0));
}
