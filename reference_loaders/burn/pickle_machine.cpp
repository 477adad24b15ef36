#include "reference_loaders/burn/pickle_machine.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace tidemark::loaders::burn::pickle {
namespace {

/// Python's pickler has at most a batch of keys and values on the stack, and a few levels more.
constexpr std::size_t kMaxStackHeight = 4 * kBatch;

/// A state_dict takes more than ten bytes for each object that it makes. Without a limit a pickle
/// of empty tuples would take two hundred times its size in memory.
constexpr std::size_t kFreeObjects = 1000;
constexpr std::size_t kMinObjectBytes = 4;

/// No layer has weights of more dimensions, and a storage's key is a number.
constexpr std::size_t kMaxDimensions = 16;
constexpr std::size_t kMaxKeyBytes = 32;

}  // namespace

Value Machine::run() {
  if (bytes_.size() < 2 || static_cast<Opcode>(bytes_[0]) != Opcode::kProto ||
      static_cast<std::uint8_t>(bytes_[1]) != kProtocol) {
    refuse(fmt::format("not a pickle of protocol {}", kProtocol));
  }
  at_ = 2;
  for (;;) {
    opcode_ = at_;
    const auto opcode = static_cast<Opcode>(argument<std::uint8_t>());
    if (opcode == Opcode::kStop) {
      break;
    }
    step(opcode);
  }
  if (stack_.size() != 1 || !marks_.empty()) {
    refuse(fmt::format("{} values are left at the end of the pickle, not 1", stack_.size()));
  }
  if (at_ != bytes_.size()) {
    refuse(fmt::format("{} bytes follow the end of the pickle", bytes_.size() - at_));
  }
  return stack_.back();
}

void Machine::refuse(const std::string& what) const {
  throw BadInput(source_, offset_ + opcode_, "pickle: " + what);
}

void Machine::step(Opcode opcode) {
  switch (opcode) {
    case Opcode::kMark:
      if (marks_.size() >= kMaxStackHeight) {
        refuse("too many marks");
      }
      return marks_.push_back(stack_.size());
    case Opcode::kNone:
      return push(None{});
    case Opcode::kNewTrue:
      return push(true);
    case Opcode::kNewFalse:
      return push(false);
    case Opcode::kBinInt:
      return push(std::int64_t{argument<std::int32_t>()});
    case Opcode::kBinInt1:
      return push(std::int64_t{argument<std::uint8_t>()});
    case Opcode::kBinInt2:
      return push(std::int64_t{argument<std::uint16_t>()});
    case Opcode::kLong1:
      return push_long();
    case Opcode::kBinUnicode:
      return push_object({std::string(take(argument<std::uint32_t>()))});
    case Opcode::kEmptyTuple:
      return push_object({Tuple{}});
    case Opcode::kEmptyList:
      return push_object({List{}});
    case Opcode::kEmptyDict:
      return push_object({Dict{}});
    case Opcode::kTuple:
      return make_tuple(pop_mark());
    case Opcode::kTuple1:
    case Opcode::kTuple2:
    case Opcode::kTuple3: {
      const auto items =
          static_cast<std::size_t>(opcode) - static_cast<std::size_t>(Opcode::kTuple1) + 1;
      if (stack_.size() < items) {
        refuse("a value is missing on the stack");
      }
      return make_tuple(stack_.size() - items);
    }
    case Opcode::kAppend:
      return append_items(stack_.size() - 1);
    case Opcode::kAppends:
      return append_items(pop_mark());
    case Opcode::kSetItem:
      return set_items(stack_.size() - 2);
    case Opcode::kSetItems:
      return set_items(pop_mark());
    case Opcode::kGlobal:
      return push_global();
    case Opcode::kBinPersId:
      return push_persistent();
    case Opcode::kReduce:
      return reduce();
    case Opcode::kBuild:
      return build();
    case Opcode::kBinPut:
      return put(argument<std::uint8_t>());
    case Opcode::kLongBinPut:
      return put(argument<std::uint32_t>());
    case Opcode::kBinGet:
      return get(argument<std::uint8_t>());
    case Opcode::kLongBinGet:
      return get(argument<std::uint32_t>());
    default:
      refuse(fmt::format("opcode 0x{:02x} is not needed for a state_dict",
                         static_cast<std::uint8_t>(opcode)));
  }
}

