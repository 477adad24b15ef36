#include "reference_loaders/nntrainer/system.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/nntrainer/model_writer.hpp"
#include "reference_loaders/nntrainer/network_reader.hpp"
#include "reference_loaders/nntrainer/run.hpp"
#include "reference_loaders/nntrainer/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace tidemark::loaders::nntrainer {
namespace {

constexpr std::uint64_t kMaxLayers = 2048;
constexpr std::uint64_t kMaxPercent = 100'000;

/// A description, its weights and the work; they stay where they are while a run borrows them.
class OpenModel {
 public:
  explicit OpenModel(const LoadRequest& request)
      : network_(read_network(read_ini_file(request.file), request.file.string())),
        weights_(network_, weights_of(request.file)),
        work_(work_of(request)),
        folder_(request.file.parent_path()) {}
  OpenModel(const OpenModel&) = delete;
  OpenModel& operator=(const OpenModel&) = delete;
  ~OpenModel() = default;

  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] RunRequest request(bool reaches_disk) const {
    return {
        .network = network_,
        .weights = weights_,
        .work = *work_,
        .folder = folder_,
        .writes = reaches_disk ? SwapFile::Writes::kToTheDisk : SwapFile::Writes::kToThePageCache};
  }

 private:
  [[nodiscard]] std::filesystem::path weights_of(const std::filesystem::path& file) const {
    return network_.weights_file.empty() ? weights_path(file)
                                         : file.parent_path() / network_.weights_file;
  }

  [[nodiscard]] std::unique_ptr<LayerWork> work_of(const LoadRequest& request) const {
    const std::string& kind = request.text("work");
    const std::uint64_t percent = request.number("scale", 0, kMaxPercent);
    if (kind == "real") {
      return real_work(network_);
    }
    if (kind == "calibrated") {
      return calibrated_work(network_, percent);
    }
    throw UsageError(fmt::format("--work takes real or calibrated, not '{}'", printable(kind)));
  }

  Network network_;
  WeightsFile weights_;
  std::unique_ptr<LayerWork> work_;
  std::filesystem::path folder_;
};

using Start = std::function<std::unique_ptr<Run>(const RunRequest&, const LoadRequest&)>;

class NntrainerModel final : public LoadedModel {
 public:
  NntrainerModel(const LoadRequest& request, const Start& start) : model_(request) {
    run_ = start(model_.request(!request.flag("page-cache")), request);
  }

  /// None: between two visits no variant need have any in memory.
  [[nodiscard]] std::vector<TensorView> tensors() const override { return {}; }
  void for_each_tensor(const std::function<void(const TensorView&)>& visit) override;

  [[nodiscard]] std::uint64_t work_bytes() const override { return run_->planned_peak(); }
  [[nodiscard]] double work_seconds() const override { return run_->work_seconds(); }
  [[nodiscard]] std::vector<Note> notes() const override { return run_->notes(); }

 private:
  struct NamedPlace {
    const WeightSpec* spec;
    WeightPlace place;
  };

  [[nodiscard]] std::vector<NamedPlace> weights_in_name_order() const;

  OpenModel model_;
  std::unique_ptr<Run> run_;
};

std::vector<NntrainerModel::NamedPlace> NntrainerModel::weights_in_name_order() const {
  const std::vector<Layer>& layers = model_.network().layers;
  std::vector<NamedPlace> places;
  for (LayerIndex layer = 0; layer < layers.size(); ++layer) {
    WeightPlace place{.layer = layer};
    for (const WeightSpec& spec : layers[layer].weights) {
      place.elements = spec.elements();
      places.push_back({&spec, place});
      place.offset += place.elements;
      ++place.index;
    }
  }
  std::ranges::sort(places, {}, [](const NamedPlace& named) { return named.spec->name; });
  return places;
}

void NntrainerModel::for_each_tensor(const std::function<void(const TensorView&)>& visit) {
  FloatBlock room;
  for (const auto& [spec, place] : weights_in_name_order()) {
    room = FloatBlock();  // before the next is read: one weight at a time
    visit({spec->name, "float32", spec->shape, std::as_bytes(run_->weight(place, room))});
  }
}

Prediction predict(const ModelFacts& facts) {
  return {.footprint_bytes = facts.work_bytes,
          .numbers = fmt::format("{:.1f} MB", static_cast<double>(facts.work_bytes) / 1e6)};
}

