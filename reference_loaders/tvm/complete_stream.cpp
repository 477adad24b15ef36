#include "reference_loaders/tvm/complete_stream.hpp"

#include "reference_loaders/complete_file.hpp"

namespace tidemark::loaders::tvm {

void write_complete_file(const std::filesystem::path& file,
                         const std::function<void(Stream&)>& write) {
  CompleteFile target(file);
  SimpleBinaryFileStream stream(target.incomplete(), SimpleBinaryFileStream::Mode::kWrite);
  write(stream);
  stream.close();
  target.commit();
}

}  // namespace tidemark::loaders::tvm
