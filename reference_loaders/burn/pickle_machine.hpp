#pragma once

#include "reference_loaders/burn/pickle_format.hpp"
#include "reference_loaders/burn/state_dict.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The stack machine that unpickling is. `read_state_dict` is what others call.
namespace tidemark::loaders::burn::pickle {

struct Object;

struct None {};

/// A value on the stack: small, and never the owner of anything.
using Value = std::variant<None, bool, std::int64_t, Object*>;

struct Tuple {
  std::vector<Value> items;
};
struct List {
  std::vector<Value> items;
};
/// A dict or an OrderedDict: pairs in the order of insertion.
struct Dict {
  std::vector<std::pair<Value, Value>> items;
};
enum class Callable : std::uint8_t { kOrderedDict, kRebuildTensor };
struct StorageClass {
  Dtype dtype;
};
struct Storage {
  Dtype dtype;
  std::string key;
  std::uint64_t elements;
};

/// What the arena holds.
struct Object {
  std::variant<std::string, Tuple, List, Dict, Callable, StorageClass, Storage, StoredTensor>
      content;
};

class Machine {
 public:
  /// All are borrowed. `offset`: of `bytes` in the file `source`, for messages.
  Machine(std::string_view bytes, const std::string& source, std::uint64_t offset)
      : bytes_(bytes), source_(source), offset_(offset) {}

  /// @return the one value that is left at STOP; borrowed from the machine. @throws BadInput
  Value run();

  /// Refuses the file because of the opcode run last.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  void step(Opcode opcode);
  void reduce();
  void build();
  void set_items(std::size_t begin);
  void append_items(std::size_t begin);
  void make_tuple(std::size_t begin);
  void push_global();
  void push_persistent();
  void push_long();
  void put(std::size_t index);
  void get(std::size_t index);

  Object* make_ordered_dict(const Tuple& arguments);
  Object* make_tensor(const Tuple& arguments);
  [[nodiscard]] std::vector<std::int64_t> numbers(Value tuple, const char* what) const;

  template <typename T>
  T argument();
  std::string_view take(std::uint64_t bytes);
  std::string_view take_line();

  Object* make(Object object);
  void push(Value value);
  void push_object(Object object) { push(make(std::move(object))); }
  Value pop();
  std::size_t pop_mark();
  /// The object of kind T below `below` other values on the stack.
  template <typename T>
  T& top(std::size_t below, const char* what);
  /// The content of `value`, refused when it is no T.
  template <typename T>
  [[nodiscard]] T& as(Value value, const char* what) const;
  [[nodiscard]] std::int64_t as_int(Value value, const char* what) const;

  std::string_view bytes_;
  const std::string& source_;
  std::uint64_t offset_;
  std::size_t at_ = 0;      ///< Offset of the next byte to read.
  std::size_t opcode_ = 0;  ///< Offset of the opcode that is executed.
  std::deque<Object> arena_;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;  ///< Heights of the stack.
  std::vector<Value> memo_;
};

}  // namespace tidemark::loaders::burn::pickle