void Machine::reduce() {
  const Value arguments = pop();
  const Callable callable = as<Callable>(pop(), "a function that a state_dict calls");
  const auto& tuple = as<Tuple>(arguments, "a tuple of arguments");
  push(callable == Callable::kOrderedDict ? make_ordered_dict(tuple) : make_tensor(tuple));
}

Object* Machine::make_ordered_dict(const Tuple& arguments) {
  if (!arguments.items.empty()) {
    refuse("an OrderedDict is made with arguments");
  }
  return make({Dict{}});
}

/// torch._utils._rebuild_tensor_v2(storage, offset, size, stride, requires_grad, backward_hooks)
Object* Machine::make_tensor(const Tuple& arguments) {
  if (arguments.items.size() != 6) {
    refuse(fmt::format("a tensor is made of {} arguments, not 6", arguments.items.size()));
  }
  const auto& storage = as<Storage>(arguments.items[0], "a storage");
  StoredTensor tensor{.dtype = storage.dtype,
                      .storage = storage.key,
                      .storage_elements = storage.elements,
                      .shape = numbers(arguments.items[2], "a shape"),
                      .stride = numbers(arguments.items[3], "strides")};
  const std::int64_t offset = as_int(arguments.items[1], "an offset");
  if (offset < 0 || tensor.shape.size() != tensor.stride.size()) {
    refuse(fmt::format("a tensor at offset {} with {} dimensions and {} strides", offset,
                       tensor.shape.size(), tensor.stride.size()));
  }
  tensor.offset = static_cast<std::uint64_t>(offset);
  return make({std::move(tensor)});
}

std::vector<std::int64_t> Machine::numbers(Value tuple, const char* what) const {
  const auto& items = as<Tuple>(tuple, what).items;
  if (items.size() > kMaxDimensions) {
    refuse(fmt::format("{} of {} dimensions", what, items.size()));
  }
  std::vector<std::int64_t> result;
  result.reserve(items.size());
  for (const Value item : items) {
    result.push_back(as_int(item, what));
  }
  return result;
}

/// The state of a dict holds its attributes, of which only `_metadata` occurs. No loader needs it.
void Machine::build() {
  static_cast<void>(as<Dict>(pop(), "a dict of attributes"));
  static_cast<void>(top<Dict>(0, "the dict that they belong to"));
}

void Machine::make_tuple(std::size_t begin) {
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(begin);
  Tuple tuple{{first, stack_.end()}};
  stack_.erase(first, stack_.end());
  push_object({std::move(tuple)});
}

void Machine::append_items(std::size_t begin) {
  if (begin >= stack_.size() || begin == 0) {
    refuse("nothing to append to");
  }
  auto& list = top<List>(stack_.size() - begin, "the list to append to");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(begin);
  list.items.insert(list.items.end(), first, stack_.end());
  stack_.erase(first, stack_.end());
}

void Machine::set_items(std::size_t begin) {
  if (begin >= stack_.size() || begin == 0 || (stack_.size() - begin) % 2 != 0) {
    refuse("keys and values that do not pair");
  }
  auto& dict = top<Dict>(stack_.size() - begin, "the dict to put items into");
  for (std::size_t at = begin; at < stack_.size(); at += 2) {
    dict.items.emplace_back(stack_[at], stack_[at + 1]);
  }
  stack_.resize(begin);
}

void Machine::push_global() {
  const std::string_view module = take_line();
  const std::string_view name = take_line();
  if (module == "collections" && name == "OrderedDict") {
    return push_object({Callable::kOrderedDict});
  }
  if (module == "torch._utils" && name == "_rebuild_tensor_v2") {
    return push_object({Callable::kRebuildTensor});
  }
  if (module == "torch") {
    if (const auto dtype = dtype_with(&DtypeTraits::storage_class, name)) {
      return push_object({StorageClass{*dtype}});
    }
  }
  refuse(fmt::format("'{}.{}' is not needed for a state_dict", printable(std::string(module)),
                     printable(std::string(name))));
}

