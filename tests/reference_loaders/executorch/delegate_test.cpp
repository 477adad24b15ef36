#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/executorch/delegate_blob.hpp"
#include "tests/reference_loaders/executorch/tiny_model.hpp"
#include "tests/reference_loaders/little_memory.hpp"
#include "tests/support/catch.hpp"

#include <functional>

using namespace tidemark::loaders;
using namespace tidemark::loaders::executorch;
using test::graph_in;
using test::tiny_graph;

namespace {

/// Either refused as bad input, or a graph whose indexes point to what is there.
bool delegate_is_refused_or_harmless(const std::string& bytes) {
  try {
    const DelegateGraph graph = graph_in(bytes);
    for (const OperatorCall& call : graph.chain) {
      for (const std::int32_t arg : call.args) {
        if (arg < 0 || static_cast<std::size_t>(arg) >= graph.values.size()) {
          return false;
        }
      }
    }
    for (const GraphTensor& value : graph.values) {
      if (value.is_constant() &&
          static_cast<std::size_t>(value.constant_id) >= graph.constants.size()) {
        return false;
      }
    }
    return true;
  } catch (const BadInput&) {
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

TEST_CASE("a delegate's blob is read as it was written", "[executorch][delegate]") {
  const DelegateGraph graph = graph_in(write_delegate(tiny_graph()));

  CHECK(graph.constants == std::vector<std::string>{"a"});
  REQUIRE(graph.values.size() == 2);
  CHECK(graph.values[0].dims == std::vector<std::uint32_t>{2, 3});
  CHECK(graph.values[0].constant_id == 0);
  CHECK(graph.values[0].bytes() == 24);
  CHECK(!graph.values[1].is_constant());
  CHECK(graph.values[1].mem_obj_id == 7);
  REQUIRE(graph.chain.size() == 1);
  CHECK(graph.chain[0].name == "aten.linear.default");
  CHECK(graph.chain[0].args == std::vector<std::int32_t>{0, 1});
  CHECK(graph.inputs == std::vector<std::uint32_t>{1});
  CHECK(graph.outputs == std::vector<std::uint32_t>{1});
}

TEST_CASE("a delegate's blob begins as ExecuTorch's do", "[executorch][delegate]") {
  const std::string blob = write_delegate(tiny_graph());

  CHECK(blob.substr(0, 8) == std::string("\0\0\0\0VH00", 8));
  CHECK(blob.substr(8, 6) == std::string("\x1e\0\x20\0\0\0", 6));  // 30, and a flatbuffer at 32
  CHECK(blob.substr(36, 4) == "VK00");
  CHECK(blob.size() % 16 == 0);
}

TEST_CASE("any flipped bit of a blob is refused or harmless, in little memory",
          "[executorch][delegate][robustness]") {
  CHECK(test::holds_in_little_memory([] {
    std::string blob = write_delegate(tiny_graph());
    for (std::size_t bit = 0; bit < blob.size() * 8; ++bit) {
      const auto mask = static_cast<char>(1U << bit % 8);
      blob[bit / 8] = static_cast<char>(blob[bit / 8] ^ mask);
      if (!delegate_is_refused_or_harmless(blob)) {
        return false;
      }
      blob[bit / 8] = static_cast<char>(blob[bit / 8] ^ mask);
    }
    return true;
  }));
}

TEST_CASE("a blob cut off anywhere in its flatbuffer is refused", "[executorch][delegate]") {
  const std::string blob = write_delegate(tiny_graph());
  for (std::size_t kept = 0; kept + 16 < blob.size(); ++kept) {
    CAPTURE(kept);
    CHECK_THROWS_AS(graph_in(blob.substr(0, kept)), BadInput);
  }
}

TEST_CASE("indexes of what is not there are refused", "[executorch][delegate]") {
  const auto refuses = [](const std::function<void(DelegateGraph&)>& change) {
    DelegateGraph graph = tiny_graph();
    change(graph);
    CHECK_THROWS_AS(graph_in(write_delegate(graph)), BadInput);
  };
  refuses([](DelegateGraph& graph) { graph.values[0].constant_id = 1; });
  refuses([](DelegateGraph& graph) { graph.chain[0].args = {0, 2}; });
  refuses([](DelegateGraph& graph) { graph.chain[0].args = {-1}; });
  refuses([](DelegateGraph& graph) { graph.inputs = {2}; });
  refuses([](DelegateGraph& graph) { graph.outputs = {2}; });
}

TEST_CASE("values that no memory holds are refused", "[executorch][delegate]") {
  constexpr std::uint32_t kHuge = 1U << 31;
  const std::vector<std::uint32_t> dims =
      GENERATE(std::vector<std::uint32_t>{kHuge, kHuge, kHuge}, std::vector<std::uint32_t>{3, 0});
  DelegateGraph graph = tiny_graph();
  graph.values[1].dims = dims;

  CHECK_THROWS_AS(graph_in(write_delegate(graph)), BadInput);
}