/// Beside the slots, the pages of the largest weight. With more than one step of lookahead the two
/// threads may map a weight each, which is not predicted.
Prediction predict_fsu(const ModelFacts& facts) {
  constexpr std::uint64_t kPageBytes = 4096;
  Prediction prediction = predict(facts);
  prediction.mapped_bytes =
      (facts.largest_tensor_bytes() + kPageBytes - 1) / kPageBytes * kPageBytes;
  prediction.numbers +=
      fmt::format(", {:.1f} MB mapped", static_cast<double>(prediction.mapped_bytes) / 1e6);
  return prediction;
}

Variant variant(const char* name, const char* summary, const char* formula, const Start& start) {
  return {.name = name,
          .summary = summary,
          .peak_formula = formula,
          .predict = predict,
          .load = [start](const LoadRequest& request) -> std::unique_ptr<LoadedModel> {
            return std::make_unique<NntrainerModel>(request, start);
          }};
}

Start window(bool is_adaptive) {
  return [is_adaptive](const RunRequest& run, const LoadRequest& request) {
    return run_window(
        run, {.layers = request.number("layers", 1, kMaxLayers), .is_adaptive = is_adaptive});
  };
}

Start swap(bool trims, bool looks_ahead) {
  return [trims, looks_ahead](const RunRequest& run, const LoadRequest& request) {
    return run_swap(run,
                    {.trims = trims,
                     .lookahead = looks_ahead ? request.number("lookahead", 1, kMaxLayers) : 0});
  };
}

std::vector<Variant> variants() {
  std::vector<Variant> all = {
      variant("resident", "all weights, inputs and outputs in memory (before)", "all layers",
              [](const RunRequest& run, const LoadRequest&) { return run_resident(run); }),
      variant("serial", "as resident; then all to a file and back, as the issue timed it",
              "all layers",
              [](const RunRequest& run, const LoadRequest&) { return run_serial(run); }),
      variant("swap", "each step's tensors swapped in, the others out (2022)", "one step",
              swap(false, false)),
      variant("swap-trim", "as swap, with malloc_trim after each swap out", "one step",
              swap(true, false)),
      variant("lookahead", "as swap-trim, --lookahead steps swapped in by a task thread",
              "2 steps and ahead", swap(true, true)),
      variant("adaptive", "as window, but N follows the stalls", "widest windows", window(true)),
      variant("window", "N = --layers ready, one loading, one leaving", "N + 2 layers",
              window(false)),
      variant("fsu", "inference: weights mapped and copied into slots (2024)",
              "slots, a weight mapped", [](const RunRequest& run, const LoadRequest& request) {
                return run_fsu(run, request.number("lookahead", 1, kMaxLayers));
              })};
  all.back().models = {"inference"};
  all.back().predict = predict_fsu;
  return all;
}

Model model(const NamedResnet& named) {
  const ResnetSpec spec = named.spec;
  return {.name = named.name,
          .summary = named.summary,
          .default_weight_bytes =
              read_network(resnet_ini(spec), named.name).weight_elements() * sizeof(float),
          .has_fixed_size = true,
          .file_bytes = [spec](std::uint64_t) { return random_model_bytes(spec); },
          .make =
              [spec](const MakeRequest& request) {
                write_random_model(request.file, spec, request.seed);
              },
          .files =
              [](const std::filesystem::path& file) {
                return std::vector{file, weights_path(file)};
              }};
}

std::vector<Model> models() {
  std::vector<Model> all;
  for (const NamedResnet& named : named_resnets()) {
    all.push_back(model(named));
  }
  return all;
}

}  // namespace

System make_system() {
  return {
      .name = "nntrainer",
      .summary = "nntrainer, one training iteration of ResNet-18 with a window of its layers",
      .published =
          "nntrainer issue 789: offloading took 25 to 32 % of an iteration, onloading 1 %; the "
          "window's peaks in MB follow from its design",
      .models = models(),
      .options = {{"layers", "N", "1", "Layers that a window has ready (N)"},
                  {"lookahead", "N", "1", "Steps that lookahead and fsu load ahead"},
                  {"work", "KIND", "real", "real arithmetic, or calibrated: the published time"},
                  {"scale", "PERCENT", "100", "Of the published time, for calibrated work"},
                  {"page-cache", "", "", "Do not wait for the disk when writing to the swap file"}},
      .variants = variants(),
      .suite = suite};
}

}  // namespace tidemark::loaders::nntrainer
