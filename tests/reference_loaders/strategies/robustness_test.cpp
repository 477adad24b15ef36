// Bytes that are no weights file, in both formats and through every loader.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/measured_load.hpp"
#include "reference_loaders/strategies/system.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/strategies/tiny_files.hpp"
#include "tests/support/catch.hpp"

#include <fstream>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark::loaders;
using strategies::WeightsIndex;
using test::index_of;
using test::tiny_gguf;
using test::tiny_safetensors;

namespace {

/// A file, and the least bytes of it that are still valid: GGUF's last padding may be missing.
struct TinyFile {
  std::string bytes;
  std::size_t least = 0;
};

std::vector<TinyFile> tiny_files() {
  return {{tiny_gguf(), test::gguf::kDataEnd}, {tiny_safetensors(), tiny_safetensors().size()}};
}

/// Either refused as bad input, or tensors that lie in the file, none over another.
bool is_refused_or_harmless(const std::string& bytes) {
  try {
    const WeightsIndex index = index_of(bytes);
    std::uint64_t end = index.data_begin;
    for (const auto& tensor : index.tensors) {
      if (tensor.offset < end) {
        return false;
      }
      end = tensor.offset + tensor.bytes;
    }
    return end <= bytes.size() || index.tensors.empty();
  } catch (const BadInput&) {
    return true;
  } catch (const std::exception&) {
    return false;  // std::bad_alloc, std::length_error: something was believed
  }
}

/// Room for small things only, so that an allocation for a made-up length fails.
void limit_address_space() {
  constexpr rlim_t kRoom = rlim_t{64} << 20;
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kRoom;
  const rlimit both{limit, limit};
  setrlimit(RLIMIT_AS, &both);
}

/// True when everything that is shown to `check` is refused or harmless in a process with little
/// memory.
template <typename ForEach>
bool holds_in_little_memory(const ForEach& for_each) {
  const pid_t child = fork();
  if (child == 0) {
    limit_address_space();
    bool holds = true;
    try {
      for_each([&](const std::string& bytes) { holds &= is_refused_or_harmless(bytes); });
    } catch (const std::exception&) {
      holds = false;
    }
    _exit(holds ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

LoadRequest tiny_request_for(const std::filesystem::path& file) {
  return {.file = file, .options = {{"threads", "3"}}};
}

}  // namespace

TEST_CASE("every loader refuses a file that ends too early, wherever", "[strategies][robustness]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("cut");
  const System system = strategies::make_system();
  for (const TinyFile& tiny : tiny_files()) {
    for (std::size_t kept = 0; kept < tiny.least; ++kept) {
      test::write_file(file, tiny.bytes.substr(0, kept));
      for (const Variant& variant : system.variants) {
        CAPTURE(kept, variant.name);
        CHECK_THROWS_AS(variant.load(tiny_request_for(file)), BadInput);
      }
    }
    test::write_file(file, tiny.bytes.substr(0, tiny.least));
    for (const Variant& variant : system.variants) {
      CHECK(measure_load(variant, tiny_request_for(file)).tensors == 2);
    }
  }
}

TEST_CASE("no flipped bit is believed", "[strategies][robustness]") {
  CHECK(holds_in_little_memory([](const auto& check) {
    for (const TinyFile& tiny : tiny_files()) {
      for (std::size_t bit = 0; bit < tiny.bytes.size() * 8; ++bit) {
        std::string flipped = tiny.bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        check(flipped);
      }
    }
  }));
}

TEST_CASE("no number in place of another is believed", "[strategies][robustness]") {
  CHECK(holds_in_little_memory([](const auto& check) {
    for (const TinyFile& tiny : tiny_files()) {
      for (const std::uint64_t value :
           {std::uint64_t{0}, std::uint64_t{1} << 26, std::uint64_t{1} << 31,
            std::uint64_t{1} << 34, std::uint64_t{1} << 61, std::uint64_t{1} << 62,
            ~std::uint64_t{0} >> 1, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        for (std::size_t offset = 0; offset + 8 <= tiny.bytes.size(); ++offset) {
          check(test::with_u64(tiny.bytes, offset, value));
        }
      }
    }
  }));
}

TEST_CASE("the two checks above would notice a length that is believed",
          "[strategies][robustness]") {
  CHECK_FALSE(holds_in_little_memory(
      [](const auto& check) { check(std::string(std::size_t{1} << 34, '\0')); }));
}

TEST_CASE("a flipped bit is refused by every loader or loaded alike by all",
          "[strategies][robustness]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("flipped");
  const System system = strategies::make_system();
  const auto outcome = [&](const Variant& variant) -> std::string {
    try {
      return std::to_string(measure_load(variant, tiny_request_for(file)).checksum);
    } catch (const BadInput& error) {
      return error.what();
    }
  };
  for (const TinyFile& tiny : tiny_files()) {
    // Every bit is tried above; every thirteenth shows that no loader has a reader of its own.
    for (std::size_t bit = 0; bit < tiny.bytes.size() * 8; bit += 13) {
      std::string flipped = tiny.bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      test::write_file(file, flipped);
      const std::string first = outcome(system.variants.front());
      for (const Variant& variant : system.variants) {
        CAPTURE(bit, variant.name);
        CHECK(outcome(variant) == first);
      }
    }
  }
}

TEST_CASE("only regular files are opened, so that no loader of weights hangs",
          "[strategies][robustness]") {
  const test::TemporaryFolder directory;
  const auto pipe = directory.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);

  for (const Variant& variant : strategies::make_system().variants) {
    CAPTURE(variant.name);
    CHECK_THROWS_WITH(variant.load(tiny_request_for(pipe)), Catch::Contains("not a regular file"));
    CHECK_THROWS_WITH(variant.load(tiny_request_for(directory.file("missing"))),
                      Catch::Contains("No such file"));
  }
}
