#pragma once

#include "reference_loaders/ggml/forward_pass.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::loaders::ggml {

/// The memory that the forward passes of one text run in, one after the other.
class ExecutionMemory {
 public:
  ExecutionMemory() = default;
  ExecutionMemory(const ExecutionMemory&) = delete;
  ExecutionMemory& operator=(const ExecutionMemory&) = delete;
  virtual ~ExecutionMemory() = default;

  /// Ends the pass before: its logits are gone. @throws PoolTooSmall, BufferTooSmall
  virtual LaidOutPass lay_out(const Pass& pass) = 0;

  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

/// Before: one pool of an estimated size, filled linearly by every pass.
class HardCodedMemory final : public ExecutionMemory {
 public:
  explicit HardCodedMemory(std::uint64_t n_tokens) : pool_(hard_coded_estimate(n_tokens)) {}

  LaidOutPass lay_out(const Pass& pass) override { return lay_out_linearly(pool_.bytes(), pass); }
  [[nodiscard]] std::uint64_t bytes() const override { return pool_.bytes().size(); }

 private:
  Buffer pool_;
};

/// After: a buffer of the size that a recording found, in which every pass of the recorded shape
/// repeats the recorded layout.
///
/// As in ggml-gobject the buffer is freed and allocated again at every pass: a step up and down for
/// every token, in any memory profile.
class RecordedMemory final : public ExecutionMemory {
 public:
  explicit RecordedMemory(const LaidOutPass& recorded);

  /// @throws std::logic_error when a tensor of the recorded shape is not where it was recorded.
  LaidOutPass lay_out(const Pass& pass) override;
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }

 private:
  std::uint64_t bytes_;
  PassShape recorded_shape_;
  std::vector<std::uint64_t> recorded_offsets_;
  std::optional<Buffer> buffer_;
};

}  // namespace tidemark::loaders::ggml