/// ('storage', storage class, key, location, elements)
void Machine::push_persistent() {
  const auto& id = as<Tuple>(pop(), "a persistent id").items;
  if (id.size() != 5 || as<std::string>(id[0], "the kind of a persistent id") != "storage") {
    refuse("a persistent id that is no storage");
  }
  const std::int64_t elements = as_int(id[4], "a number of elements");
  if (elements < 0) {
    refuse(fmt::format("a storage of {} elements", elements));
  }
  const auto& key = as<std::string>(id[2], "a storage key");
  if (key.size() > kMaxKeyBytes) {
    refuse(fmt::format("a storage key of {} bytes", key.size()));
  }
  push_object({Storage{.dtype = as<StorageClass>(id[1], "a storage class").dtype,
                       .key = key,
                       .elements = static_cast<std::uint64_t>(elements)}});
}

void Machine::push_long() {
  const std::string_view bytes = take(argument<std::uint8_t>());
  if (bytes.size() > sizeof(std::int64_t)) {
    refuse(fmt::format("a number of {} bytes", bytes.size()));
  }
  const bool negative = !bytes.empty() && (static_cast<std::uint8_t>(bytes.back()) & 0x80U) != 0;
  std::int64_t number = negative ? -1 : 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  push(number);
}

/// Python's pickler numbers what it keeps from 0 on, without gaps.
void Machine::put(std::size_t index) {
  if (stack_.empty() || index > memo_.size()) {
    refuse(fmt::format("number {} is put into the memo, which has {}", index, memo_.size()));
  }
  if (index == memo_.size()) {
    memo_.push_back(stack_.back());
  } else {
    memo_[index] = stack_.back();
  }
}

void Machine::get(std::size_t index) {
  if (index >= memo_.size()) {
    refuse(fmt::format("number {} is taken from the memo, which has {}", index, memo_.size()));
  }
  push(memo_[index]);
}

template <typename T>
T Machine::argument() {
  T value;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

std::string_view Machine::take(std::uint64_t bytes) {
  if (bytes > bytes_.size() - at_) {
    refuse(fmt::format("{} bytes are needed, but the pickle ends after {}", bytes,
                       bytes_.size() - at_));
  }
  const std::string_view taken = bytes_.substr(at_, bytes);
  at_ += bytes;
  return taken;
}

std::string_view Machine::take_line() {
  const std::size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) {
    refuse("a name without an end");
  }
  const std::string_view line = take(end - at_);
  ++at_;
  return line;
}

Object* Machine::make(Object object) {
  if (arena_.size() >= kFreeObjects + bytes_.size() / kMinObjectBytes) {
    refuse("more objects than a pickle of this size may make");
  }
  arena_.push_back(std::move(object));
  return &arena_.back();
}

void Machine::push(Value value) {
  if (stack_.size() >= kMaxStackHeight) {
    refuse(fmt::format("more than {} values on the stack", kMaxStackHeight));
  }
  stack_.push_back(value);
}

Value Machine::pop() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
    refuse("a value is missing on the stack");
  }
  const Value value = stack_.back();
  stack_.pop_back();
  return value;
}

std::size_t Machine::pop_mark() {
  if (marks_.empty() || marks_.back() > stack_.size()) {
    refuse("a mark is missing on the stack");
  }
  const std::size_t begin = marks_.back();
  marks_.pop_back();
  return begin;
}

template <typename T>
T& Machine::top(std::size_t below, const char* what) {
  if (stack_.size() <= below) {
    refuse(fmt::format("{} is missing on the stack", what));
  }
  return as<T>(stack_[stack_.size() - 1 - below], what);
}

template <typename T>
T& Machine::as(Value value, const char* what) const {
  auto* const* object = std::get_if<Object*>(&value);
  T* content = object != nullptr ? std::get_if<T>(&(*object)->content) : nullptr;
  if (content == nullptr) {
    refuse(fmt::format("{} is expected here", what));
  }
  return *content;
}

std::int64_t Machine::as_int(Value value, const char* what) const {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) {
    refuse(fmt::format("{} must be a number", what));
  }
  return *number;
}

}  // namespace tidemark::loaders::burn::pickle
