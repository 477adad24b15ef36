#include "reference_loaders/tvm/system.hpp"

#include "reference_loaders/tvm/loaders.hpp"
#include "reference_loaders/tvm/params_writer.hpp"

#include <utility>

namespace tidemark::loaders::tvm {
namespace {

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
std::unique_ptr<LoadedModel> load(const std::filesystem::path& file) {
  return std::make_unique<TvmModel>(Load(file));
}

Variant blob() {
  return {.name = "blob",
          .summary = "the whole file into a string, then copied into the tensors (before the fix)",
          .peak_formula = "2W",
          .predicted_peak = [](const ModelFacts& f) { return f.file_bytes + f.weight_bytes(); },
          .load = load<load_blob>};
}

Variant stream() {
  return {.name = "stream",
          .summary = "from the file straight into the tensors (after the fix)",
          .peak_formula = "W",
          .predicted_peak = [](const ModelFacts& f) { return f.weight_bytes(); },
          .load = load<load_stream>};
}

}  // namespace

System make_system() {
  return {.name = "tvm",
          .summary = "Apache TVM, params files (late-bound constants)",
          .published = "apache/tvm pull request 13877: about 5 GB of weights, 2x before, 1x after",
          .default_weight_bytes = std::uint64_t{512} << 20,
          .variants = {blob(), stream()},
          .file_bytes = [](std::uint64_t bytes) { return params_file_bytes(model_of(bytes)); },
          .make =
              [](const MakeRequest& request) {
                write_random_params_file(request.file, model_of(request.weight_bytes),
                                         request.seed);
              }};
}

}  // namespace tidemark::loaders::tvm
