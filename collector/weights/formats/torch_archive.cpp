#include "collector/os/content/zip_directory.hpp"
#include "collector/os/file_bytes.hpp"
#include "collector/weights/formats/formats.hpp"
#include "collector/weights/formats/pickle.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace tidemark::weights {
namespace {

constexpr std::size_t kMaxArchiveDirectoryBytes = std::size_t{64} << 20U;
constexpr std::uint64_t kMaxPickleBytes = std::uint64_t{64} << 20U;

struct StorageType {
  std::string_view name;
  ElementType element;
};

constexpr std::array kStorageTypes{
    StorageType{"FloatStorage", {"f32", 4}},     StorageType{"HalfStorage", {"f16", 2}},
    StorageType{"BFloat16Storage", {"bf16", 2}}, StorageType{"DoubleStorage", {"f64", 8}},
    StorageType{"LongStorage", {"i64", 8}},      StorageType{"IntStorage", {"i32", 4}},
    StorageType{"ShortStorage", {"i16", 2}},     StorageType{"CharStorage", {"i8", 1}},
    StorageType{"ByteStorage", {"u8", 1}},       StorageType{"BoolStorage", {"bool", 1}}};

/// An entry of the archive.
struct Storage {
  std::uint64_t local_at = 0;  ///< Its local header.
  std::uint64_t bytes = 0;
};

/// Where the storages are, and the pickle.
struct Archive {
  std::map<std::string, Storage, std::less<>> storages;  ///< By key.
  std::uint64_t pickle_at = 0;
  std::uint64_t pickle_bytes = 0;
};

/// If a file has several archives, the last one alone is not read: the others' tensors would be
/// missing.
bool read_archive(const FileDescriptor& file, std::uint64_t size, Archive& archive) {
  bool begins_file = false;
  const ZipEnd end = visit_zip(file, size, kMaxArchiveDirectoryBytes, [&](const ZipEntry& entry) {
    begins_file = begins_file || entry.local_at == 0;
    const std::string_view name = entry.name;
    const std::size_t folder = name.rfind("data/");
    if (entry.is_packed) {
      return;
    }
    if (name == "data.pkl" || name.ends_with("/data.pkl")) {
      archive.pickle_at = zip_data_at(file, entry.local_at);
      archive.pickle_bytes = entry.bytes;
    } else if (folder == 0 || (folder != std::string_view::npos && name[folder - 1] == '/')) {
      archive.storages.emplace(name.substr(folder + 5), Storage{entry.local_at, entry.bytes});
    }
  });
  return end == ZipEnd::kWhole && begins_file && archive.pickle_at != 0 &&
         archive.pickle_bytes <= kMaxPickleBytes;
}

/// Goes through what the pickle made, from the outermost dictionary inwards.
class TensorWalk {
 public:
  TensorWalk(const FileDescriptor& file,
             const Archive& archive,
             const Pickle& pickle,
             TensorList& out)
      : file_(file),
        archive_(archive),
        values_(pickle.values),
        were_seen_(pickle.values.size()),
        out_(out) {}

  /// @return false where a tensor is not in the file.
  bool see(std::uint32_t number, const std::string& name, unsigned depth) {
    const PickleValue* value = at(number);
    if (value == nullptr || depth > kMaxDepth || were_seen_[number]) {
      return true;
    }
    were_seen_[number] = true;  // shared, or a circle
    switch (value->kind) {
      case PickleValue::Kind::kDict:
        return see_pairs(value->items, 0, name, depth);
      case PickleValue::Kind::kList:
        return see_items(*value, name, depth);
      case PickleValue::Kind::kCall:
        return see_call(*value, name, depth);
      default:
        return true;
    }
  }

 private:
  static constexpr unsigned kMaxDepth = 64;
  static constexpr std::size_t kMaxSizes = 64;

  [[nodiscard]] const PickleValue* at(std::uint32_t number) const {
    return number < values_.size() ? &values_[number] : nullptr;
  }
  [[nodiscard]] const PickleValue* item(const PickleValue& value, std::size_t i) const {
    return i < value.items.size() ? at(value.items[i]) : nullptr;
  }
  [[nodiscard]] std::string_view text_of(const PickleValue& value, std::size_t i) const {
    const PickleValue* found = item(value, i);
    return found != nullptr ? std::string_view(found->text) : std::string_view();
  }
  [[nodiscard]] std::uint64_t number_of(const PickleValue& value, std::size_t i) const {
    const PickleValue* found = item(value, i);
    return found != nullptr && found->number > 0 ? static_cast<std::uint64_t>(found->number) : 0;
  }

