/// The mappings of one process, by address range.
#pragma once

#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// A shared memory object, numbered within the session.
enum class SharedObjectId : std::uint32_t {};

/// One stretch of a process's address space.
struct Mapping {
  static constexpr std::uint64_t kNoAllocation = ~std::uint64_t{0};
  enum class Kind : std::uint8_t {
    kReserved,  ///< Anonymous, PROT_NONE: not counted until it is made accessible.
    kAnon,      ///< Anonymous and accessible.
    kFile,
    kShared,    ///< Shared with other processes: counts once, as its object.
    kInternal,  ///< An allocator's or a driver's own: counted in another lane.
  };
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Kind kind = Kind::kReserved;
  std::uint64_t base = 0;  ///< Where the allocation's first byte is, or was before it was cut.
  trace::AllocationNumber allocation = 0;  ///< Number in the trace; not of kReserved and kInternal.
  std::uint32_t file = 0;                  ///< FileId of kFile.
  std::uint64_t offset = 0;                ///< For kFile: where in the file `begin` is.
  SharedObjectId object{0};                ///< For kShared.
  bool is_lazy = false;                    ///< Anonymous, mapped with MAP_NORESERVE.
  bool is_of_reservation = false;          ///< Anonymous, once part of a large PROT_NONE range.
  bool is_break = false;  ///< The program break: its moves are recorded afterwards.
  bool is_bare = false;   ///< Anonymous, found by a look, without a record.
  /// Mapping of a file or of shared memory whose written pages are the host's own.
  bool is_private = false;
  bool is_writable = false;               ///< More pages may be written.
  std::uint64_t written = kNoAllocation;  ///< The allocation that holds the written pages.
  bool whole = true;                      ///< Still the whole of `allocation`.

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
  /// Its bytes are in a lane of its own process.
  [[nodiscard]] bool counts() const { return kind == Kind::kAnon || kind == Kind::kFile; }
  [[nodiscard]] bool holds_allocation() const { return counts() || kind == Kind::kShared; }
  /// Memory of which values can be looked at: anonymous, or shared and written in place.
  [[nodiscard]] bool may_hold_arrays() const {
    const bool is_memory = kind == Kind::kAnon || (kind == Kind::kShared && !is_private);
    return is_memory && allocation != kNoAllocation;
  }
  /// Its written pages as an anonymous mapping.
  [[nodiscard]] Mapping written_part() const {
    return {.begin = begin, .end = end, .kind = Kind::kAnon, .allocation = written, .whole = whole};
  }
};

/// A set of disjoint stretches. Contains only what the program mapped while it was recorded.
class MappingTable {
 public:
  /// Cuts [begin, end) out and returns what was there, in order, trimmed to the range. What is left
  /// of a mapping that was cut is no longer whole.
  std::vector<Mapping> take(std::uint64_t begin, std::uint64_t end);

  /// The range must be free: `take` it first.
  void insert(const Mapping& mapping);

  /// What lies in [begin, end), in order, trimmed to the range. Cuts nothing.
  [[nodiscard]] std::vector<Mapping> in(std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] bool maps(SharedObjectId object) const { return shared_.contains(object); }
  /// By their begin.
  [[nodiscard]] const std::map<std::uint64_t, Mapping>& all() const { return by_begin_; }

  /// The stretch that holds `address`, or nullptr; borrowed until the next change.
  [[nodiscard]] const Mapping* find(std::uint64_t address) const;

  [[nodiscard]] std::size_t size() const { return by_begin_.size(); }
  /// True when stretches are in order, non-empty and disjoint.
  [[nodiscard]] bool check_invariants() const;

 private:
  void split_at(std::uint64_t address);

  void count(const Mapping& mapping, int change);

  std::map<std::uint64_t, Mapping> by_begin_;
  std::unordered_map<SharedObjectId, int> shared_;  // Stretches of each object.
};

}  // namespace tidemark
