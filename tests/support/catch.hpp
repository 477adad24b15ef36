/// Catch2 for every test: version 2 of Debian 12, which is one header, and version 3, which is
/// many.
///
/// Version 3 put Approx and the matchers into namespaces and renamed one. The tests call them as
/// version 2 does.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <catch2/matchers/catch_matchers_vector.hpp>

#include <string>
#include <utility>

namespace Catch {
namespace Matchers {

inline StringContainsMatcher Contains(std::string part) {  // NOLINT(readability-identifier-naming)
  return ContainsSubstring(std::move(part));
}

}  // namespace Matchers

using Matchers::Contains;
using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;
using Matchers::VectorContains;

}  // namespace Catch

using Catch::Approx;

#else
#include <catch2/catch.hpp>
#endif

/// This case cannot check here what it is for, as `why` says (a stream's words). ctest counts it as
/// skipped, unless something else of it fails; `./dev test` lists the reasons.
#define SKIP_TEST(why)        \
  do {                        \
    WARN("SKIPPED: " << why); \
    SUCCEED();                \
  } while (false)
