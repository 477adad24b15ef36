#include "reference_loaders/burn/byte_source.hpp"

#include "reference_loaders/model_file.hpp"

#include <utility>

namespace tidemark::loaders::burn {
namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& file) : file_(file) {}

  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }
  [[nodiscard]] const std::string& name() const override { return file_.name(); }
  void read_at(std::uint64_t offset, void* data, std::size_t size) override {
    file_.read(offset, {static_cast<std::byte*>(data), size});
  }

 private:
  ModelFile file_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] const std::string& name() const override { return name_; }
  void read_at(std::uint64_t offset, void* data, std::size_t size) override {
    bytes_.copy(static_cast<char*>(data), size, offset);
  }

 private:
  std::string bytes_;
  std::string name_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& file) {
  return std::make_unique<FileSource>(file);
}

std::unique_ptr<ByteSource> open_memory(std::string bytes, std::string name) {
  return std::make_unique<MemorySource>(std::move(bytes), std::move(name));
}

}  // namespace tidemark::loaders::burn
