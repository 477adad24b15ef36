#include "reference_loaders/strategies/model_writer.hpp"

#include "reference_loaders/complete_file.hpp"
#include "reference_loaders/strategies/gguf.hpp"
#include "reference_loaders/strategies/llama_model.hpp"
#include "reference_loaders/strategies/random_tensor.hpp"
#include "reference_loaders/strategies/safetensors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace tidemark::loaders::strategies {
namespace {

struct LaidOut {
  WeightsIndex index;
  std::string header;
  std::uint64_t file_bytes = 0;
};

LaidOut lay_out(Format format, std::uint64_t weight_bytes) {
  LaidOut model{.index = llama_model(weight_bytes), .header = {}};
  if (format == Format::kGguf) {
    model.index.metadata = gguf_metadata(model.index);
    model.header = lay_out_gguf(model.index);
    model.file_bytes = align_up(model.index.data_end, gguf_alignment(model.index));
  } else {
    model.index.metadata = safetensors_metadata();
    model.header = lay_out_safetensors(model.index);
    model.file_bytes = model.index.data_end;
  }
  return model;
}

/// A stdio file that is written from front to back.
class Output {
 public:
  explicit Output(const std::filesystem::path& file)
      : name_(file.string()), stream_(std::fopen(file.c_str(), "wbe"), std::fclose) {
    if (!stream_) {
      fail();
    }
  }

  void write(std::span<const std::byte> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) {
      fail();
    }
    position_ += bytes.size();
  }

  void pad_to(std::uint64_t offset) {
    const std::string zeros(offset - position_, '\0');
    write(std::as_bytes(std::span(zeros)));
  }

  /// Without it the last bytes may be lost on a full disk without a word.
  void close() {
    if (std::fclose(stream_.release()) != 0) {
      fail();
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw std::system_error(errno, std::generic_category(), name_ + ": cannot be written");
  }

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_;
  std::uint64_t position_ = 0;
};

void write_tensor(Output& output, const TensorEntry& tensor, RandomTensor random) {
  constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  std::vector<std::byte> buffer(kPieceBytes);
  for (std::uint64_t left = tensor.bytes; left > 0;) {
    const std::span piece(buffer.data(), std::min<std::uint64_t>(left, buffer.size()));
    random.fill(piece);
    output.write(piece);
    left -= piece.size();
  }
}

}  // namespace

std::uint64_t model_file_bytes(Format format, std::uint64_t weight_bytes) {
  return lay_out(format, weight_bytes).file_bytes;
}

void write_model(Format format,
                 const std::filesystem::path& file,
                 std::uint64_t weight_bytes,
                 std::uint64_t seed) {
  const LaidOut model = lay_out(format, weight_bytes);
  CompleteFile target(file);
  Output output(target.incomplete());
  output.write(std::as_bytes(std::span(model.header)));
  for (std::size_t at = 0; at < model.index.tensors.size(); ++at) {
    const TensorEntry& tensor = model.index.tensors[at];
    output.pad_to(tensor.offset);
    write_tensor(output, tensor, {*tensor.type, seed, at});
  }
  output.pad_to(model.file_bytes);
  output.close();
  target.commit();
}

}  // namespace tidemark::loaders::strategies
