#include "tests/reference_loaders/ggml/plain_gpt2.hpp"

#include "reference_loaders/ggml/half.hpp"

#include <cmath>
#include <string>

namespace tidemark::loaders::test {
namespace {

using namespace ggml;
using Row = std::vector<double>;
using Rows = std::vector<Row>;

class PlainGpt2 {
 public:
  PlainGpt2(const Hyperparameters& sizes, const TensorSet& weights)
      : n_embd_(static_cast<std::size_t>(sizes.n_embd)),
        n_head_(static_cast<std::size_t>(sizes.n_head)),
        n_layer_(sizes.n_layer),
        weights_(weights) {}

  Rows logits(const std::vector<std::int32_t>& tokens) {
    Rows stream;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto token = static_cast<std::size_t>(tokens[i]);
      stream.push_back(sum(row("model/wte", token), row("model/wpe", i)));
    }
    for (std::int32_t layer = 0; layer < n_layer_; ++layer) {
      add_layer(stream, "model/h" + std::to_string(layer) + "/");
    }
    for (Row& position : stream) {
      position = product("model/wte", norm(position, "model/ln_f"));
    }
    return stream;
  }

 private:
  void add_layer(Rows& stream, const std::string& layer) {
    Rows mixed;
    for (const Row& position : stream) {
      mixed.push_back(linear(norm(position, layer + "ln_1"), layer + "attn/c_attn"));
    }
    for (std::size_t i = 0; i < stream.size(); ++i) {
      stream[i] = sum(stream[i], linear(attended(mixed, i), layer + "attn/c_proj"));
      Row inner = linear(norm(stream[i], layer + "ln_2"), layer + "mlp/c_fc");
      for (double& x : inner) {
        x = 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
      }
      stream[i] = sum(stream[i], linear(inner, layer + "mlp/c_proj"));
    }
  }

  /// What position `i` takes from itself and those before; each row is query, key and value.
  [[nodiscard]] Row attended(const Rows& mixed, std::size_t i) const {
    const std::size_t size = n_embd_ / n_head_;
    Row result(n_embd_);
    for (std::size_t first = 0; first < n_embd_; first += size) {
      Row shares;
      double all = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        double score = 0;
        for (std::size_t k = first; k < first + size; ++k) {
          score += mixed[i][k] * mixed[j][n_embd_ + k];
        }
        shares.push_back(std::exp(score / std::sqrt(static_cast<double>(size))));
        all += shares.back();
      }
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t k = first; k < first + size; ++k) {
          result[k] += shares[j] / all * mixed[j][2 * n_embd_ + k];
        }
      }
    }
    return result;
  }

  [[nodiscard]] Row norm(const Row& input, const std::string& name) const {
    double mean = 0;
    for (const double x : input) {
      mean += x / static_cast<double>(input.size());
    }
    double variance = 0;
    for (const double x : input) {
      variance += (x - mean) * (x - mean) / static_cast<double>(input.size());
    }
    const Row gain = row(name + "/g", 0);
    Row result = row(name + "/b", 0);
    for (std::size_t i = 0; i < input.size(); ++i) {
      result[i] += (input[i] - mean) / std::sqrt(variance + 1e-5) * gain[i];
    }
    return result;
  }

  [[nodiscard]] Row linear(const Row& input, const std::string& name) const {
    return sum(product(name + "/w", input), row(name + "/b", 0));
  }

  [[nodiscard]] Row product(const std::string& name, const Row& input) const {
    Row result;
    for (std::size_t i = 0; i < static_cast<std::size_t>(weights_.at(name)->ne[1]); ++i) {
      const Row weights = row(name, i);
      double total = 0;
      for (std::size_t k = 0; k < input.size(); ++k) {
        total += weights[k] * input[k];
      }
      result.push_back(total);
    }
    return result;
  }

  [[nodiscard]] Row row(const std::string& name, std::size_t index) const {
    const Tensor& tensor = *weights_.at(name);
    const auto length = static_cast<std::size_t>(tensor.ne[0]);
    std::vector<float> floats(length);
    if (tensor.type == Type::kF16) {
      to_float({tensor.data<std::uint16_t>() + index * length, length}, floats);
    } else {
      floats.assign(tensor.data<float>() + index * length,
                    tensor.data<float>() + (index + 1) * length);
    }
    return {floats.begin(), floats.end()};
  }

  static Row sum(Row a, const Row& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] += b[i];
    }
    return a;
  }

  std::size_t n_embd_;
  std::size_t n_head_;
  std::int32_t n_layer_;
  const TensorSet& weights_;
};

}  // namespace

std::vector<double> plain_logits(const Hyperparameters& sizes,
                                 const TensorSet& weights,
                                 const std::vector<std::int32_t>& tokens) {
  std::vector<double> all;
  for (const Row& row : PlainGpt2(sizes, weights).logits(tokens)) {
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

}  // namespace tidemark::loaders::test
