#include "reference_loaders/nntrainer/weights_file.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::loaders::nntrainer {
namespace {

constexpr std::string_view kAdam = "adam";

}  // namespace

WeightsFile::WeightsFile(const Network& network, const std::filesystem::path& file)
    : network_(network), name_(file.string()) {
  model_file_bytes(file);
  descriptor_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw BadInput(name_, std::strerror(errno));
  }
  try {
    check_size(network);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

WeightsFile::~WeightsFile() {
  close(descriptor_);
}

void WeightsFile::check_size(const Network& network) {
  struct stat status {};
  fstat(descriptor_, &status);  // cannot fail on a descriptor that is open
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t weights = network.weight_elements() * sizeof(float);
  const std::uint64_t trained = weights + sizeof(TrainingState);
  const std::uint64_t with_adam = trained + kAdam.size() + 2 * weights;
  if (size != weights && size != trained && size != with_adam) {
    throw BadInput(name_, fmt::format("the network has {} bytes of weights, but the file has {}",
                                      weights, size));
  }
  if (size == with_adam) {
    std::string tag(kAdam.size(), '\0');
    read_bytes(weights, std::as_writable_bytes(std::span(tag)));
    if (tag != kAdam) {
      throw BadInput(name_, weights,
                     fmt::format("'{}' is not the optimizer 'adam'", printable(tag)));
    }
  }
  if (size != weights) {
    state_.emplace();
    read_bytes(size - sizeof(TrainingState), std::as_writable_bytes(std::span(&*state_, 1)));
  }
}

void WeightsFile::read_bytes(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      throw BadInput(name_, offset,
                     count == 0 ? "the file became shorter while it was read"
                                : fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    offset += static_cast<std::uint64_t>(count);
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

void WeightsFile::read(std::uint64_t offset, std::span<float> to) const {
  read_bytes(offset * sizeof(float), std::as_writable_bytes(to));
}

void WeightsFile::read_layer(LayerIndex layer, std::span<float> to) const {
  read(network_.layers[layer].weights_offset, to);
}

}  // namespace tidemark::loaders::nntrainer
