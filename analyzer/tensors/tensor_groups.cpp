#include "analyzer/tensors/tensor_groups.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace tidemark::analyzer {
namespace {

constexpr std::string_view kDots = "./";

/// `3`, `h3`, `layer12`: a word that ends in a number.
bool is_numbered(std::string_view word) {
  return !word.empty() && word.back() >= '0' && word.back() <= '9';
}

std::string name_in(const trace::Tensor& tensor, TensorGrouping grouping) {
  switch (grouping) {
    case TensorGrouping::kLayer:
      return layer_of(tensor.name);
    case TensorGrouping::kType:
      return tensor.type;
    case TensorGrouping::kTensor:
    case TensorGrouping::kNone:
      break;
  }
  return tensor.name;
}

}  // namespace

std::string_view grouping_word(TensorGrouping grouping) {
  switch (grouping) {
    case TensorGrouping::kTensor:
      return "tensor";
    case TensorGrouping::kLayer:
      return "layer";
    case TensorGrouping::kType:
      return "dtype";
    case TensorGrouping::kNone:
      break;
  }
  return {};
}

std::string layer_of(std::string_view name) {
  std::size_t begin = 0;
  std::size_t last = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find_first_of(kDots, begin), name.size());
    if (is_numbered(name.substr(begin, end - begin)) && end != name.size()) {
      return std::string(name.substr(0, end));
    }
    last = begin;
    begin = end + 1;
  }
  return std::string(name.substr(0, last == 0 ? name.size() : last - 1));
}

std::vector<TensorRow> tensor_rows(const HeldTensors& held,
                                   const trace::Definitions& definitions,
                                   TensorGrouping grouping) {
  std::vector<TensorRow> rows;
  std::vector<std::uint64_t> largest;  // By row.
  std::unordered_map<std::string, std::size_t> by_name;
  for (const HeldTensor& tensor : held.tensors) {
    const trace::Tensor& listed = definitions.tensors[trace::index(tensor.tensor)];
    const std::string name = name_in(listed, grouping);
    // Tensors of two files may have one name.
    const std::string key = grouping == TensorGrouping::kType
                                ? name
                                : std::to_string(trace::index(listed.file)) + ' ' + name;
    const auto [place, is_new] = by_name.try_emplace(key, rows.size());
    if (is_new) {
      rows.push_back({.name = name, .type = listed.type, .file_begin = listed.begin});
      largest.push_back(0);
    }
    TensorRow& row = rows[place->second];
    row.type = row.type == listed.type ? row.type : std::string();
    ++row.tensors;
    row.file_bytes += listed.bytes;
    row.bytes += tensor.bytes;
    row.mapped_bytes += tensor.mapped_bytes;
    row.is_by_size = row.is_by_size || tensor.is_by_size;
    row.types.add(tensor.types);
    if (tensor.bytes + 1 > largest[place->second]) {
      largest[place->second] = tensor.bytes + 1;
      row.stack = tensor.stack;
    }
  }
  std::ranges::stable_sort(rows, [](const TensorRow& a, const TensorRow& b) {
    return std::tuple(a.bytes, a.mapped_bytes) > std::tuple(b.bytes, b.mapped_bytes);
  });
  return rows;
}

}  // namespace tidemark::analyzer
