#include "reference_loaders/burn/pickle_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/pickle_machine.hpp"

#include <fmt/format.h>

#include <unordered_set>

namespace tidemark::loaders::burn {
namespace {

/// The content of `value` when it is a T, or null.
template <typename T>
const T* get(const pickle::Value& value) {
  auto* const* object = std::get_if<pickle::Object*>(&value);
  return object != nullptr ? std::get_if<T>(&(*object)->content) : nullptr;
}

}  // namespace

StateDict read_state_dict(std::string_view bytes, const std::string& source, std::uint64_t offset) {
  if (bytes.size() > kMaxPickleBytes) {
    throw BadInput(source, offset,
                   fmt::format("a pickle of {} bytes is no state_dict", bytes.size()));
  }
  pickle::Machine machine(bytes, source, offset);
  const pickle::Value root = machine.run();
  const auto* dict = get<pickle::Dict>(root);
  if (dict == nullptr) {
    machine.refuse("a state_dict is a dict, and this is none");
  }
  StateDict tensors;
  std::unordered_set<std::string_view> names;
  for (const auto& [key, value] : dict->items) {
    const auto* name = get<std::string>(key);
    const auto* tensor = get<StoredTensor>(value);
    if (name == nullptr || tensor == nullptr) {
      machine.refuse(fmt::format("'{}' is no tensor: this is a dict of more than weights",
                                 name != nullptr ? printable(*name) : "?"));
    }
    if (!names.insert(*name).second) {
      machine.refuse(fmt::format("the tensor '{}' is there twice", printable(*name)));
    }
    tensors.push_back(*tensor);
    tensors.back().name = *name;
  }
  return tensors;
}

}  // namespace tidemark::loaders::burn
