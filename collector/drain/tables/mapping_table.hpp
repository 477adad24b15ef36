/// The mappings of one process, by address range.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace tidemark {

/// What one stretch of a process's address space is.
struct Mapping {
  enum class Kind : std::uint8_t {
    kReserved,  ///< Anonymous, PROT_NONE: counts nothing until it is opened.
    kAnon,      ///< Anonymous and accessible.
    kFile,
    kInternal,  ///< An allocator's or a driver's own: what it is for is in another lane.
  };
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Kind kind = Kind::kReserved;
  std::uint64_t allocation = 0;  ///< Number in the trace; of kAnon and kFile only.
  std::uint32_t file = 0;        ///< FileId of kFile.
  bool whole = true;             ///< Still all of what that allocation once was.

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
  [[nodiscard]] bool counts() const { return kind == Kind::kAnon || kind == Kind::kFile; }
};

/// Disjoint stretches. Only what the program mapped while it was recorded is known.
class MappingTable {
 public:
  /// Cuts [begin, end) out and returns what was there, in order, trimmed to the range. What is left
  /// of a mapping that was cut is no longer whole.
  std::vector<Mapping> take(std::uint64_t begin, std::uint64_t end);

  /// The range must be free: `take` it first.
  void insert(const Mapping& mapping);

  /// The stretch that holds `address`, or nullptr; borrowed until the next change.
  [[nodiscard]] const Mapping* find(std::uint64_t address) const;

  [[nodiscard]] std::size_t size() const { return by_begin_.size(); }
  /// True when stretches are in order, non-empty and disjoint.
  [[nodiscard]] bool check_invariants() const;

 private:
  void split_at(std::uint64_t address);

  std::map<std::uint64_t, Mapping> by_begin_;
};

}  // namespace tidemark
