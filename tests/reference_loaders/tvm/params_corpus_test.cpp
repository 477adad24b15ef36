// Each file of the fuzzer's corpus as an ordinary test: what it once found stays found without it.
#include "tests/reference_loaders/model_files.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <filesystem>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

TEST_CASE("the corpus of the params fuzzer is handled", "[tvm][robustness]") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TIDEMARK_TVM_PARAMS_CORPUS)) {
    CAPTURE(entry.path());
    const std::string bytes = tidemark::loaders::test::read_file(entry.path());
    CHECK(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                 bytes.size()) == 0);
    ++files;
  }
  CHECK(files > 0);
}
