#include "reference_loaders/nntrainer/suite.hpp"

#include "reference_loaders/nntrainer/network.hpp"
#include "reference_loaders/nntrainer/network_reader.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tidemark::loaders::nntrainer {
namespace {

std::uint64_t weight_bytes(const std::string& model) {
  const auto& all = named_resnets();
  const auto named = std::ranges::find(all, model, &NamedResnet::name);
  return read_network(resnet_ini(named->spec), model).weight_elements() * sizeof(float);
}

/// Rows of one model, which is run with the same arithmetic in each: its checksum must not differ.
class Rows {
 public:
  Rows(std::string model, Options work) : model_(std::move(model)), work_(std::move(work)) {}

  void add(const char* variant, const Options& own = {}, const std::string& published = {}) {
    Options options = own;
    options.insert(work_.begin(), work_.end());
    rows_.push_back({.model = model_,
                     .weight_bytes = weight_bytes(model_),
                     .variant = variant,
                     .options = std::move(options),
                     .published = published});
  }

  void append_to(std::vector<SuiteRow>* all) const {
    all->insert(all->end(), rows_.begin(), rows_.end());
  }

 private:
  std::string model_;
  Options work_;
  std::vector<SuiteRow> rows_;
};

/// The peaks that the window model gives, in MB, for N = 1, 2, 4 and 8.
struct PublishedPeaks {
  const char* model;
  const char* resident;
  const char* windows[4];
};

constexpr PublishedPeaks kPeaks[] = {
    {"batch-10", "215.2 MB", {"18.5 MB", "23.7 MB", "34.4 MB", "58.1 MB"}},
    {"batch-32", "589.8 MB", {"58.9 MB", "75.6 MB", "109.3 MB", "185.0 MB"}},
    {"batch-128", "2224.5 MB", {"235.0 MB", "302.1 MB", "436.5 MB", "738.6 MB"}}};
constexpr const char* kWindows[] = {"1", "2", "4", "8"};

void add_training(const PublishedPeaks& peaks, const Options& work, std::vector<SuiteRow>* all) {
  Rows rows(peaks.model, work);
  rows.add("resident", {}, peaks.resident);
  rows.add("serial", {}, peaks.resident);
  rows.add("window", {}, peaks.windows[0]);
  for (std::size_t at = 1; at < std::size(kWindows); ++at) {
    rows.add("window", {{"layers", kWindows[at]}}, peaks.windows[at]);
  }
  rows.add("adaptive");
  rows.add("swap");
  rows.add("swap-trim");
  rows.add("lookahead");
  rows.append_to(all);
}

void add_inference(SuiteSize size, std::vector<SuiteRow>* all) {
  Rows rows("inference", {});
  rows.add("resident");
  if (size == SuiteSize::kFull) {
    rows.add("window");
  }
  rows.add("fsu");
  rows.append_to(all);
}

std::vector<SuiteRow> quick() {
  std::vector<SuiteRow> all;
  // Real arithmetic; a write to the disk for each tensor would take longer than it.
  const Options page_cache = {{"page-cache", "1"}};
  Rows rows("small", {});
  rows.add("resident");
  rows.add("serial");
  rows.add("window");
  rows.add("adaptive");
  rows.add("swap", page_cache);
  rows.add("swap-trim", page_cache);
  rows.add("lookahead", page_cache);
  rows.append_to(&all);
  add_inference(SuiteSize::kQuick, &all);
  return all;
}

}  // namespace

const std::vector<NamedResnet>& named_resnets() {
  static const std::vector<NamedResnet> all = {
      {"batch-32", "ResNet-18 for CIFAR-100, trained with batches of 32", {.batch = 32}},
      {"batch-10", "the same, batches of 10", {.batch = 10}},
      {"batch-128", "the same, batches of 128", {.batch = 128}},
      {"small",
       "the same with an eighth of the filters, batches of 80",
       {.batch = 80, .filters = 8}},
      {"inference", "ResNet-18 without an optimizer, one image", {.batch = 1, .trains = false}}};
  return all;
}

std::vector<SuiteRow> suite(SuiteSize size) {
  if (size == SuiteSize::kQuick) {
    return quick();
  }
  std::vector<SuiteRow> all;
  for (const PublishedPeaks& peaks : kPeaks) {
    const bool is_large = std::string(peaks.model) == "batch-128";
    add_training(peaks, is_large ? Options{{"work", "calibrated"}} : Options{}, &all);
  }
  add_inference(size, &all);
  return all;
}

}  // namespace tidemark::loaders::nntrainer
