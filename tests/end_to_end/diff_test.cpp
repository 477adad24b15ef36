#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// A loader in miniature. Each function asks for memory in a size of its own; `{}` is where lines
/// can be put in.
constexpr const char* kLoader = R"(#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
{}
void* g_kept[64];
int g_count = 0;

struct Tensor {
  {}
  __attribute__((noinline)) void fill(std::size_t bytes) { g_kept[g_count++] = new char[bytes]; }
};

template <typename T>
__attribute__((noinline)) void decode(std::size_t count) {
  {}
  g_kept[g_count++] = new std::vector<T>(count);
}

static void add_table(std::size_t bytes) { g_kept[g_count++] = std::malloc(bytes); }
{}
__attribute__((noinline)) void load_tensors(Tensor& tensor) {
  for (std::size_t i = 0; i < 3; ++i) {
    tensor.fill(70001);
  }
  {}
  tensor.fill(300007);
}

__attribute__((noinline)) void load() {
  add_table(40009);
  {}
  add_table(50021);
  Tensor tensor;
  load_tensors(tensor);
  decode<char>(60013);
  decode<double>(8009);
}

int main() {
  load();
  return g_count == 8 ? 0 : 1;
}
)";

std::string with_lines(const std::string& lines) {
  std::string source = kLoader;
  for (std::size_t at = 0; (at = source.find("{}\n", at)) != std::string::npos;
       at += lines.size()) {
    source.replace(at, 2, lines);
  }
  return source;
}

class TwoBuilds : public EndToEnd {
 public:
  /// Compiles the loader as `name`, in a folder of its own. @return the program's path.
  std::string build(const std::string& name, const std::string& lines, const Words& options) {
    const std::string folder = path("build of " + name);
    std::filesystem::create_directory(folder);
    const std::string source = a_file_with(with_lines(lines), "build of " + name + "/source.cpp");
    Words words{TIDEMARK_COMPILER, "-fno-builtin", "-o", folder + '/' + name, source};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome built = run_alone(words);
    INFO(built.err);
    REQUIRE(built.status == 0);
    return folder + '/' + name;
  }

  nlohmann::json diff_of(const std::string& before, const std::string& after) {
    const Outcome said = tidemark({"diff", "--format", "json", "--top", "0",
                                   record(Words{before}).trace, record(Words{after}).trace});
    INFO(said.err);
    REQUIRE(said.status == 0);
    return nlohmann::json::parse(said.out);
  }
};

/// Bytes of the stacks that no stack of the other trace was found for: those a tidemark that
/// compares lines would show as gone and come.
std::uint64_t unmatched_bytes(const nlohmann::json& diff) {
  std::uint64_t bytes = 0;
  for (const nlohmann::json& stack : diff.at("stacks")) {
    if (stack.at("match") == "none") {
      bytes += stack.at("before_bytes").get<std::uint64_t>() +
               stack.at("after_bytes").get<std::uint64_t>();
    }
  }
  return bytes;
}

/// Stacks of a loader's own functions, by how they changed.
void check_all_unchanged(const nlohmann::json& diff) {
  INFO(diff.at("stacks").dump(1));
  CHECK(diff.at("before").at("peak").at("footprint_bytes") > 600'000);
  CHECK(diff.at("stacks").empty());
  CHECK(diff.at("stacks_rest").at("unchanged").at("stacks") >= 6);
}

}  // namespace

TEST_CASE_METHOD(TwoBuilds, "moved lines and another folder leave all stacks the same", "[diff]") {
  const auto before = build("loader", "", {"-g", "-O1"});
  const auto after = build("loader-2", "// One.\n// Two.\n// Three.", {"-g", "-O1"});

  check_all_unchanged(diff_of(before, after));
}

TEST_CASE_METHOD(TwoBuilds, "a build without debug information has the same stacks", "[diff]") {
  const auto before = build("loader", "", {"-O1", "-fno-inline"});
  const auto after = build("loader-2", "static_assert(true);", {"-O1", "-fno-inline"});

  check_all_unchanged(diff_of(before, after));
}

TEST_CASE_METHOD(TwoBuilds, "a stripped program under another name has the same stacks", "[diff]") {
  const auto before = build("loader", "", {"-O1", "-s"});
  const auto after = build("loader-2", "// One.", {"-O1", "-s"});

  check_all_unchanged(diff_of(before, after));
}

TEST_CASE_METHOD(TwoBuilds, "other optimisation leaves every byte matched", "[diff]") {
  const auto before = build("loader", "", {"-O0", "-g"});
  const auto after = build("loader-2", "// One.", {"-O2", "-g"});

  const nlohmann::json diff = diff_of(before, after);

  INFO(diff.at("stacks").dump(1));
  CHECK(unmatched_bytes(diff) == 0);
}

TEST_CASE_METHOD(TwoBuilds, "a call that was taken out is the one stack that went", "[diff]") {
  const auto before = build("loader", "", {"-g", "-O1"});
  std::string fixed = with_lines("// One.");
  const std::string taken_out = "  tensor.fill(300007);\n";
  fixed.erase(fixed.find(taken_out), taken_out.size());
  fixed.replace(fixed.find("g_count == 8"), 12, "g_count == 7");
  const auto source = a_file_with(fixed, "fixed.cpp");
  const Outcome built =
      run_alone({TIDEMARK_COMPILER, "-fno-builtin", "-g", "-O1", "-o", path("fixed"), source});
  REQUIRE(built.status == 0);

  const nlohmann::json diff = diff_of(before, path("fixed"));

  CAPTURE(diff.at("stacks").dump(1));
  CHECK(diff.at("peak_change_bytes") == -300'007);
  REQUIRE(diff.at("stacks").size() == 1);
  CHECK(diff.at("stacks").at(0).at("before_bytes") == 300'007);
  CHECK(diff.at("stacks").at(0).at("match") == "none");
}
