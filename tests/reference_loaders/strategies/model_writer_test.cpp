#include "reference_loaders/strategies/model_writer.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/strategies/llama_model.hpp"
#include "reference_loaders/strategies/loaders.hpp"
#include "reference_loaders/strategies/random_tensor.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/strategies/tiny_files.hpp"
#include "tests/support/catch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>

using namespace tidemark::loaders;
using namespace tidemark::loaders::strategies;

namespace {

/// CRC-32 as in zlib, which Python has.
std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
  }
  return ~crc;
}

/// What read_by_hand.py prints of a file.
std::string told(const Weights& weights) {
  std::string text;
  for (const MetadataEntry& entry : weights.index.metadata) {
    const std::string value = value_text(entry);
    text += fmt::format("{} = {:08x}\n", entry.key, crc32(std::as_bytes(std::span(value))));
  }
  for (std::size_t at = 0; at < weights.data.size(); ++at) {
    const TensorEntry& tensor = weights.index.tensors[at];
    text += fmt::format("{} {} [{}] {:08x}\n", tensor.name, tensor.type->name,
                        fmt::join(tensor.shape, ", "), crc32(weights.data[at]));
  }
  return text;
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "re"), pclose);
  REQUIRE(pipe);
  std::string text;
  std::array<char, 4096> buffer{};
  for (std::size_t count = 1; count > 0;) {
    count = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
    text.append(buffer.data(), count);
  }
  return text;
}

std::uint64_t weight_bytes_of(const WeightsIndex& model) {
  return std::accumulate(model.tensors.begin(), model.tensors.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const TensorEntry& tensor) {
                           return sum + tensor_bytes(tensor.shape, *tensor.type).value();
                         });
}

float from_bfloat16(const std::byte* bytes) {
  std::uint16_t half = 0;
  std::memcpy(&half, bytes, sizeof half);
  return std::bit_cast<float>(std::uint32_t{half} << 16);
}

}  // namespace

TEST_CASE("a reader that was written from the specifications alone reads both formats alike",
          "[strategies]") {
  if (std::system("python3 -c pass") != 0) {
    SKIP_TEST("no python3 here");
    return;
  }
  const test::TemporaryFolder directory;
  const Format format = GENERATE(Format::kGguf, Format::kSafetensors);
  const auto file = directory.file("model");
  write_model(format, file, 400'000, 7);

  const std::string by_hand = output_of("python3 " TIDEMARK_READ_BY_HAND " " + file);

  CHECK(by_hand == told(load_stream(file)));
  CHECK_THAT(by_hand, Catch::Contains("blk.0.attn_q.weight bfloat16 [32, 32] "));
}

TEST_CASE("a Llama's tensors add up to the size asked for, to the byte", "[strategies]") {
  const std::uint64_t bytes = GENERATE(std::uint64_t{40'000}, 1'000'000, 123'456'788, 67'108'864,
                                       536'870'912, 2'000'000'000, 15'000'000'000);
  CAPTURE(bytes);

  const WeightsIndex model = llama_model(bytes);

  CHECK(weight_bytes_of(model) == bytes);
  CHECK(std::ranges::all_of(model.tensors, [](const TensorEntry& tensor) {
    return std::ranges::all_of(tensor.shape, [](std::int64_t extent) { return extent > 0; });
  }));
}

TEST_CASE("a model of 2.5 GB is as wide as Llama 3.2 with 1 billion weights", "[strategies]") {
  const WeightsIndex model = llama_model(2'500'000'000);
  const auto shape_of = [&](const std::string& name) {
    return std::ranges::find(model.tensors, name, &TensorEntry::name)->shape;
  };
  using Shape = std::vector<std::int64_t>;

  CHECK(shape_of("blk.0.attn_q.weight") == Shape{2048, 2048});
  CHECK(shape_of("blk.0.attn_k.weight") == Shape{512, 2048});
  CHECK(shape_of("blk.0.ffn_down.weight") == Shape{2048, 8192});
  CHECK(shape_of("blk.16.ffn_norm.weight") == Shape{2048});
  CHECK(shape_of("token_embd.weight")[0] > 90'000);
}

TEST_CASE("a size that no Llama can have is refused", "[strategies]") {
  CHECK_THROWS_AS(llama_model(0), UsageError);
  CHECK_THROWS_AS(llama_model(34'000), UsageError);
  CHECK_THROWS_AS(llama_model(1'000'001), UsageError);
}

TEST_CASE("a made GGUF file says what Llama it is", "[strategies][gguf]") {
  WeightsIndex index = llama_model(536'870'912);
  const auto metadata = gguf_metadata(index);
  const auto text_of = [&](const std::string& key) {
    const auto found = std::ranges::find(metadata, key, &MetadataEntry::key);
    REQUIRE(found != metadata.end());
    return value_text(*found);
  };

  CHECK(text_of("general.architecture") == "llama");
  CHECK(text_of("llama.embedding_length") == "1024");
  CHECK(text_of("llama.feed_forward_length") == "4096");
  CHECK(text_of("llama.vocab_size") == std::to_string(index.tensors[0].shape[0]));
  CHECK_THAT(text_of("tokenizer.ggml.tokens"), Catch::StartsWith("[tok0, tok1, "));
}

TEST_CASE("random weights do not depend on the pieces in which they are made", "[strategies]") {
  std::vector<std::byte> whole(300'000);
  std::vector<std::byte> pieces(whole.size());
  RandomTensor(bfloat16(), 1, 2).fill(whole);
  RandomTensor random(bfloat16(), 1, 2);
  for (std::size_t at = 0; at < pieces.size(); at += 65'536) {
    random.fill(std::span(pieces).subspan(at, std::min<std::size_t>(65'536, pieces.size() - at)));
  }

  CHECK(pieces == whole);
}

TEST_CASE("a bfloat16 weight is the float32 weight, rounded", "[strategies]") {
  constexpr std::size_t kCount = 4096;
  std::vector<std::byte> halves(kCount * 2);
  std::vector<float> floats(kCount);
  RandomTensor(bfloat16(), 5, 0).fill(halves);
  RandomTensor(float32(), 5, 0).fill(std::as_writable_bytes(std::span(floats)));

  for (std::size_t at = 0; at < kCount; ++at) {
    // 8 bits of precision: half a unit in the last place is 2^-9 of the value.
    CHECK(std::abs(from_bfloat16(&halves[at * 2]) - floats[at]) <= std::abs(floats[at]) / 256);
  }
}

TEST_CASE("a model that cannot be written leaves nothing behind", "[strategies]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("missing/model");

  CHECK_THROWS_WITH(write_model(Format::kGguf, file, 1'000'000, 1),
                    Catch::Contains("cannot be written"));
  CHECK_FALSE(std::filesystem::exists(directory.file("missing")));
}

TEST_CASE("a made file only depends on its seed", "[strategies]") {
  const test::TemporaryFolder directory;
  const Format format = GENERATE(Format::kGguf, Format::kSafetensors);
  write_model(format, directory.file("one"), 1'000'000, 1);
  write_model(format, directory.file("same"), 1'000'000, 1);
  write_model(format, directory.file("other"), 1'000'000, 2);

  const std::string one = test::read_file(directory.file("one"));
  CHECK(one == test::read_file(directory.file("same")));
  CHECK(one != test::read_file(directory.file("other")));
  CHECK(one.size() == strategies::model_file_bytes(format, 1'000'000));
  CHECK_FALSE(std::filesystem::exists(directory.file("one.incomplete")));
}
