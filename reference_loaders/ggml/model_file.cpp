#include "reference_loaders/ggml/model_file.hpp"

namespace tidemark::loaders::ggml {

std::uint64_t record_head_bytes(const WeightSpec& spec) {
  return (3 + spec.extents.size()) * sizeof(std::int32_t) + spec.name.size();
}

void Vocabulary::add(std::string_view word) {
  text_ += word;
  ends_.push_back(text_.size());
}

std::string_view Vocabulary::word(std::size_t index) const {
  const std::uint64_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

std::uint64_t Vocabulary::bytes() const {
  return text_.capacity() + ends_.capacity() * sizeof ends_[0];
}

}  // namespace tidemark::loaders::ggml
