/// The values that a pickle describes, as a tree. Nothing is imported or called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::weights {

/// A value. It refers to others by index into Pickle::values.
struct PickleValue {
  enum class Kind : std::uint8_t {
    kOther,       ///< None, a number with a point, bytes ...
    kNumber,      ///< `number`.
    kText,        ///< `text`.
    kGlobal,      ///< `text`: `module name`.
    kList,        ///< `items`: a list, tuple or set.
    kDict,        ///< `items`: keys and values alternately.
    kPersistent,  ///< `items`: one, the persistent id.
    kCall,        ///< `items`: the callable, its arguments, then the states set.
  };
  Kind kind = Kind::kOther;
  std::int64_t number = 0;
  std::string text{};
  std::vector<std::uint32_t> items{};
};

/// Protocols 2 to 5 (Python's Lib/pickletools.py). Bounded: some millions of values.
struct Pickle {
  std::vector<PickleValue> values;
  std::uint32_t result = 0;
  bool is_whole = false;  ///< Read to the end: `result` is valid.
};

Pickle read_pickle(std::string_view bytes);

}  // namespace tidemark::weights
