#include "reference_loaders/model_file.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::loaders {

ModelFile::ModelFile(const std::filesystem::path& file) : name_(file.string()) {
  model_file_bytes(file);
  descriptor_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw BadInput(name_, std::strerror(errno));
  }
  struct stat status {};
  fstat(descriptor_, &status);  // cannot fail on a descriptor that is open
  size_ = static_cast<std::uint64_t>(status.st_size);
}

ModelFile::~ModelFile() {
  close(descriptor_);
}

void ModelFile::read(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const std::int64_t count = read_some(descriptor_, offset, to);
    if (count <= 0) {
      throw BadInput(name_, offset,
                     count == 0 ? "the file became shorter while it was read"
                                : fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    offset += static_cast<std::uint64_t>(count);
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

std::int64_t read_some(int descriptor, std::uint64_t offset, std::span<std::byte> to) {
  ssize_t count = -1;
  do {
    count = pread(descriptor, to.data(), to.size(), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  return count;
}

}  // namespace tidemark::loaders
