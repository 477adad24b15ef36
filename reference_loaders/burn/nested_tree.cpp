#include "reference_loaders/burn/nested_tree.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace tidemark::loaders::burn {
namespace {

/// Each level is one call deep when the tree is walked or destroyed.
constexpr std::size_t kMaxLevels = 64;

/// A vector may have holes ("features.0", "features.3"), but not for free.
constexpr std::uint64_t kFreeSlots = 1024;
constexpr std::uint64_t kSlotsOfALeaf = 16;

std::vector<std::string_view> split(std::string_view name) {
  std::vector<std::string_view> keys;
  for (;;) {
    const std::size_t dot = name.find('.');
    keys.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) {
      return keys;
    }
    name.remove_prefix(dot + 1);
  }
}

/// The index that `key` is, when it is one and written as numbers are: "0", not "00".
std::optional<std::uint32_t> index_of(std::string_view key) {
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool is_number = error == std::errc() && end == key.data() + key.size();
  return is_number && (key.size() == 1 || key.front() != '0') ? std::optional(index) : std::nullopt;
}

}  // namespace

NestedTree::NestedTree(const std::string& source, Predicate is_leaf, std::uint64_t leaves)
    : source_(source), is_leaf_(is_leaf), slots_left_(kFreeSlots + kSlotsOfALeaf * leaves) {
  root_.content = NestedMap();
}

void NestedTree::insert(const std::string& name, NestedValue leaf) {
  name_ = &name;
  const auto keys = split(name);
  if (keys.size() > kMaxLevels) {
    refuse(fmt::format("nests {} levels deep", keys.size()));
  }
  NestedValue* parent = &root_;
  for (std::size_t at = 0; at + 1 < keys.size(); ++at) {
    parent = &child(*parent, keys[at], index_of(keys[at + 1]).has_value());
  }
  place(*parent, keys.back(), std::move(leaf));
}

void NestedTree::place(NestedValue& parent, std::string_view key, NestedValue leaf) {
  if (auto* vec = parent.get<NestedValue::Vec>()) {
    NestedValue& slot = element(*vec, key);
    if (slot.get<std::monostate>() == nullptr) {
      refuse("is where something else is");
    }
    slot = std::move(leaf);
    return;
  }
  auto* map = parent.get<NestedMap>();
  if (map == nullptr || is_leaf_(*map) || map->find(key) != nullptr) {
    refuse("is where something else is");
  }
  map->insert(key, std::move(leaf));
}

NestedValue& NestedTree::child(NestedValue& parent, std::string_view key, bool of_vector) {
  NestedValue next;
  if (of_vector) {
    next.content = NestedValue::Vec();
  } else {
    next.content = NestedMap();
  }
  if (auto* vec = parent.get<NestedValue::Vec>()) {
    NestedValue& found = element(*vec, key);
    if (found.get<std::monostate>() != nullptr) {
      found = std::move(next);
    }
    return found;
  }
  auto* map = parent.get<NestedMap>();
  if (map == nullptr || is_leaf_(*map)) {
    refuse("goes through another tensor");
  }
  NestedValue* found = map->find(key);
  return found != nullptr ? *found : map->insert(key, std::move(next));
}

NestedValue& NestedTree::element(NestedValue::Vec& vec, std::string_view key) {
  const auto index = index_of(key);
  if (!index) {
    refuse(fmt::format("has '{}' where others have an index", printable(std::string(key))));
  }
  if (*index >= vec.size()) {
    const std::uint64_t more = *index - vec.size() + 1;
    if (more > slots_left_) {
      refuse(fmt::format("has the index {}, far beyond the others", *index));
    }
    slots_left_ -= more;
    for (std::uint64_t slot = 0; slot < more; ++slot) {
      vec.push({});
    }
  }
  return vec[*index];
}

void NestedTree::take_leaves(const Visitor& visit) {
  std::string path;
  take(root_, path, visit);
}

void NestedTree::take(NestedValue& value, std::string& path, const Visitor& visit) {
  const std::size_t length = path.size();
  const auto take_child = [&](std::string_view key, NestedValue& child) {
    path.append(".").append(key);
    take(child, path, visit);
    path.resize(length);
  };
  if (auto* map = value.get<NestedMap>()) {
    if (is_leaf_(*map)) {
      return visit(path.substr(1), std::move(value));
    }
    for (NestedEntry& entry : map->entries()) {
      take_child(view(entry.key), entry.value);
    }
  } else if (auto* vec = value.get<NestedValue::Vec>()) {
    for (std::size_t index = 0; index < vec->size(); ++index) {
      take_child(fmt::format("{}", index), (*vec)[index]);
    }
  }
}

void NestedTree::refuse(const std::string& what) const {
  throw BadInput(source_, fmt::format("the tensor name '{}' {}", printable(*name_), what));
}

}  // namespace tidemark::loaders::burn
