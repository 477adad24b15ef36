#include "collector/trace/file/file_map.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::trace {
namespace {

Error read_error(const std::string& path, int error) {
  return {ErrorCode::kIo, "cannot read " + (path.empty() ? "''" : path) + ": " +
                              std::generic_category().message(error)};
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (value_ >= 0)
      ::close(value_);
  }
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

}  // namespace

Result<FileMap> FileMap::open(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
    return read_error(path, errno);
  if (!S_ISREG(status.st_mode))
    return read_error(path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  FileMap map;
  if (status.st_size == 0)
    return map;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED)
    return read_error(path, errno);
  map.data_ = static_cast<const std::uint8_t*>(data);
  map.size_ = size;
  return map;
}

FileMap::FileMap(FileMap&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

FileMap& FileMap::operator=(FileMap&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

FileMap::~FileMap() {
  if (data_ != nullptr)
    ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

void FileMap::forget(std::uint64_t offset, std::uint64_t size) const {
  if (data_ == nullptr || offset >= size_ || size > size_ - offset)
    return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = offset / page * page;
  ::madvise(const_cast<std::uint8_t*>(data_) + begin, offset + size - begin, MADV_DONTNEED);
}

}  // namespace tidemark::trace
