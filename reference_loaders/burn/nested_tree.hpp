#pragma once

#include "reference_loaders/burn/nested_value.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace tidemark::loaders::burn {

/// The tree that dotted names make: "layer1.0.conv1.weight" is in the map "layer1" a vector, in its
/// first element a map "conv1", in there "weight".
class NestedTree {
 public:
  /// Tells the maps that are leaves from those that hold others.
  using Predicate = bool (*)(NestedMap& map);
  using Visitor = std::function<void(const std::string& name, NestedValue leaf)>;

  /// @param source the file's name for messages; borrowed.
  /// @param leaves how many are going to be inserted: they bound the holes that indices may leave.
  NestedTree(const std::string& source, Predicate is_leaf, std::uint64_t leaves);

  /// @throws BadInput when the name goes through another leaf, or nests or skips too much
  void insert(const std::string& name, NestedValue leaf);

  /// Takes the tree apart: gives every leaf away, with its name. Maps are walked in the order of
  /// insertion, vectors in that of their indices.
  void take_leaves(const Visitor& visit);

 private:
  NestedValue& child(NestedValue& parent, std::string_view key, bool of_vector);
  void place(NestedValue& parent, std::string_view key, NestedValue leaf);
  NestedValue& element(NestedValue::Vec& vec, std::string_view key);
  /// `path`: a dot and a key for each level above.
  void take(NestedValue& value, std::string& path, const Visitor& visit);
  [[noreturn]] void refuse(const std::string& what) const;

  const std::string& source_;
  Predicate is_leaf_;
  const std::string* name_ = nullptr;  ///< The name of the leaf that is being inserted.
  std::uint64_t slots_left_;
  NestedValue root_;
};

}  // namespace tidemark::loaders::burn
