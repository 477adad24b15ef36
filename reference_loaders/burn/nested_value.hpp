#pragma once

#include "reference_loaders/burn/growing_vec.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace tidemark::loaders::burn {

struct NestedValue;
struct NestedEntry;

/// Rust's `String`, as far as needed here: its bytes may be moved by memcpy, unlike those of
/// libstdc++'s string.
using NestedString = GrowingVec<char>;

/// Stands in for Rust's `HashMap<String, NestedValue>`: 48 bytes, 80 for an entry, as there. Unlike
/// it, this one keeps the order of insertion, so that every run of a loader takes the same memory.
class NestedMap {
 public:
  /// The value of `key`, or null.
  [[nodiscard]] NestedValue* find(std::string_view key);

  /// The value of a key that is not there yet. Other values may move. @throws std::bad_alloc
  NestedValue& insert(std::string_view key, NestedValue value);

  [[nodiscard]] GrowingVec<NestedEntry>& entries() { return entries_; }

 private:
  [[nodiscard]] std::size_t slot_of(std::string_view key) const;
  void rebuild_index();

  GrowingVec<NestedEntry> entries_;
  /// Hash table of positions in `entries_` plus 1; empty while there are few.
  GrowingVec<std::uint32_t> index_;
};

/// burn's enum of the same name (burn-core, record/serde/data.rs): anything that a record is made
/// of.
///
/// The size is the point of the published case. The largest alternative is the map with 48 bytes,
/// the tag takes 8 more, and so a model of four-byte floats took fourteen times its size, one of
/// these for every float.
struct NestedValue {
  using Vec = GrowingVec<NestedValue>;
  using U8s = GrowingVec<std::uint8_t>;    ///< Added by pull request 1944.
  using U16s = GrowingVec<std::uint16_t>;  ///< Both added by pull request 1751.
  using F32s = GrowingVec<float>;

  std::variant<std::monostate,
               NestedString,
               std::uint8_t,
               std::uint16_t,
               std::int32_t,
               std::int64_t,
               std::uint64_t,
               float,
               double,
               NestedMap,
               Vec,
               U8s,
               U16s,
               F32s>
      content;

  /// The content when it is a T, or null.
  template <typename T>
  [[nodiscard]] T* get() {
    return std::get_if<T>(&content);
  }
};
static_assert(sizeof(NestedMap) == 48 && sizeof(NestedValue) == 56,
              "the sizes that burn's types have on 64-bit machines");

struct NestedEntry {
  NestedString key;
  NestedValue value;
};
static_assert(sizeof(NestedEntry) == 80, "as a bucket of Rust's HashMap");

NestedString nested_string(std::string_view text);
inline std::string_view view(const NestedString& text) {
  return {text.begin(), text.size()};
}

}  // namespace tidemark::loaders::burn