  /// A module keeps its parts in dictionaries whose names say nothing.
  static std::string joined(const std::string& name, std::string_view key) {
    if (key == "_modules" || key == "_parameters" || key == "_buffers" || key.empty()) {
      return name;
    }
    return name.empty() ? std::string(key) : name + '.' + std::string(key);
  }

  bool see_pairs(const std::vector<std::uint32_t>& items,
                 std::size_t first,
                 const std::string& name,
                 unsigned depth) {
    for (std::size_t i = first; i + 1 < items.size(); i += 2) {
      const PickleValue* key = at(items[i]);
      const std::string key_text = key == nullptr ? std::string()
                                   : key->kind == PickleValue::Kind::kNumber
                                       ? std::to_string(key->number)
                                       : key->text;
      if (!see(items[i + 1], joined(name, key_text), depth + 1)) {
        return false;
      }
    }
    return true;
  }
  bool see_items(const PickleValue& list, const std::string& name, unsigned depth) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (!see(list.items[i], joined(name, std::to_string(i)), depth + 1)) {
        return false;
      }
    }
    return true;
  }

  bool see_call(const PickleValue& call, const std::string& name, unsigned depth) {
    const std::string_view called = text_of(call, 0);
    const PickleValue* arguments = item(call, 1);
    if (called.starts_with("torch._utils _rebuild_tensor") && arguments != nullptr) {
      return add_tensor(*arguments, name);
    }
    if (called.starts_with("torch._utils _rebuild_parameter") && arguments != nullptr &&
        !arguments->items.empty()) {
      return see(arguments->items[0], name, depth + 1);
    }
    // Another object: an OrderedDict with its pairs, a module with its state.
    if (called == "collections OrderedDict") {
      return see_pairs(call.items, 2, name, depth);
    }
    for (std::size_t i = 1; i < call.items.size(); ++i) {
      if (!see(call.items[i], name, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  /// @param arguments (storage, offset, size, stride, ...), the storage as ("storage", type, key,
  /// device, elements).
  bool add_tensor(const PickleValue& arguments, const std::string& name) {
    const PickleValue* persistent = item(arguments, 0);
    const PickleValue* sizes = item(arguments, 2);
    const PickleValue* storage = persistent != nullptr ? item(*persistent, 0) : nullptr;
    if (storage == nullptr || sizes == nullptr || storage->items.size() < 3 ||
        sizes->items.size() > kMaxSizes) {
      return true;  // quantised, on no device ...
    }
    std::string_view type_name = text_of(*storage, 1);
    type_name.remove_prefix(std::min(type_name.rfind(' ') + 1, type_name.size()));
    const auto type = std::ranges::find(kStorageTypes, type_name, &StorageType::name);
    const auto place = archive_.storages.find(text_of(*storage, 2));
    if (type == kStorageTypes.end() || place == archive_.storages.end()) {
      return true;
    }
    std::vector<std::uint64_t> dimensions;
    for (std::size_t i = 0; i < sizes->items.size(); ++i) {
      dimensions.push_back(number_of(*sizes, i));
    }
    const std::uint64_t elements = element_count(dimensions);
    const std::uint64_t offset = number_of(arguments, 1);
    const std::uint64_t begin = offset * type->element.block_bytes;
    std::uint64_t bytes = 0;
    // A tensor that repeats elements by its strides has more of them than the storage.
    if (!bytes_of_elements(type->element, elements, bytes) || offset > place->second.bytes ||
        begin > place->second.bytes || bytes > place->second.bytes - begin) {
      return true;
    }
    const std::uint64_t data_at = zip_data_at(file_, place->second.local_at);
    if (data_at == 0) {
      return false;
    }
    return out_.add(name, type->element.word, dimensions, data_at + begin, bytes);
  }

  const FileDescriptor& file_;
  const Archive& archive_;
  const std::vector<PickleValue>& values_;
  std::vector<bool> were_seen_;
  TensorList& out_;
};

}  // namespace

bool read_torch_archive(const FileDescriptor& file, TensorList& out) {
  Archive archive;
  if (!read_archive(file, out.file_bytes(), archive)) {
    return false;
  }
  const Pickle pickle = read_pickle(
      bytes_of(file, archive.pickle_at, static_cast<std::size_t>(archive.pickle_bytes)));
  TensorWalk walk(file, archive, pickle, out);
  return pickle.is_whole && walk.see(pickle.result, "", 0);
}

}  // namespace tidemark::weights
