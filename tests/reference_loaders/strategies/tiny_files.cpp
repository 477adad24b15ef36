#include "tests/reference_loaders/strategies/tiny_files.hpp"

#include "reference_loaders/strategies/read_index.hpp"
#include "reference_loaders/strategies/weights_file.hpp"
#include "tests/reference_loaders/model_files.hpp"

#include <span>

namespace tidemark::loaders::test {

std::string tiny_gguf() {
  static const std::string bytes = from_hex(R"(
      47475546 03000000 0200000000000000 0200000000000000
      0100000000000000 6b  08000000  0100000000000000 76
      0100000000000000 6e  09000000  00000000 0200000000000000 07 08

      0100000000000000 61  01000000  0200000000000000                  00000000 0000000000000000
      0100000000000000 62  02000000  2000000000000000 0100000000000000 08000000 2000000000000000
      00000000000000000000000000

      0000803f 000000c0  000000000000000000000000000000000000000000000000
      003c 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
      000000000000000000000000000000000000000000000000000000000000)");
  return bytes;
}

std::string tiny_safetensors() {
  return safetensors_file(R"({"__metadata__":{"k":"version"},)"
                          R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                          R"("b":{"dtype":"BF16","shape":[1,3],"data_offsets":[8,14]}}  )",
                          from_hex("0000803f 000000c0  803f 0040 4040"));
}

std::string safetensors_file(const std::string& json, const std::string& data) {
  return test::with_u64(std::string(8, '\0'), 0, json.size()) + json + data;
}

strategies::WeightsIndex index_of(const std::string& file) {
  strategies::MemorySource source(std::as_bytes(std::span(file)));
  return strategies::read_index(source, "model");
}

}  // namespace tidemark::loaders::test
