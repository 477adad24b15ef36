#include "collector/os/content/zip_content.hpp"

#include "collector/os/content/zip_directory.hpp"
#include "collector/trace/types/content_words.hpp"

#include <algorithm>
#include <limits>

namespace tidemark {
namespace {

/// Collects evidence from the names of the entries.
class Contents {
 public:
  void see(std::string_view name, bool is_packed, std::uint64_t bytes) {
    ++entries_;
    unpacked_ += std::min(bytes, std::numeric_limits<std::uint64_t>::max() / 2 - unpacked_);
    packed_ += is_packed ? std::min(bytes, unpacked_ - packed_) : 0;
    arrays_ += name.ends_with(".npy") ? 1U : 0U;
    computed_with_ += trace::has_weight_ending(name) ? std::min(bytes, unpacked_) : 0;
    has_pickle_ = has_pickle_ || name == "data.pkl" || name.ends_with("/data.pkl");
    // torch.export and AOTInductor (.pt2): PyTorch's own archive, without a pickle of the module.
    has_format_ = has_format_ || name.ends_with("/archive_format");
    has_torch_data_ = has_torch_data_ || name.ends_with("/.data/version");
    has_layers_ = has_layers_ || name.ends_with(".weights.h5");
    has_code_ = has_code_ || name.starts_with("META-INF/") || name.ends_with(".class") ||
                name.ends_with(".py") || name.ends_with(".pyc") || name.ends_with(".dex");
  }

  /// @param is_whole the directory was read to its end.
  [[nodiscard]] FileContent take(bool is_whole) const {
    FileContent content{.word = word()};
    // Some archives compress headers and lists, but not the weights.
    content.is_compressed = packed_ > unpacked_ / 2;
    content.unpacked_bytes = content.is_compressed && is_whole ? unpacked_ : 0;
    return content;
  }

 private:
  [[nodiscard]] std::string_view word() const {
    if (has_pickle_ || (has_format_ && has_torch_data_)) {
      return "torch";
    }
    if (has_layers_) {
      return "keras";
    }
    if (arrays_ != 0 && arrays_ == entries_) {
      return "npz";
    }
    if (has_code_) {
      return "program";
    }
    const bool is_bundle = computed_with_ != 0 && computed_with_ >= unpacked_ / 2;
    return is_bundle ? std::string_view("bundle") : trace::kArchiveContent;
  }

  std::uint64_t entries_ = 0;
  std::uint64_t arrays_ = 0;
  std::uint64_t unpacked_ = 0;
  std::uint64_t packed_ = 0;
  std::uint64_t computed_with_ = 0;  // Bytes of entries that are weights by their names.
  bool has_pickle_ = false;
  bool has_format_ = false;
  bool has_torch_data_ = false;
  bool has_layers_ = false;
  bool has_code_ = false;
};

}  // namespace

FileContent look_into_zip(const FileDescriptor& file, std::uint64_t size) {
  constexpr std::size_t kMaxDirectoryBytes = std::size_t{1} << 20U;
  Contents contents;
  const ZipEnd end = visit_zip(file, size, kMaxDirectoryBytes, [&](const ZipEntry& entry) {
    contents.see(entry.name, entry.is_packed, entry.bytes);
  });
  return end == ZipEnd::kNone ? FileContent{.word = trace::kArchiveContent}
                              : contents.take(end == ZipEnd::kWhole);
}

}  // namespace tidemark
