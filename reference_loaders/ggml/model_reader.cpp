#include "reference_loaders/ggml/model_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/ggml/graph.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <utility>

namespace tidemark::loaders::ggml {
namespace {

/// A graph has 48 nodes a layer and 9 around them, and ggml's graphs have room for 4096.
constexpr std::int32_t kMaxLayers = (kMaxNodes - 9) / 48;
/// Far beyond any GPT-2, and small enough that no product of two overflows.
constexpr std::int32_t kMaxRows = 1 << 24;
constexpr std::int32_t kMaxColumns = 1 << 20;
constexpr std::uint64_t kMaxKeyValuesPerFileByte = 16;

class ModelReader {
 public:
  ModelReader(InputStream& stream, const std::string& source) : stream_(stream), source_(source) {}

  LoadedModelFile read(KeyValuesAre where);

 private:
  Hyperparameters read_sizes();
  std::int32_t read_size(const char* name, std::int32_t most);
  Vocabulary read_vocabulary(std::int32_t n_vocab);
  void require_room_for_tensors(const Hyperparameters& sizes);
  void read_tensors(const TensorSet& tensors);
  WeightSpec read_record_head();
  std::string read_name(std::int32_t length);

  template <typename T>
  T read_value();
  void read_bytes(void* data, std::uint64_t size);

  /// Refuses the file because of the field read last, or of `offset`.
  [[noreturn]] void refuse(const std::string& what) const { refuse_at(field_offset_, what); }
  [[noreturn]] void refuse_at(std::uint64_t offset, const std::string& what) const;

