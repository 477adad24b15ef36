#include "reference_loaders/burn/system.hpp"

#include "reference_loaders/burn/model_writer.hpp"
#include "reference_loaders/burn/peaks.hpp"
#include "reference_loaders/burn/pytorch_loaders.hpp"
#include "reference_loaders/burn/record_reader.hpp"
#include "reference_loaders/burn/resnet.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include <tidemark/marks.h>

namespace tidemark::loaders::burn {
namespace {

constexpr const char* kReopen = "reopen";

struct NamedModel {
  const char* name;
  const char* summary;
  ModelSpec (*spec)();
};
constexpr std::array kNamedModels = {
    NamedModel{"resnet152", "ResNet-152, 932 tensors", resnet152},
    NamedModel{"resnet50", "ResNet-50, 320 tensors", resnet50},
    NamedModel{"resnet18", "ResNet-18, 122 tensors", resnet18},
};

struct Form {
  FileForm form;
  const char* suffix;
  const char* summary;
};
constexpr std::array kForms = {
    Form{FileForm::kPytorch, "", "as a PyTorch .pt file"},
    Form{FileForm::kMpkElements, "-mpk", "as a NamedMpkGz record, a number for every element"},
    Form{FileForm::kMpkBytes, "-mpk-bytes", "as a NamedMpkGz record of bytes"},
};

class BurnModel final : public LoadedModel {
 public:
  BurnModel(Module module, std::uint64_t times_opened)
      : module_(std::move(module)), times_opened_(times_opened) {}

  [[nodiscard]] std::vector<TensorView> tensors() const override {
    std::vector<TensorView> views;
    views.reserve(module_.size());
    for (const ModuleTensor& tensor : module_) {
      views.push_back(
          {tensor.name, std::string(traits(tensor.dtype).name), tensor.shape, tensor.data.bytes()});
    }
    return views;
  }

  /// That of the file: what is loaded last decides what is still there beside it.
  [[nodiscard]] std::vector<TensorFacts> loading_order() const override {
    std::vector<TensorFacts> facts;
    facts.reserve(module_.size());
    for (const ModuleTensor& tensor : module_) {
      facts.push_back({.bytes = tensor.data.bytes().size(),
                       .elements = tensor.data.bytes().size() / traits(tensor.dtype).bytes});
    }
    return facts;
  }

  [[nodiscard]] std::vector<Note> notes() const override {
    return {{"file opened", times_opened_ == 1 ? "once" : fmt::format("{} times", times_opened_)}};
  }

