#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace tidemark::loaders::burn {

/// Somewhere to write a model file to, from front to back.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// @throws std::system_error
  virtual void write(const void* data, std::size_t size) = 0;
};

/// A file through stdio's buffer.
class OutputFile final : public Sink {
 public:
  /// @throws std::system_error
  explicit OutputFile(const std::filesystem::path& file);

  void write(const void* data, std::size_t size) override;

  /// Ends writing. Without it, the last bytes may be lost silently on a full disk.
  /// @throws std::system_error
  void close();

 private:
  [[noreturn]] void fail() const;

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_{nullptr, std::fclose};
};

/// Appends to a string that it borrows.
class StringSink final : public Sink {
 public:
  explicit StringSink(std::string* bytes) : bytes_(bytes) {}
  void write(const void* data, std::size_t size) override {
    bytes_->append(static_cast<const char*>(data), size);
  }

 private:
  std::string* bytes_;
};

}  // namespace tidemark::loaders::burn
