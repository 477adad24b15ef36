#include "reference_loaders/executorch/data_loader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/huge_pages.hpp"
#include "reference_loaders/model_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace tidemark::loaders::executorch {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

class FileDataLoader final : public DataLoader {
 public:
  FileDataLoader(const std::filesystem::path& file, Footprint* footprint)
      : file_(file), footprint_(*footprint) {}

  [[nodiscard]] const std::string& name() const override { return file_.name(); }
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }

  FreeableBuffer load(std::uint64_t offset, std::uint64_t bytes) override {
    constexpr std::align_val_t kAlignment{16};
    auto* const data = static_cast<std::byte*>(::operator new(bytes, kAlignment));
    footprint_.add(Footprint::kHost, bytes);
    FreeableBuffer buffer({data, bytes}, [this, data, bytes] {
      ::operator delete(data, kAlignment);
      footprint_.remove(Footprint::kHost, bytes);
    });
    advise_huge_pages(data, bytes);
    file_.read(offset, {data, bytes});
    return buffer;
  }

 private:
  ModelFile file_;
  Footprint& footprint_;
};

class MmapDataLoader final : public DataLoader {
 public:
  explicit MmapDataLoader(const std::filesystem::path& file) : file_(file) {}

  [[nodiscard]] const std::string& name() const override { return file_.name(); }
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }

  FreeableBuffer load(std::uint64_t offset, std::uint64_t bytes) override {
    if (bytes == 0) {
      return {{}, [] {}};  // no mapping is empty
    }
    const std::uint64_t before = offset % kPageBytes;
    const std::uint64_t length = before + bytes;
    void* const pages = mmap(nullptr, length, PROT_READ, MAP_SHARED, file_.descriptor(),
                             static_cast<off_t>(offset - before));
    if (pages == MAP_FAILED) {
      throw BadInput(name(), offset, fmt::format("cannot be mapped: {}", std::strerror(errno)));
    }
    return {{static_cast<const std::byte*>(pages) + before, bytes},
            [pages, length] { munmap(pages, length); }};
  }

 private:
  ModelFile file_;
};

}  // namespace

void FreeableBuffer::free() {
  if (const Free free = std::exchange(free_, nullptr)) {
    free();
  }
  bytes_ = {};
}

std::unique_ptr<DataLoader> open_file(const std::filesystem::path& file, Footprint* footprint) {
  return std::make_unique<FileDataLoader>(file, footprint);
}

std::unique_ptr<DataLoader> map_file(const std::filesystem::path& file) {
  return std::make_unique<MmapDataLoader>(file);
}

}  // namespace tidemark::loaders::executorch
