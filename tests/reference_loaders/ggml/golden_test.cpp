// What ggml itself measured for the same graphs (commit 854e4530, float32 activations, alignment
// 32).
#include "reference_loaders/ggml/forward_pass.hpp"
#include "tests/reference_loaders/ggml/example_graph.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <string>
#include <vector>

using namespace tidemark::loaders;
using namespace tidemark::loaders::ggml;

namespace {

struct GoldenRow {
  std::uint64_t n_tokens;
  std::uint64_t bytes_117m;
  std::uint64_t bytes_345m;
  std::uint64_t bytes_774m;
  std::uint64_t bytes_1558m;
  std::uint64_t estimate;
};

const std::vector<GoldenRow>& golden_rows() {
  static const std::vector<GoldenRow> rows = {
      {1, 204'128, 316'224, 579'776, 955'200, 272'941'056},
      {7, 1'450'208, 2'323'264, 4'194'496, 6'856'000, 299'974'656},
      {8, 1'657'376, 2'655'040, 4'793'536, 7'835'200, 304'480'256},
      {32, 6'629'504, 10'617'856, 19'170'688, 31'336'192, 412'614'656},
      {128, 26'518'016, 42'469'120, 76'679'296, 125'340'160, 845'152'256},
      {512, 106'072'064, 169'874'176, 306'713'728, 501'356'032, 2'575'302'656},
      {1024, 212'144'128, 373'302'016, 655'369'344, 1'055'139'328, 4'882'169'856}};
  return rows;
}

/// A recorded pass together with the headers that it borrows.
struct Recorded {
  TensorSet model;
  std::vector<std::int32_t> tokens;
  LaidOutPass pass;
};

Recorded recorded(const std::string& name, std::size_t n_tokens) {
  const Hyperparameters& sizes = shape_named(name);
  TensorSet model = weightless_model(sizes);
  std::vector<std::int32_t> tokens(n_tokens);
  LaidOutPass pass = record({sizes, model, key_values_in(model), tokens});
  return {std::move(model), std::move(tokens), std::move(pass)};
}

std::uint64_t linear_need(const std::string& name, std::size_t n_tokens) {
  return linear_bytes(recorded(name, n_tokens).pass.context);
}

}  // namespace

TEST_CASE("measured execution memory is ggml's to the byte", "[ggml][golden]") {
  for (const GoldenRow& row : golden_rows()) {
    CAPTURE(row.n_tokens);
    CHECK(measured_bytes(shape_named("117M"), row.n_tokens) == row.bytes_117m);
    CHECK(measured_bytes(shape_named("345M"), row.n_tokens) == row.bytes_345m);
    CHECK(measured_bytes(shape_named("774M"), row.n_tokens) == row.bytes_774m);
    CHECK(measured_bytes(shape_named("1558M"), row.n_tokens) == row.bytes_1558m);
  }
}

TEST_CASE("the hard-coded estimate is the published one", "[ggml][golden]") {
  for (const GoldenRow& row : golden_rows()) {
    CAPTURE(row.n_tokens);
    CHECK(hard_coded_estimate(row.n_tokens) == row.estimate);
  }
}

TEST_CASE("graphs have as many nodes and leafs as ggml's", "[ggml][golden]") {
  struct Expected {
    const char* model;
    std::size_t nodes;
    std::size_t nodes_of_one_token;
    std::size_t leafs;
  };
  const auto expected = GENERATE(values<Expected>({{"117M", 585, 487, 201},
                                                   {"345M", 1161, 967, 393},
                                                   {"774M", 1737, 1447, 585},
                                                   {"1558M", 2313, 1927, 777}}));
  CAPTURE(expected.model);
  const Recorded several = recorded(expected.model, 7);
  const Recorded one = recorded(expected.model, 1);

  CHECK(several.pass.graph.nodes().size() == expected.nodes);
  CHECK(several.pass.graph.leafs().size() == expected.leafs);
  CHECK(one.pass.graph.nodes().size() == expected.nodes_of_one_token);
  CHECK(one.pass.graph.leafs().size() == expected.leafs);
}

TEST_CASE("a linear pool needs what ggml's did", "[ggml][golden]") {
  struct Expected {
    const char* model;
    std::size_t n_tokens;
    double mebibytes;
    double rounded_to;
  };
  const auto expected = GENERATE(values<Expected>({{"117M", 7, 13.3, 0.1},
                                                   {"117M", 32, 60.5, 0.1},
                                                   {"117M", 128, 248, 1},
                                                   {"117M", 512, 1100, 1},
                                                   {"117M", 1024, 2489, 1},
                                                   {"345M", 32, 150, 1},
                                                   {"345M", 128, 617, 1},
                                                   {"345M", 512, 2755, 1},
                                                   {"774M", 32, 275, 1},
                                                   {"774M", 128, 1133, 1},
                                                   {"1558M", 7, 99, 1},
                                                   {"1558M", 32, 454, 1}}));
  CAPTURE(expected.model, expected.n_tokens);
  const double mebibytes =
      static_cast<double>(linear_need(expected.model, expected.n_tokens)) / (1 << 20);

  CHECK(std::abs(mebibytes - expected.mebibytes) <= expected.rounded_to / 2 * 1.0001);
}

TEST_CASE("the estimate is too large for the smallest model and too small for others",
          "[ggml][golden]") {
  CHECK(hard_coded_estimate(7) / measured_bytes(shape_named("117M"), 7) == 206);  // 206.8

  CHECK(linear_need("345M", 512) > hard_coded_estimate(512));
  CHECK(linear_need("774M", 128) > hard_coded_estimate(128));
  CHECK(linear_need("1558M", 32) > hard_coded_estimate(32));

  CHECK(linear_need("117M", 1024) < hard_coded_estimate(1024));
  CHECK(linear_need("345M", 128) < hard_coded_estimate(128));
  CHECK(linear_need("774M", 32) < hard_coded_estimate(32));
  CHECK(linear_need("1558M", 7) < hard_coded_estimate(7));
}

TEST_CASE("the graph of ggml's own example is measured to the byte as well", "[ggml][golden]") {
  const Hyperparameters& sizes = shape_named("117M");

  CHECK(test::measured_bytes_of_example(sizes, 8, 1016) == 3'760'224);
  CHECK(test::measured_bytes_of_example(sizes, 1, 1023) == 3'210'336);
}

TEST_CASE("a recording without past is too small for a pass with one", "[ggml][golden]") {
  const Hyperparameters& sizes = shape_named("117M");

  CHECK(measured_bytes(sizes, 1, 1023) > measured_bytes(sizes, 7, 0));
}
