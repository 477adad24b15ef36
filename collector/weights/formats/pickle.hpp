/// What a pickle would make, as a tree, without making it: nothing is imported or called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::weights {

/// A value. Others are told by their number in Pickle::values.
struct PickleValue {
  enum class Kind : std::uint8_t {
    kOther,       ///< None, a number with a point, bytes ...
    kNumber,      ///< `number`.
    kText,        ///< `text`.
    kGlobal,      ///< `text`: `module name`.
    kList,        ///< `items`: a list, tuple or set.
    kDict,        ///< `items`: keys and values in turns.
    kPersistent,  ///< `items`: one, what the pickler's owner wrote in its place.
    kCall,        ///< `items`: what is called, its arguments, and then states that were set.
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
  bool is_whole = false;  ///< It came to its end, and `result` is what it made.
};

Pickle read_pickle(std::string_view bytes);

}  // namespace tidemark::weights
