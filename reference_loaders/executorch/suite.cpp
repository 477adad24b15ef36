#include "reference_loaders/executorch/suite.hpp"

#include "reference_loaders/executorch/load_rules.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tidemark::loaders::executorch {
namespace {

constexpr const char* kFreedTooEarly = "has a second consumer, but its first one freed it";

SuiteRow row(const std::string& model,
             const std::string& variant,
             const std::string& published = {},
             Options options = {}) {
  const auto named = std::ranges::find(named_llamas(), model, &NamedLlama::name);
  return {.model = model,
          .weight_bytes = constant_bytes(llama_model(named->spec).graph),
          .variant = variant,
          .options = std::move(options),
          .published = published};
}

SuiteRow failing(const std::string& model, const std::string& variant) {
  SuiteRow failing = row(model, variant, "NaN weights");
  failing.fails_with = kFreedTooEarly;
  return failing;
}

/// The variants where they differ: over many activations, over few, and over tied weights.
void add_rows(const std::string& model, std::vector<SuiteRow>* all) {
  const bool is_full = model == "llama";
  const auto said = [&](const char* text) { return is_full ? text : ""; };
  all->push_back(row(model, "eager", said("4.05 GiB")));
  all->push_back(row(model, "half-applied"));
  all->push_back(row(model, "lazy", said("3.53 GiB")));
  all->push_back(row(model, "lazy-10mb"));
  all->push_back(row(model + "-short", "lazy", said("89.6 MB of 42 MB")));
  all->push_back(row(model + "-short", "lazy-10mb", said("57.3 MB of 42 MB")));
  all->push_back(failing(model + "-tied", "lazy"));
  all->push_back(row(model + "-tied", "tied"));
  all->push_back(row(model + "-tied", "tied-cached"));
}

}  // namespace

const std::vector<NamedLlama>& named_llamas() {
  static const std::vector<NamedLlama> all = {
      {"llama", "Llama 3.2 1B at 3/8 of its width, a prompt of 609 tokens", {12, 609}},
      {"llama-short", "the same at 5/16, a prompt of 16 tokens", {10, 16}},
      {"llama-tied", "as llama, with the token embedding on the device", {12, 609, true}},
      {"small", "the same at 3/16 of its width, a prompt of 385 tokens", {6, 385}},
      {"small-short", "the same at 1/4 of its width, a prompt of 16 tokens", {8, 16}},
      {"small-tied", "as small, with the token embedding on the device", {6, 385, true}}};
  return all;
}

std::vector<SuiteRow> suite(SuiteSize size) {
  std::vector<SuiteRow> all;
  add_rows(size == SuiteSize::kFull ? "llama" : "small", &all);
  if (size == SuiteSize::kFull) {
    const Options mapped = {{"data-loader", "mmap"}};
    all.push_back(row("llama", "eager", "", mapped));
    all.push_back(row("llama", "lazy", "", mapped));
    all.push_back(row("llama", "eager", "", {{"commit", "1"}}));
    all.push_back(row("llama", "lazy", "", {{"commit", "1"}}));
  }
  return all;
}

}  // namespace tidemark::loaders::executorch
