#include "reference_loaders/executorch/model_files.hpp"

#include "reference_loaders/complete_file.hpp"
#include "reference_loaders/random_weights.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <system_error>
#include <vector>

namespace tidemark::loaders::executorch {
namespace {

/// Weights that are made at a time. A whole number of `RandomWeights`' groups.
constexpr std::size_t kMadeAtOnce = std::size_t{1} << 18;

/// Calls `write` with a stream whose file takes the name `file` in the end.
void write_file(const std::filesystem::path& file,
                const std::function<void(std::ostream&)>& write) {
  CompleteFile target(file);
  errno = 0;
  std::ofstream stream(target.incomplete(), std::ios::binary);
  if (stream) {
    write(stream);
    stream.close();
  }
  if (!stream) {
    throw std::system_error(errno, std::generic_category(), file.string() + ": cannot be written");
  }
  target.commit();
}

void pad_to(std::ostream& stream, std::uint64_t offset) {
  for (auto at = static_cast<std::uint64_t>(stream.tellp()); stream && at < offset; ++at) {
    stream.put('\0');
  }
}

void write_random_tensor(std::ostream& stream, std::uint64_t bytes, RandomWeights random) {
  std::vector<float> made(std::min<std::uint64_t>(kMadeAtOnce, bytes / sizeof(float)));
  for (std::uint64_t left = bytes / sizeof(float); stream && left > 0; left -= made.size()) {
    made.resize(std::min<std::uint64_t>(made.size(), left));
    random.fill(made);
    stream.write(reinterpret_cast<const char*>(made.data()),
                 static_cast<std::streamsize>(made.size() * sizeof(float)));
  }
}

}  // namespace

std::filesystem::path ptd_path(const std::filesystem::path& file) {
  return file.string() + ".ptd";
}

std::uint64_t model_bytes(const LlamaSpec& spec) {
  DelegateModel model = llama_model(spec);
  lay_out_ptd(&model.tensors);
  const PtdTensor& last = model.tensors.back();
  return write_delegate(model.graph).size() + last.offset + last.bytes;
}

void write_random_model(const std::filesystem::path& file,
                        const LlamaSpec& spec,
                        std::uint64_t seed) {
  DelegateModel model = llama_model(spec);
  const std::string front = lay_out_ptd(&model.tensors);
  write_file(ptd_path(file), [&](std::ostream& stream) {
    stream << front;
    for (std::size_t at = 0; at < model.tensors.size(); ++at) {
      pad_to(stream, model.tensors[at].offset);
      write_random_tensor(stream, model.tensors[at].bytes, RandomWeights(seed, at));
    }
  });
  write_file(file, [&](std::ostream& stream) { stream << write_delegate(model.graph); });
}

}  // namespace tidemark::loaders::executorch
