#include "tests/reference_loaders/ggml/tiny_model.hpp"

#include "reference_loaders/ggml/model_reader.hpp"
#include "tests/reference_loaders/model_files.hpp"

#include <cstring>
#include <span>

namespace tidemark::loaders::test {
namespace {

std::string i32(std::int32_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// In name order, as the converter writes them; float16 is type 1.
std::string tensors() {
  return record("model/h0/attn/c_attn/b", 0, {6},
                "0000803f 00000040 00004040 00008040 0000a040 0000c040") +
         record("model/h0/attn/c_attn/w", 1, {2, 6},
                "003c 0040 0042 0044 0045 0046 003c 0040 0042 0044 0045 0046") +
         record("model/h0/attn/c_proj/b", 0, {2}, "0000803f 00000040") +
         record("model/h0/attn/c_proj/w", 1, {2, 2}, "003c 0040 0042 0044") +
         record("model/h0/ln_1/b", 0, {2}, "00000000 0000003f") +
         record("model/h0/ln_1/g", 0, {2}, "0000803f 0000803f") +
         record("model/h0/ln_2/b", 0, {2}, "00000000 0000003f") +
         record("model/h0/ln_2/g", 0, {2}, "0000803f 0000803f") +
         record("model/h0/mlp/c_fc/b", 0, {8},
                "0000803f 00000040 00004040 00008040 0000803f 00000040 00004040 00008040") +
         record("model/h0/mlp/c_fc/w", 1, {2, 8},
                "003c 0040 0042 0044 003c 0040 0042 0044 003c 0040 0042 0044 003c 0040 0042 0044") +
         record("model/h0/mlp/c_proj/b", 0, {2}, "0000803f 00000040") +
         record("model/h0/mlp/c_proj/w", 1, {8, 2},
                "003c 0040 0042 0044 003c 0040 0042 0044 003c 0040 0042 0044 003c 0040 0042 0044") +
         record("model/ln_f/b", 0, {2}, "00000000 0000003f") +
         record("model/ln_f/g", 0, {2}, "0000803f 0000803f") +
         record("model/wpe", 0, {2, 1}, "0000803e 0000003f") +
         record("model/wte", 1, {2, 2}, "003c 0040 00bc 00c0");
}

}  // namespace

std::string record(const std::string& name,
                   std::int32_t type,
                   const std::vector<std::int32_t>& extents,
                   const std::string& payload) {
  std::string bytes = i32(static_cast<std::int32_t>(extents.size())) +
                      i32(static_cast<std::int32_t>(name.size())) + i32(type);
  for (const std::int32_t extent : extents) {
    bytes += i32(extent);
  }
  return bytes + name + from_hex(payload);
}

std::string tiny_model_file() {
  static const std::string head = from_hex(R"(
      6c6d6767
      02000000 01000000 02000000 01000000 01000000 01000000
      02000000
      01000000 61
      02000000 6263)");
  return head + tensors();
}

std::string tiny_model_file_with_head() {
  return tiny_model_file() + record("model/lm_head", 1, {2, 2}, "0040 003c 0040 003c");
}

std::string with_i32(std::string bytes, std::size_t offset, std::int32_t value) {
  return bytes.replace(offset, sizeof value, i32(value));
}

ggml::LoadedModelFile read_model_from(const std::string& bytes, ggml::KeyValuesAre where) {
  ggml::MemoryInput stream(std::as_bytes(std::span(bytes)));
  return ggml::read_model(stream, "model.bin", where);
}

}  // namespace tidemark::loaders::test
