#include "reference_loaders/executorch/named_data_map.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::loaders::executorch {
namespace {

std::vector<PtdTensor> read_front(DataLoader& loader) {
  const auto begin = loader.load(0, std::min(kPtdHeaderEnd, loader.size()));
  const PtdHeader header = parse_ptd_header(begin.bytes(), loader.size(), loader.name());
  return parse_ptd(loader.load(0, header.flatbuffer_end).bytes(), header, loader.name());
}

}  // namespace

NamedDataMap::NamedDataMap(std::unique_ptr<DataLoader> loader)
    : loader_(std::move(loader)), tensors_(read_front(*loader_)) {}

const PtdTensor& NamedDataMap::find(std::string_view key) const {
  const auto found = std::ranges::find(tensors_, key, &PtdTensor::key);
  if (found == tensors_.end()) {
    throw BadInput(file(), fmt::format("has no tensor '{}', which the delegate asks for",
                                       printable(std::string(key))));
  }
  return *found;
}

FreeableBuffer NamedDataMap::get_data(const PtdTensor& tensor) {
  return loader_->load(tensor.offset, tensor.bytes);
}

}  // namespace tidemark::loaders::executorch