 private:
  Module module_;
  std::uint64_t times_opened_;
};

Checkpoint open_checkpoint(const LoadRequest& request) {
  const Phase phase("read pickle");
  return {[file = request.file] { return open_file(file); }, request.flag(kReopen)};
}

template <Module (*Load)(Checkpoint&)>
std::unique_ptr<LoadedModel> load_pytorch(const LoadRequest& request) {
  Checkpoint checkpoint = open_checkpoint(request);
  Module module = Load(checkpoint);
  return std::make_unique<BurnModel>(std::move(module), checkpoint.times_opened());
}

template <Module (*Load)(ByteSource&)>
std::unique_ptr<LoadedModel> load_record(const LoadRequest& request) {
  return std::make_unique<BurnModel>(Load(*open_file(request.file)), 1);
}

std::vector<std::string> models_of(const Form& form) {
  std::vector<std::string> names;
  names.reserve(kNamedModels.size());
  for (const NamedModel& named : kNamedModels) {
    names.push_back(std::string(named.name) + form.suffix);
  }
  return names;
}

/// `peak` bytes, told as `main` and what comes on top of it.
Prediction prediction(std::uint64_t peak, std::uint64_t main, std::string_view of_what) {
  return {.footprint_bytes = peak,
          .numbers = fmt::format("{} of {} + {}", format_size(main), of_what,
                                 format_size(peak > main ? peak - main : 0))};
}

std::vector<Variant> pytorch_variants() {
  const auto models = models_of(kForms[0]);
  return {
      {.name = "nested",
       .summary = "an enum of 56 bytes for every element (before pull request 1751)",
       .models = models,
       .peak_formula = "sum 56 * 2^ceil(log2 n) + 2w",
       .predict =
           [](const ModelFacts& f) { return prediction(nested_peak(f), node_bytes(f), "nodes"); },
       .load = load_pytorch<load_nested>},
      {.name = "typed",
       .summary = "typed vectors, still pushed to element by element (1751)",
       .models = models,
       .peak_formula = "sum 4 * 2^ceil(log2 n) + 2w",
       .predict =
           [](const ModelFacts& f) { return prediction(typed_peak(f), typed_bytes(f), "vectors"); },
       .load = load_pytorch<load_typed>},
      {.name = "bytes",
       .summary = "bytes, cast once and then moved (1944)",
       .models = models,
       .peak_formula = "W + 2w",
       .predict =
           [](const ModelFacts& f) {
             return prediction(bytes_peak(f), f.weight_bytes(), "weights");
           },
       .load = load_pytorch<load_bytes>},
      {.name = "lazy",
       .summary = "each tensor read when the module takes it (3741)",
       .models = models,
       .peak_formula = "W + w",
       .predict =
           [](const ModelFacts& f) {
             return prediction(lazy_peak(f), f.weight_bytes(), "weights");
           },
       .load = load_pytorch<load_lazy>},
  };
}

std::vector<Variant> record_variants() {
  return {
      {.name = "mpk-elements",
       .summary = "a record whose tensors are arrays of numbers",
       .models = models_of(kForms[1]),
       .peak_formula = "sum 4 * 2^ceil(log2 n) + w",
       .predict =
           [](const ModelFacts& f) {
             return prediction(mpk_elements_peak(f), f.weight_bytes(), "weights");
           },
       .load = load_record<load_mpk_elements>},
      {.name = "mpk-bytes",
       .summary = "a record whose tensors are bytes",
       .models = models_of(kForms[2]),
       .peak_formula = "W + 2^ceil(log2 w)",
       .predict =
           [](const ModelFacts& f) {
             return prediction(mpk_bytes_peak(f), f.weight_bytes(), "weights");
           },
       .load = load_record<load_mpk_bytes>},
  };
}

std::vector<Variant> variants() {
  auto all = pytorch_variants();
  for (Variant& variant : record_variants()) {
    all.push_back(std::move(variant));
  }
  return all;
}

Model model(const NamedModel& named, const Form& form) {
  return {.name = std::string(named.name) + form.suffix,
          .summary = fmt::format("{}, {}", named.summary, form.summary),
          .default_weight_bytes = named.spec().bytes(),
          .has_fixed_size = true,
          .file_bytes = [&named, form = form.form](
                            std::uint64_t) { return model_file_size(form, named.spec()); },
          .make =
              [&named, form = form.form](const MakeRequest& request) {
                write_model_file(request.file, form, named.spec(), request.seed);
              }};
}

std::vector<Model> models() {
  std::vector<Model> all;
  for (const Form& form : kForms) {
    for (const NamedModel& named : kNamedModels) {
      all.push_back(model(named, form));
    }
  }
  return all;
}

SuiteRow row(const NamedModel& named,
             const Form& form,
             const std::string& variant,
             const std::string& published = {}) {
  return {.model = std::string(named.name) + form.suffix,
          .weight_bytes = named.spec().bytes(),
          .variant = variant,
          .published = published};
}

/// All variants over one named; what was published is about the largest one.
std::vector<SuiteRow> rows_of(const NamedModel& named, bool is_published) {
  const auto said = [&](const char* text) { return is_published ? text : ""; };
  std::vector<SuiteRow> rows = {
      row(named, kForms[0], "nested", said("~5 GB, x20 (1751)")),
      row(named, kForms[0], "typed", said("0.3 GB (1751)")),
      row(named, kForms[0], "bytes"),
      row(named, kForms[0], "lazy"),
      row(named, kForms[0], "lazy"),
      row(named, kForms[1], "mpk-elements"),
      row(named, kForms[2], "mpk-bytes"),
  };
  rows[4].options.emplace(kReopen, "1");
  return rows;
}

std::vector<SuiteRow> suite(SuiteSize size) {
  auto rows = rows_of(kNamedModels[size == SuiteSize::kFull ? 0 : 2], size == SuiteSize::kFull);
  if (size == SuiteSize::kFull) {
    for (const std::size_t smaller : {1U, 2U}) {
      rows.push_back(row(kNamedModels.at(smaller), kForms[0], "nested"));
      rows.push_back(row(kNamedModels.at(smaller), kForms[0], "typed"));
    }
  }
  return rows;
}

}  // namespace

System make_system() {
  return {
      .name = "burn",
      .summary = "burn, PyTorch checkpoints and MessagePack records",
      .published = "tracel-ai/burn pull request 1751: ResNet-152, about 5 GB before, x20 the file",
      .models = models(),
      .options = {{.name = kReopen,
                   .value_name = "",
                   .default_value = "",
                   .summary = "Open the .pt file and read its directory again for every tensor"}},
      .variants = variants(),
      .suite = suite};
}

}  // namespace tidemark::loaders::burn
