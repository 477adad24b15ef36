// The loader that reads a tensor when it is asked for, and forgets it after.
#include "reference_loaders/strategies/loaders.hpp"
#include "reference_loaders/strategies/model_in_memory.hpp"
#include "reference_loaders/strategies/read_index.hpp"
#include "reference_loaders/strategies/weights_file.hpp"

#include <algorithm>

#include <tidemark/marks.h>

namespace tidemark::loaders::strategies {
namespace {

class LazyModel final : public LoadedModel {
 public:
  explicit LazyModel(const std::filesystem::path& file) : file_(file), index_(read_header(file_)) {
    std::ranges::sort(index_.tensors, {}, &TensorEntry::name);
    file_.release_buffer();
  }

  /// None: between two visits nothing is in memory.
  [[nodiscard]] std::vector<TensorView> tensors() const override { return {}; }

  void for_each_tensor(const std::function<void(const TensorView&)>& visit) override {
    for (const TensorEntry& tensor : index_.tensors) {
      const Block block = materialised(tensor);
      visit(view_of(tensor, block.bytes()));
    }
    clock_.every_weight_was_used();
  }

  [[nodiscard]] std::vector<Note> notes() const override { return {clock_.note()}; }

 private:
  [[nodiscard]] Block materialised(const TensorEntry& tensor) const {
    const Phase phase("materialise");
    Block block(tensor.bytes);
    file_.read_exactly(tensor.offset, block.bytes());
    return block;
  }

  UseClock clock_;
  WeightsFile file_;
  WeightsIndex index_;
};

}  // namespace

std::unique_ptr<LoadedModel> load_lazy(const std::filesystem::path& file) {
  return std::make_unique<LazyModel>(file);
}

}  // namespace tidemark::loaders::strategies
