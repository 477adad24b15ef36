// Arbitrary bytes as a NamedMpk record, as a gzip file or, when they are none, as what is inside of
// one. Whatever they are, the loaders refuse them or load no more than they can hold.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/gzip_writer.hpp"
#include "reference_loaders/burn/record_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace tidemark::loaders;
using namespace tidemark::loaders::burn;

std::string file_of(const std::string& input) {
  if (input.starts_with("\x1f\x8b")) {
    return input;
  }
  std::string file;
  StringSink sink(&file);
  StoredGzipWriter gzip(sink);
  gzip.write(input.data(), input.size());
  gzip.finish();
  return file;
}

void load_and_check(const std::string& file, Module (*load)(ByteSource&)) {
  constexpr std::size_t kMaxBytesOfAByte = 1032 * sizeof(std::int64_t);
  try {
    std::size_t bytes = 0;
    for (const ModuleTensor& tensor : load(*open_memory(file, "fuzz"))) {
      bytes += tensor.data.bytes().size();
    }
    if (bytes > kMaxBytesOfAByte * file.size()) {
      std::abort();
    }
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = file_of({reinterpret_cast<const char*>(data), size});
  load_and_check(file, load_mpk_elements);
  load_and_check(file, load_mpk_bytes);
  return 0;
}
