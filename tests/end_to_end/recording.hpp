/// What one recorded program left: its own words, and its trace with questions to ask.
#pragma once

#include "collector/trace/reader.hpp"
#include "tests/end_to_end/running_program.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tidemark::tests {

/// The events of a trace, and counts over them. Hosts ask for memory in odd sizes that nothing else
/// in their process asks for, so that a size names a block.
class Events {
 public:
  Events() = default;
  /// Throws when the file is no trace.
  explicit Events(const std::string& path);

  [[nodiscard]] const std::vector<trace::Event>& all() const { return all_; }
  [[nodiscard]] std::size_t count(const std::function<bool(const trace::Event&)>& claim) const;
  [[nodiscard]] std::size_t count(trace::EventKind kind) const;

  /// Heap blocks of `size` bytes that came (realloc included) and that went (not at a process's
  /// end).
  [[nodiscard]] std::size_t allocations(std::uint64_t size) const;
  [[nodiscard]] std::size_t releases(std::uint64_t size) const;
  [[nodiscard]] std::size_t failures(std::uint64_t size) const;
  /// Heap blocks of any size that were alive when their process ended.
  [[nodiscard]] std::size_t blocks_left() const;
  [[nodiscard]] std::size_t blocks_left(std::uint64_t size) const;
  /// Those of `size` bytes and more, but fewer than `end`.
  [[nodiscard]] std::size_t blocks_left(std::uint64_t size, std::uint64_t end) const;
  /// Every value that a lane's total took, from 0 on, in order.
  [[nodiscard]] std::vector<std::uint64_t> levels(trace::Lane lane) const;
  [[nodiscard]] std::uint64_t peak(trace::Lane lane) const;
  [[nodiscard]] std::uint64_t peak_footprint() const;
  /// Names of the functions on an event's stack, innermost first; inlined ones included.
  [[nodiscard]] std::vector<std::string> functions(const trace::Event& event) const;
  /// Heap blocks of `size` bytes whose stack has a function with `name` in its name.
  [[nodiscard]] std::size_t allocations_in(const std::string& name, std::uint64_t size) const;
  /// The process that made the event.
  [[nodiscard]] const trace::Process& process(const trace::Event& event) const;
  /// Heap blocks of `size` bytes by process id.
  [[nodiscard]] std::size_t allocations_by(std::uint32_t pid, std::uint64_t size) const;
  /// Bytes read from the file of that path, as events say it.
  [[nodiscard]] std::uint64_t bytes_read(const std::string& path) const;

  [[nodiscard]] const trace::Definitions& definitions() const { return definitions_; }
  [[nodiscard]] const trace::Session& session() const { return definitions_.session; }
  [[nodiscard]] const trace::Loss& loss() const { return loss_; }

 private:
  [[nodiscard]] std::vector<bool> stacks_through(const std::string& name) const;

  std::vector<trace::Event> all_;
  std::vector<std::uint64_t> block_bytes_;  ///< By allocation number.
  std::vector<bool> is_heap_;
  std::vector<bool> has_gone_;
  trace::Definitions definitions_;
  trace::Loss loss_;
};

struct Recording {
  Outcome host;       ///< tidemark was quiet: what is on stderr is the host's, or is trouble.
  std::string trace;  ///< Path.
  Events events;
};

}  // namespace tidemark::tests
