#include "reference_loaders/burn/output_file.hpp"

#include <cerrno>
#include <system_error>

namespace tidemark::loaders::burn {

OutputFile::OutputFile(const std::filesystem::path& file) : name_(file.string()) {
  stream_.reset(std::fopen(file.c_str(), "wbe"));
  if (!stream_) {
    fail();
  }
}

void OutputFile::write(const void* data, std::size_t size) {
  if (std::fwrite(data, 1, size, stream_.get()) != size) {
    fail();
  }
}

void OutputFile::close() {
  if (std::fclose(stream_.release()) != 0) {
    fail();
  }
}

void OutputFile::fail() const {
  throw std::system_error(errno, std::generic_category(), name_ + ": cannot be written");
}

}  // namespace tidemark::loaders::burn
