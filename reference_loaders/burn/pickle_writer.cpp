#include "reference_loaders/burn/pickle_writer.hpp"

#include "reference_loaders/burn/pickle_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

namespace tidemark::loaders::burn {
namespace {

using pickle::Opcode;

/// Emits what CPython's pickler does: everything that could be met again gets a number in the memo
/// when it is first written, and strings and classes that are met again are taken from there.
class Pickler {
 public:
  std::string write(const StateDict& tensors, const std::vector<ModuleSpec>& modules);

 private:
  void tensor(const StoredTensor& tensor);
  void persistent_id(const StoredTensor& tensor);
  void metadata(const std::vector<ModuleSpec>& modules);
  void empty_ordered_dict();
  void batches(std::size_t count, const std::function<void(std::size_t)>& item);

  void opcode(Opcode opcode) { out_ += static_cast<char>(opcode); }
  template <typename T>
  void value(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put();
  void number(std::int64_t number);
  void numbers(const std::vector<std::int64_t>& numbers);
  void known_string(const std::string& text) {
    once("s" + text, [&] { string(text); });
  }
  void string(const std::string& text);
  void global(const std::string& module, const std::string& name);
  void once(const std::string& key, const std::function<void()>& write_it);

  std::string out_;
  std::uint32_t memo_ = 0;
  std::map<std::string, std::uint32_t> known_;
};

std::string Pickler::write(const StateDict& tensors, const std::vector<ModuleSpec>& modules) {
  opcode(Opcode::kProto);
  value(pickle::kProtocol);
  empty_ordered_dict();
  batches(tensors.size(), [&](std::size_t index) {
    string(tensors[index].name);
    tensor(tensors[index]);
  });
  metadata(modules);
  opcode(Opcode::kBuild);
  opcode(Opcode::kStop);
  return out_;
}

void Pickler::tensor(const StoredTensor& tensor) {
  global("torch._utils", "_rebuild_tensor_v2");
  opcode(Opcode::kMark);
  persistent_id(tensor);
  number(static_cast<std::int64_t>(tensor.offset));
  numbers(tensor.shape);
  numbers(tensor.stride);
  opcode(Opcode::kNewFalse);  // requires_grad
  empty_ordered_dict();       // backward_hooks
  opcode(Opcode::kTuple);
  put();
  opcode(Opcode::kReduce);
  put();
}

void Pickler::persistent_id(const StoredTensor& tensor) {
  opcode(Opcode::kMark);
  known_string("storage");
  global("torch", std::string(traits(tensor.dtype).storage_class));
  string(tensor.storage);
  known_string("cpu");
  number(static_cast<std::int64_t>(tensor.storage_elements));
  opcode(Opcode::kTuple);
  put();
  opcode(Opcode::kBinPersId);
}

void Pickler::metadata(const std::vector<ModuleSpec>& modules) {
  opcode(Opcode::kEmptyDict);  // the attributes of the dict
  put();
  string("_metadata");
  empty_ordered_dict();
  batches(modules.size(), [&](std::size_t index) {
    string(modules[index].name);
    opcode(Opcode::kEmptyDict);
    put();
    known_string("version");
    number(modules[index].version);
    opcode(Opcode::kSetItem);
  });
  opcode(Opcode::kSetItem);
}

void Pickler::empty_ordered_dict() {
  global("collections", "OrderedDict");
  opcode(Opcode::kEmptyTuple);
  opcode(Opcode::kReduce);
  put();
}

void Pickler::batches(std::size_t count, const std::function<void(std::size_t)>& item) {
  for (std::size_t begin = 0; begin < count; begin += pickle::kBatch) {
    const std::size_t end = std::min(count, begin + pickle::kBatch);
    if (end - begin == 1) {
      item(begin);
      opcode(Opcode::kSetItem);
      continue;
    }
    opcode(Opcode::kMark);
    for (std::size_t index = begin; index < end; ++index) {
      item(index);
    }
    opcode(Opcode::kSetItems);
  }
}

void Pickler::put() {
  constexpr std::uint32_t kMaxShortIndex = 0xff;
  if (memo_ <= kMaxShortIndex) {
    opcode(Opcode::kBinPut);
    value(static_cast<std::uint8_t>(memo_));
  } else {
    opcode(Opcode::kLongBinPut);
    value(memo_);
  }
  ++memo_;
}

void Pickler::number(std::int64_t number) {
  if (number >= 0 && number <= std::numeric_limits<std::uint8_t>::max()) {
    opcode(Opcode::kBinInt1);
    value(static_cast<std::uint8_t>(number));
  } else if (number >= 0 && number <= std::numeric_limits<std::uint16_t>::max()) {
    opcode(Opcode::kBinInt2);
    value(static_cast<std::uint16_t>(number));
  } else if (number == static_cast<std::int32_t>(number)) {
    opcode(Opcode::kBinInt);
    value(static_cast<std::int32_t>(number));
  } else {
    // Python writes no more bytes than the number needs.
    std::uint8_t bytes = 5;
    while (bytes < 8 && (number >> (8 * bytes - 1)) != 0 && (number >> (8 * bytes - 1)) != -1) {
      ++bytes;
    }
    opcode(Opcode::kLong1);
    value(bytes);
    out_.append(reinterpret_cast<const char*>(&number), bytes);
  }
}

void Pickler::numbers(const std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) {
    opcode(Opcode::kEmptyTuple);
    return;  // the one empty tuple that Python has is never put into the memo
  }
  constexpr std::size_t kMaxShortItems = 3;
  const bool is_short = numbers.size() <= kMaxShortItems;
  if (!is_short) {
    opcode(Opcode::kMark);
  }
  for (const std::int64_t each : numbers) {
    number(each);
  }
  opcode(is_short
             ? static_cast<Opcode>(static_cast<std::size_t>(Opcode::kTuple1) + numbers.size() - 1)
             : Opcode::kTuple);
  put();
}

void Pickler::string(const std::string& text) {
  opcode(Opcode::kBinUnicode);
  value(static_cast<std::uint32_t>(text.size()));
  out_ += text;
  put();
}

void Pickler::global(const std::string& module, const std::string& name) {
  once("g" + module + "." + name, [&] {
    opcode(Opcode::kGlobal);
    out_ += module + "\n" + name + "\n";
    put();
  });
}

void Pickler::once(const std::string& key, const std::function<void()>& write_it) {
  const auto found = known_.find(key);
  if (found == known_.end()) {
    known_.emplace(key, memo_);
    write_it();
    return;
  }
  constexpr std::uint32_t kMaxShortIndex = 0xff;
  if (found->second <= kMaxShortIndex) {
    opcode(Opcode::kBinGet);
    value(static_cast<std::uint8_t>(found->second));
  } else {
    opcode(Opcode::kLongBinGet);
    value(found->second);
  }
}

}  // namespace

std::string state_dict_pickle(const StateDict& tensors, const std::vector<ModuleSpec>& modules) {
  return Pickler().write(tensors, modules);
}

StateDict state_dict_of(const ModelSpec& spec) {
  StateDict tensors;
  for (const TensorSpec& tensor : spec.tensors) {
    std::vector<std::int64_t> stride(tensor.shape.size());
    std::int64_t step = 1;
    for (std::size_t dimension = tensor.shape.size(); dimension-- > 0;) {
      stride[dimension] = step;
      step *= tensor.shape[dimension];
    }
    tensors.push_back({.name = tensor.name,
                       .dtype = tensor.dtype,
                       .storage = fmt::format("{}", tensors.size()),
                       .storage_elements = tensor.elements(),
                       .shape = tensor.shape,
                       .stride = std::move(stride)});
  }
  return tensors;
}

}  // namespace tidemark::loaders::burn
