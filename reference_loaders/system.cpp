#include "reference_loaders/system.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tidemark::loaders {

bool LoadRequest::flag(std::string_view name) const {
  return options.find(name) != options.end();
}

const std::string& LoadRequest::text(std::string_view name) const {
  const auto found = options.find(name);
  if (found == options.end()) {
    throw UsageError(fmt::format("the option --{} is needed", name));
  }
  return found->second;
}

std::uint64_t LoadRequest::number(std::string_view name,
                                  std::uint64_t low,
                                  std::uint64_t high) const {
  const std::string& value = text(name);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < low || number > high) {
    throw UsageError(fmt::format("--{} takes a number from {} to {}, not '{}'", name, low, high,
                                 printable(value)));
  }
  return number;
}

void LoadedModel::for_each_tensor(const std::function<void(const TensorView&)>& visit) {
  std::vector<TensorView> views = tensors();
  std::ranges::sort(views, {}, &TensorView::name);
  std::ranges::for_each(views, visit);
}

std::uint64_t ModelFacts::weight_bytes() const {
  std::uint64_t sum = 0;
  for (const TensorFacts& tensor : tensors) {
    sum += tensor.bytes;
  }
  return sum;
}

std::uint64_t ModelFacts::largest_tensor_bytes() const {
  std::uint64_t largest = 0;
  for (const TensorFacts& tensor : tensors) {
    largest = std::max(largest, tensor.bytes);
  }
  return largest;
}

bool Variant::loads(std::string_view model) const {
  return models.empty() || std::ranges::find(models, model) != models.end();
}

}  // namespace tidemark::loaders
