#include "reference_loaders/ggml/compute.hpp"

#include "reference_loaders/ggml/half.hpp"
#include "reference_loaders/ggml/ops.hpp"
#include "reference_loaders/random_weights.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <span>
#include <vector>

using namespace tidemark::loaders;
using namespace tidemark::loaders::ggml;

namespace {

/// A linear pool in which every tensor has memory at once.
class Bench {
 public:
  Tensor* floats(std::initializer_list<std::int64_t> extents, std::uint64_t seed = 1) {
    Tensor* tensor = ops.blank(Type::kF32, extents);
    RandomWeights(seed, 0).fill(values(*tensor));
    return tensor;
  }
  Tensor* halfs(std::initializer_list<std::int64_t> extents, std::uint64_t seed = 2) {
    Tensor* tensor = ops.blank(Type::kF16, extents);
    std::vector<float> made(static_cast<std::size_t>(tensor->elements()));
    RandomWeights(seed, 0).fill(made);
    to_half(made, {tensor->data<std::uint16_t>(), made.size()});
    return tensor;
  }
  Tensor* vector(const std::vector<float>& given) {
    Tensor* tensor = ops.blank(Type::kF32, {static_cast<std::int64_t>(given.size())});
    std::copy(given.begin(), given.end(), tensor->data<float>());
    return tensor;
  }
  std::vector<float> computed(Tensor* result) {
    Graph graph;
    graph.build_forward_expand(result);
    compute(graph);
    return {values(*result).begin(), values(*result).end()};
  }
  static std::span<float> values(const Tensor& tensor) {
    return {tensor.data<float>(), static_cast<std::size_t>(tensor.elements())};
  }

  Context context{4 << 20, Context::Data::kInPool};
  Ops ops{context};
};

double at(const Tensor& tensor, std::int64_t row, std::int64_t i) {
  const auto index = static_cast<std::size_t>(row * tensor.ne[0] + i);
  if (tensor.type == Type::kF32) {
    return tensor.data<float>()[index];
  }
  float value = 0;
  to_float({tensor.data<std::uint16_t>() + index, 1}, {&value, 1});
  return value;
}

}  // namespace

TEST_CASE("matrices are multiplied row by row", "[compute]") {
  const std::int64_t length = GENERATE(1, 3, 4, 7, 64);
  const std::int64_t tokens = GENERATE(1, 4, 5, 9);
  const bool is_half = GENERATE(false, true);
  CAPTURE(length, tokens, is_half);
  Bench bench;
  Tensor* weights = is_half ? bench.halfs({length, 6}) : bench.floats({length, 6});
  Tensor* rows = bench.floats({length, tokens}, 3);
  Tensor* product = bench.ops.mul_mat(weights, rows);
  const auto result = bench.computed(product);

  for (std::int64_t token = 0; token < tokens; ++token) {
    for (std::int64_t column = 0; column < 6; ++column) {
      double expected = 0;
      for (std::int64_t i = 0; i < length; ++i) {
        expected += at(*weights, column, i) * at(*rows, token, i);
      }
      CHECK(result[static_cast<std::size_t>(token * 6 + column)] == Approx(expected).margin(1e-7));
    }
  }
}

TEST_CASE("a norm has mean zero and variance one", "[compute]") {
  Bench bench;
  const auto normal = bench.computed(bench.ops.norm(bench.vector({1, 2, 3, 4})));

  CHECK(normal[0] == Approx(-1.34164).epsilon(1e-4));
  CHECK(normal[3] == Approx(1.34164).epsilon(1e-4));
}

TEST_CASE("shares sum up to one and masked positions get none", "[compute]") {
  Bench bench;
  Tensor* scores = bench.floats({3, 3, 2});
  const auto shares =
      bench.computed(bench.ops.soft_max_inplace(bench.ops.diag_mask_inf_inplace(scores, 0)));

  for (std::size_t token = 0; token < 3; ++token) {
    double sum = 0;
    for (std::size_t position = 0; position < 3; ++position) {
      const float share = shares[9 + token * 3 + position];
      CHECK((share > 0) == (position <= token));
      sum += share;
    }
    CHECK(sum == Approx(1));
  }
}

TEST_CASE("earlier positions are visible to every token", "[compute]") {
  Bench bench;
  const auto masked = bench.computed(bench.ops.diag_mask_inf_inplace(bench.floats({4, 2}), 2));

  CHECK(std::isfinite(masked[2]));
  CHECK(std::isinf(masked[3]));
  CHECK(std::isfinite(masked[7]));
}

TEST_CASE("gelu is the approximation that GPT-2 was trained with", "[compute]") {
  Bench bench;
  const auto activated = bench.computed(bench.ops.gelu(bench.vector({-1, 0, 1, 3})));

  CHECK(activated[0] == Approx(-0.158808).epsilon(1e-4));
  CHECK(activated[1] == 0.0F);
  CHECK(activated[2] == Approx(0.841192).epsilon(1e-4));
  CHECK(activated[3] == Approx(2.996363).epsilon(1e-4));
}

TEST_CASE("a permuted tensor is copied in its new order", "[compute]") {
  Bench bench;
  Tensor* matrix = bench.vector({1, 2, 3, 4, 5, 6});
  Tensor* rows = bench.ops.reshape(matrix, {3, 2});
  Tensor* columns = bench.ops.permute(rows, {1, 0, 2, 3});
  const auto copied = bench.computed(bench.ops.cpy(columns, bench.ops.blank(Type::kF32, {2, 3})));

  CHECK(copied == std::vector<float>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("rows are looked up, repeated, added, multiplied and scaled", "[compute]") {
  Bench bench;
  Tensor* table = bench.ops.reshape(bench.vector({1, 2, 3, 4, 5, 6}), {2, 3});
  const std::vector<std::int32_t> indices = {2, 0};
  Tensor* rows = bench.ops.get_rows(table, bench.ops.inputs(indices));
  Tensor* bias = bench.ops.repeat(bench.vector({10, 20}), rows);
  Tensor* sum = bench.ops.add(bench.ops.mul(rows, rows), bias);

  CHECK(bench.computed(bench.ops.scale_inplace(sum, bench.ops.scalar(2))) ==
        std::vector<float>{70, 112, 22, 48});
}

TEST_CASE("touching writes every result and computes nothing", "[compute]") {
  Bench bench;
  Tensor* sum = bench.ops.add(bench.vector({1, 2}), bench.vector({3, 4}));
  std::fill_n(sum->data<float>(), 2, 7.0F);
  Graph graph;
  graph.build_forward_expand(sum);
  touch(graph);

  CHECK(Bench::values(*sum)[0] == 0.0F);
  CHECK(Bench::values(*sum)[1] == 0.0F);
}
