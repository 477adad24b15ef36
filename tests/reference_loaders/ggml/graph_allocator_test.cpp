#include "reference_loaders/ggml/graph_allocator.hpp"

#include "reference_loaders/ggml/forward_pass.hpp"
#include "reference_loaders/ggml/ops.hpp"
#include "tests/support/catch.hpp"

#include <stdexcept>
#include <vector>

using namespace tidemark::loaders::ggml;

namespace {

/// Makes graphs of vectors of eight floats: 32 bytes, one unit of the allocator each.
class GraphBench {
 public:
  Tensor* input() {
    Tensor* tensor = ops.blank(Type::kF32, {8});
    allocator.allocate(*tensor);
    return tensor;
  }
  /// A tensor that lies outside of the range, as weights do.
  Tensor* weight() {
    Tensor* tensor = ops.blank(Type::kF32, {8});
    tensor->address = std::uintptr_t{1} << 46;
    return tensor;
  }
  void lay_out(std::initializer_list<Tensor*> results) {
    for (Tensor* result : results) {
      graph.build_forward_expand(result);
    }
    allocator.allocate(graph);
  }

  Context context{100'000, Context::Data::kElsewhere};
  GraphAllocator allocator = GraphAllocator::measuring();
  Ops ops{context};
  Graph graph;
};

constexpr std::uint64_t kUnit = 32;

}  // namespace

TEST_CASE("sources come before what uses them, first sources first", "[graph]") {
  GraphBench bench;
  Tensor* a = bench.input();
  Tensor* b = bench.input();
  Tensor* left = bench.ops.gelu(a);
  Tensor* right = bench.ops.gelu(b);
  Tensor* sum = bench.ops.add(left, right);
  bench.graph.build_forward_expand(right);
  bench.graph.build_forward_expand(sum);

  CHECK(bench.graph.nodes() == std::vector<Tensor*>{right, left, sum});
  CHECK(bench.graph.leafs() == std::vector<Tensor*>{b, a});
}

TEST_CASE("a graph has room for 4096 nodes", "[graph]") {
  Context context(5000 * kTensorOverhead, Context::Data::kElsewhere);
  Ops ops(context);
  Graph graph;
  Tensor* last = ops.blank(Type::kF32, {8});
  for (int i = 0; i < 4096; ++i) {
    last = ops.norm(last);
    graph.build_forward_expand(last);
  }

  CHECK_THROWS_AS(graph.build_forward_expand(ops.norm(last)), std::length_error);
}

TEST_CASE("a measurement begins at a fake address and a buffer at an aligned one", "[allocator]") {
  GraphBench bench;
  Buffer buffer(1000);
  const GraphAllocator real(buffer.bytes().subspan(1));

  CHECK(bench.input()->address == 0x1000);
  CHECK(real.base() % 32 == 0);
  CHECK(real.base() > reinterpret_cast<std::uintptr_t>(buffer.bytes().data()));
}

TEST_CASE("an operation takes its only reader's source over", "[allocator]") {
  GraphBench bench;
  Tensor* input = bench.input();
  Tensor* weight = bench.weight();
  Tensor* sum = bench.ops.add(input, weight);
  bench.lay_out({sum});

  CHECK(sum->address == input->address);
  CHECK(bench.allocator.max_bytes() == kUnit);
}

TEST_CASE("weights are never worked on in place", "[allocator]") {
  GraphBench bench;
  Tensor* weight = bench.weight();
  Tensor* sum = bench.ops.add(weight, bench.weight());
  bench.lay_out({sum});

  CHECK(sum->address == 0x1000);
}

TEST_CASE("a source that something else will read is not taken over", "[allocator]") {
  GraphBench bench;
  Tensor* input = bench.input();
  Tensor* first = bench.ops.gelu(input);
  Tensor* second = bench.ops.gelu(input);
  bench.lay_out({first, second});

  CHECK(first->address != input->address);
  CHECK(second->address == input->address);
}

TEST_CASE("a source is not taken over while a view of it will be read", "[allocator]") {
  GraphBench bench;
  Tensor* input = bench.input();
  Tensor* view = bench.ops.view(input, {4}, 0);
  Tensor* activated = bench.ops.gelu(input);
  bench.lay_out({view, activated, bench.ops.norm(view)});

  CHECK(activated->address != input->address);
}

TEST_CASE("some operations cannot work in place", "[allocator]") {
  GraphBench bench;
  Tensor* input = bench.input();
  Tensor* normal = bench.ops.norm(input);
  bench.lay_out({normal});

  CHECK(normal->address == input->address + kUnit);
}

TEST_CASE("a source is given back once its last reader is done", "[allocator]") {
  GraphBench bench;
  Tensor* input = bench.input();
  Tensor* one = bench.ops.norm(input);
  Tensor* two = bench.ops.norm(one);
  Tensor* three = bench.ops.norm(two);
  bench.lay_out({three});

  CHECK(two->address == input->address);
  CHECK(three->address == one->address);
  CHECK(bench.allocator.max_bytes() == 2 * kUnit);
}

TEST_CASE("a view lies in its source and keeps it alive", "[allocator]") {
  GraphBench bench;
  Tensor* input = bench.input();
  Tensor* half = bench.ops.view(input, {4}, 4);
  Tensor* other = bench.ops.norm(bench.ops.norm(bench.weight()));
  Tensor* use = bench.ops.norm(half);
  bench.lay_out({half, other, use});

  CHECK(half->address == input->address + 16);
  CHECK(other->address != input->address);
  CHECK(use->address != input->address);
}

TEST_CASE("the last view of a source gives the source back", "[allocator]") {
  GraphBench bench;
  Tensor* input = bench.input();
  Tensor* whole = bench.ops.reshape(input, {8});
  Tensor* normal = bench.ops.norm(whole);
  Tensor* after = bench.ops.norm(normal);
  bench.lay_out({after});

  CHECK(after->address == input->address);
}

TEST_CASE("a copy lies where it is copied to", "[allocator]") {
  GraphBench bench;
  Tensor* to = bench.input();
  Tensor* copy = bench.ops.cpy(bench.weight(), to);
  bench.lay_out({copy});

  CHECK(copy->address == to->address);
}

TEST_CASE("a view from the start of its source can be taken over", "[allocator]") {
  GraphBench bench;
  Tensor* input = bench.input();
  Tensor* from_start = bench.ops.gelu(bench.ops.reshape(input, {8}));
  GraphBench other;
  Tensor* other_input = other.input();
  Tensor* from_middle = other.ops.gelu(other.ops.view(other_input, {4}, 4));
  bench.lay_out({from_start});
  other.lay_out({from_middle});

  CHECK(from_start->address == input->address);
  CHECK(from_middle->address == other_input->address + kUnit);
}

TEST_CASE("a buffer that is too small says what was needed", "[allocator]") {
  Buffer buffer(100);
  GraphAllocator allocator(buffer.bytes());
  Context context(1000, Context::Data::kElsewhere);
  Ops ops(context, &allocator);

  CHECK_THROWS_AS(ops.blank(Type::kF32, {100}), BufferTooSmall);
  CHECK_THROWS_WITH(
      ops.blank(Type::kF32, {100}),
      Catch::Contains("ggml_allocr_alloc: not enough space in the buffer (needed 416"));
}
