#pragma once

#include "reference_loaders/executorch/data_loader.hpp"
#include "reference_loaders/executorch/ptd.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace tidemark::loaders::executorch {

/// The tensors of a .ptd file by their keys. Only its front is read before a tensor is asked for.
class NamedDataMap {
 public:
  /// @throws BadInput
  explicit NamedDataMap(std::unique_ptr<DataLoader> loader);

  /// Metadata of the tensor under `key`, found as ExecuTorch finds it: from the first on, one after
  /// the other. @throws BadInput when there is none.
  [[nodiscard]] const PtdTensor& find(std::string_view key) const;

  /// Its bytes. The buffer must not outlive the map. @throws BadInput
  [[nodiscard]] FreeableBuffer get_data(const PtdTensor& tensor);

  /// Name of the .ptd file, for messages.
  [[nodiscard]] const std::string& file() const { return loader_->name(); }

 private:
  std::unique_ptr<DataLoader> loader_;
  std::vector<PtdTensor> tensors_;
};

}  // namespace tidemark::loaders::executorch