  InputStream& stream_;
  const std::string& source_;
  std::string part_ = "the header";           ///< What is being read, for messages.
  std::uint64_t field_offset_ = 0;            ///< Where the field read last begins.
  std::map<std::string, WeightSpec> wanted_;  ///< Those not read yet.
};

LoadedModelFile ModelReader::read(KeyValuesAre where) {
  if (const auto magic = read_value<std::uint32_t>(); magic != kMagic) {
    refuse(fmt::format("not a ggml model: the magic number is {:#010x} instead of {:#010x}", magic,
                       kMagic));
  }
  const Hyperparameters sizes = read_sizes();
  Vocabulary vocabulary = read_vocabulary(sizes.n_vocab);
  require_room_for_tensors(sizes);

  LoadedModelFile model{sizes, std::move(vocabulary), TensorSet(model_specs(sizes, where))};
  for (WeightSpec& spec : model_specs(sizes, KeyValuesAre::kSeparate)) {
    wanted_.emplace(spec.name, spec);
  }
  read_tensors(model.tensors);
  model.has_head = wanted_.erase(kHead) == 0;
  if (!wanted_.empty()) {
    refuse_at(stream_.position(),
              fmt::format("the file ends without the tensor '{}'", wanted_.begin()->first));
  }
  return model;
}

Hyperparameters ModelReader::read_sizes() {
  Hyperparameters sizes;
  sizes.n_vocab = read_size("n_vocab", kMaxRows);
  sizes.n_ctx = read_size("n_ctx", kMaxRows);
  sizes.n_embd = read_size("n_embd", kMaxColumns);
  sizes.n_head = read_size("n_head", sizes.n_embd);
  if (sizes.n_embd % sizes.n_head != 0) {
    refuse(fmt::format("n_embd = {} cannot be shared by {} heads", sizes.n_embd, sizes.n_head));
  }
  sizes.n_layer = read_size("n_layer", kMaxLayers);
  const auto ftype = read_value<std::int32_t>();
  sizes.ftype = ftype % kQuantisationVersionFactor;
  if (ftype < 0 || sizes.ftype > 1) {
    refuse(fmt::format("ftype {} is not supported, only 0 (float32) and 1 (float16)", ftype));
  }
  return sizes;
}

std::int32_t ModelReader::read_size(const char* name, std::int32_t most) {
  const auto size = read_value<std::int32_t>();
  if (size < 1 || size > most) {
    refuse(fmt::format("{} = {} is not between 1 and {}", name, size, most));
  }
  return size;
}

Vocabulary ModelReader::read_vocabulary(std::int32_t n_vocab) {
  part_ = "the vocabulary";
  if (const auto count = read_value<std::int32_t>(); count != n_vocab) {
    refuse(fmt::format("the vocabulary has {} words, but n_vocab is {}", count, n_vocab));
  }
  const auto words = static_cast<std::uint64_t>(n_vocab);
  if (words > stream_.remaining() / sizeof(std::uint32_t)) {
    refuse(fmt::format("{} words do not fit into the {} bytes left", words, stream_.remaining()));
  }
  Vocabulary vocabulary;
  vocabulary.reserve(words);
  std::string word;
  for (std::uint64_t i = 0; i < words; ++i) {
    const auto length = read_value<std::uint32_t>();
    if (length > stream_.remaining()) {
      refuse(fmt::format("a word of {} bytes does not fit into the {} bytes left", length,
                         stream_.remaining()));
    }
    word.resize(length);
    read_bytes(word.data(), length);
    vocabulary.add(word);
  }
  return vocabulary;
}

void ModelReader::require_room_for_tensors(const Hyperparameters& sizes) {
  std::uint64_t needed = 0;
  for (const WeightSpec& spec : weight_specs(sizes)) {
    needed += record_head_bytes(spec) + spec.bytes();
  }
  if (needed > stream_.remaining()) {
    refuse_at(stream_.position(), fmt::format("the model's tensors need {} bytes, but the file "
                                              "ends after {}",
                                              needed, stream_.remaining()));
  }
  const std::uint64_t key_values = 2 * key_value_spec(sizes, "").bytes();
  const std::uint64_t file_bytes = stream_.position() + stream_.remaining();
  if (key_values / kMaxKeyValuesPerFileByte > file_bytes) {
    refuse_at(stream_.position(),
              fmt::format("the model's KV memory would have {} bytes, more than {} times the file",
                          key_values, kMaxKeyValuesPerFileByte));
  }
}

void ModelReader::read_tensors(const TensorSet& tensors) {
  while (stream_.remaining() > 0) {
    part_ = "a tensor";
    const WeightSpec spec = read_record_head();
    read_bytes(tensors.at(spec.name)->data<void>(), spec.bytes());
    wanted_.erase(spec.name);
  }
}

WeightSpec ModelReader::read_record_head() {
  const std::uint64_t begin = stream_.position();
  const auto n_dims = read_value<std::int32_t>();
  if (n_dims != 1 && n_dims != 2) {
    refuse(fmt::format("a tensor has {} dimensions instead of 1 or 2", n_dims));
  }
  const auto name_length = read_value<std::int32_t>();
  const std::uint64_t length_offset = field_offset_;
  const auto type = read_value<std::int32_t>();
  std::vector<std::int64_t> extents(static_cast<std::size_t>(n_dims));
  for (std::int64_t& extent : extents) {
    extent = read_value<std::int32_t>();
  }
  if (name_length < 0 || static_cast<std::uint64_t>(name_length) > stream_.remaining()) {
    refuse_at(length_offset, fmt::format("a name of {} bytes does not fit into the {} bytes left",
                                         name_length, stream_.remaining()));
  }
  const std::string name = read_name(name_length);
  part_ = fmt::format("tensor '{}'", printable(name));

  const auto found = wanted_.find(name);
  if (found == wanted_.end()) {
    refuse_at(begin, fmt::format("{} is not of this model, or appears twice", part_));
  }
  const WeightSpec& spec = found->second;
  if (type != static_cast<std::int32_t>(spec.type) || extents != spec.extents) {
    refuse_at(begin,
              fmt::format("{} has type {} and extents [{}] instead of type {} and [{}]", part_,
                          type, fmt::join(extents, ", "), static_cast<std::int32_t>(spec.type),
                          fmt::join(spec.extents, ", ")));
  }
  return spec;
}

std::string ModelReader::read_name(std::int32_t length) {
  std::string name(static_cast<std::size_t>(length), '\0');
  read_bytes(name.data(), name.size());
  return name;
}

template <typename T>
T ModelReader::read_value() {
  T value{};
  read_bytes(&value, sizeof value);
  return value;
}

void ModelReader::read_bytes(void* data, std::uint64_t size) {
  field_offset_ = stream_.position();
  if (stream_.read(data, size) != size) {
    refuse_at(stream_.position(), fmt::format("the file ends in the middle of {}", part_));
  }
}

void ModelReader::refuse_at(std::uint64_t offset, const std::string& what) const {
  throw BadInput(source_, offset, what);
}

}  // namespace

LoadedModelFile read_model(InputStream& stream, const std::string& source, KeyValuesAre where) {
  return ModelReader(stream, source).read(where);
}

void tie_head(const TensorSet& tensors) {
  const Tensor& embedding = *tensors.at(kTokenEmbedding);
  std::memcpy(tensors.at(kHead)->data<void>(), embedding.data<void>(), embedding.bytes());
}

}  // namespace tidemark::loaders::ggml
