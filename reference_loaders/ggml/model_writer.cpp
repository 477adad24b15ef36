#include "reference_loaders/ggml/model_writer.hpp"

#include "reference_loaders/complete_file.hpp"
#include "reference_loaders/ggml/half.hpp"
#include "reference_loaders/random_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tidemark::loaders::ggml {
namespace {

constexpr std::size_t kChunk = std::size_t{64} * 1024;
static_assert(kChunk % RandomWeights::kLanes == 0, "chunks must join into one row");

void write_bytes(std::ostream& stream, const void* bytes, std::uint64_t count) {
  stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
}

template <typename T>
void write_value(std::ostream& stream, const T& value) {
  write_bytes(stream, &value, sizeof value);
}

void write_head(std::ostream& stream, const Hyperparameters& sizes) {
  write_value(stream, kMagic);
  write_value(stream, sizes);
  write_value(stream, sizes.n_vocab);
}

void write_word(std::ostream& stream, std::string_view word) {
  write_value(stream, static_cast<std::uint32_t>(word.size()));
  write_bytes(stream, word.data(), word.size());
}

void write_record_head(std::ostream& stream, const WeightSpec& spec) {
  write_value(stream, static_cast<std::int32_t>(spec.extents.size()));
  write_value(stream, static_cast<std::int32_t>(spec.name.size()));
  write_value(stream, static_cast<std::int32_t>(spec.type));
  for (const std::int64_t extent : spec.extents) {
    write_value(stream, static_cast<std::int32_t>(extent));
  }
  write_bytes(stream, spec.name.data(), spec.name.size());
}

std::string made_up_word(std::int32_t index) {
  return fmt::format("word{}", index);
}

void write_random_payload(std::ostream& stream, const WeightSpec& spec, RandomWeights weights) {
  const float centre = spec.name.ends_with("/g") ? 1.0F : 0.0F;
  std::vector<float> floats(kChunk);
  std::vector<std::uint16_t> halfs(spec.type == Type::kF16 ? kChunk : 0);
  for (std::uint64_t left = spec.bytes() / element_bytes(spec.type); left > 0;) {
    const std::size_t count = std::min<std::uint64_t>(left, kChunk);
    const std::span<float> piece(floats.data(), count);
    weights.fill(piece);
    for (float& weight : piece) {
      weight += centre;
    }
    if (spec.type == Type::kF16) {
      to_half(piece, {halfs.data(), count});
      write_bytes(stream, halfs.data(), count * sizeof halfs[0]);
    } else {
      write_bytes(stream, piece.data(), piece.size_bytes());
    }
    left -= count;
  }
}

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw std::system_error(errno, std::generic_category(), file.string() + ": cannot be written");
}

}  // namespace

void write_model(std::ostream& stream, const LoadedModelFile& model) {
  write_head(stream, model.sizes);
  for (std::size_t i = 0; i < model.vocabulary.size(); ++i) {
    write_word(stream, model.vocabulary.word(i));
  }
  std::vector<WeightSpec> specs = weight_specs(model.sizes);
  if (model.has_head) {
    specs.push_back(head_spec(model.sizes));
  }
  for (const WeightSpec& spec : specs) {
    write_record_head(stream, spec);
    write_bytes(stream, model.tensors.at(spec.name)->data<void>(), spec.bytes());
  }
}

void write_random_model(std::ostream& stream, const Hyperparameters& sizes, std::uint64_t seed) {
  write_head(stream, sizes);
  for (std::int32_t i = 0; i < sizes.n_vocab; ++i) {
    write_word(stream, made_up_word(i));
  }
  std::uint64_t index = 0;
  for (const WeightSpec& spec : weight_specs(sizes)) {
    write_record_head(stream, spec);
    write_random_payload(stream, spec, {seed, index++});
  }
}

void write_random_model_file(const std::filesystem::path& file,
                             const Hyperparameters& sizes,
                             std::uint64_t seed) {
  CompleteFile target(file);
  errno = 0;
  std::ofstream stream(target.incomplete(), std::ios::binary);
  if (!stream) {
    fail(file);
  }
  write_random_model(stream, sizes, seed);
  stream.close();
  if (!stream) {
    fail(file);
  }
  target.commit();
}

std::uint64_t random_model_file_bytes(const Hyperparameters& sizes) {
  std::uint64_t bytes = sizeof kMagic + sizeof sizes + sizeof sizes.n_vocab;
  for (std::int32_t i = 0; i < sizes.n_vocab; ++i) {
    bytes += sizeof(std::uint32_t) + made_up_word(i).size();
  }
  for (const WeightSpec& spec : weight_specs(sizes)) {
    bytes += record_head_bytes(spec) + spec.bytes();
  }
  return bytes;
}

}  // namespace tidemark::loaders::ggml
