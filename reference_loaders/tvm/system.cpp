#include "reference_loaders/tvm/system.hpp"

#include "reference_loaders/size.hpp"
#include "reference_loaders/tvm/loaders.hpp"
#include "reference_loaders/tvm/params_writer.hpp"

#include <fmt/format.h>

#include <utility>

namespace tidemark::loaders::tvm {
namespace {

constexpr const char* kParams = "params";

class TvmModel final : public LoadedModel {
 public:
  explicit TvmModel(Params params) : params_(std::move(params)) {}

  [[nodiscard]] std::vector<TensorView> tensors() const override {
    std::vector<TensorView> views;
    views.reserve(params_.size());
    for (const auto& [name, tensor] : params_) {
      views.push_back({name, tensor.dtype().name(), tensor.shape(), tensor.data()});
    }
    return views;
  }

 private:
  Params params_;
};

template <Params (*Load)(const std::filesystem::path&)>
std::unique_ptr<LoadedModel> load(const LoadRequest& request) {
  return std::make_unique<TvmModel>(Load(request.file));
}

Variant blob() {
  return {.name = "blob",
          .summary = "the whole file into a string, then copied into the tensors (before the fix)",
          .models = {kParams},
          .peak_formula = "2W",
          .predict =
              [](const ModelFacts& f) {
                return Prediction{.footprint_bytes = f.file_bytes + f.weight_bytes(),
                                  .numbers = fmt::format("2 x {}", format_size(f.weight_bytes()))};
              },
          .load = load<load_blob>};
}

Variant stream() {
  return {.name = "stream",
          .summary = "from the file straight into the tensors (after the fix)",
          .models = {kParams},
          .peak_formula = "W",
          .predict =
              [](const ModelFacts& f) {
                return Prediction{.footprint_bytes = f.weight_bytes(),
                                  .numbers = format_size(f.weight_bytes())};
              },
          .load = load<load_stream>};
}

Model params() {
  return {.name = kParams,
          .summary = "a params file: late-bound constants",
          .default_weight_bytes = std::uint64_t{512} << 20,
          .file_bytes = [](std::uint64_t bytes) { return params_file_bytes(model_of(bytes)); },
          .make =
              [](const MakeRequest& request) {
                write_random_params_file(request.file, model_of(request.weight_bytes),
                                         request.seed);
              }};
}

std::vector<SuiteRow> suite(SuiteSize size) {
  const std::uint64_t bytes =
      size == SuiteSize::kFull ? 5'000'000'000 : std::uint64_t{128} << 20;
  return {{.model = kParams, .weight_bytes = bytes, .variant = "blob", .published = "5 GB, 2x"},
          {.model = kParams, .weight_bytes = bytes, .variant = "stream", .published = "5 GB, 1x"}};
}

}  // namespace

System make_system() {
  return {.name = "tvm",
          .summary = "Apache TVM, params files (late-bound constants)",
          .published = "apache/tvm pull request 13877: about 5 GB of weights, 2x before, 1x after",
          .models = {params()},
          .variants = {blob(), stream()},
          .suite = suite};
}

}  // namespace tidemark::loaders::tvm
