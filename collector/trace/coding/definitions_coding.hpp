/// Definitions to entries and back: see "Definitions block" in FORMAT.md.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/types/definitions.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::trace {

enum class DefinitionKind : std::uint8_t {
  kName = 1,
  kProcess = 2,
  kThread = 3,
  kModule = 4,
  kFrame = 5,
  kStack = 6,
  kLocations = 7,
  kFile = 8,
  kTensor = 9,
  kLook = 10,
  kOrigin = 11,
  kMatch = 12,
  kMismatch = 13,
  kPacked = 14,
  kHeapLook = 15,
  kAlike = 16,
  kJoined = 17,
};
constexpr std::size_t kDefinitionKindCount = 18;

/// A bit of the flags of a file.
struct FileFlag {
  std::uint64_t bit;
  bool File::*member;
};
constexpr std::array<FileFlag, 7> kFileFlags{{{1, &File::executable},
                                              {2, &File::writable},
                                              {4, &File::written},
                                              {8, &File::unlinked},
                                              {16, &File::in_memory},
                                              {32, &File::compressed},
                                              {64, &File::named}}};

/// Collects the entries of one block.
class DefinitionsEncoder {
 public:
  void add(NameId id, std::string_view name);
  void add(ProcessId id, const Process& process);
  void add(ThreadId id, const Thread& thread);
  void add(ModuleId id, const Module& module);
  void add(FrameId id, const Frame& frame);
  void add(StackId id, const StackNode& node);
  void add(FileId id, const File& file);
  void add(TensorId id, const Tensor& tensor);
  void add(LookId id, const Look& look);
  void add(OriginId id, const Origin& origin);
  void add(MatchId id, const ValueMatch& match);
  void add(MismatchId id, const ValueMismatch& mismatch);
  void add(PackedId id, const PackedMatch& packed);
  void add(HeapLookId id, const HeapLook& look);
  void add(AlikeId id, const Alike& alike);
  void add(JoinedId id, const Joined& joined);
  void add(FrameId id, const std::vector<Location>& locations);

  [[nodiscard]] const ByteBuffer& entries() const { return entries_; }
  void clear();

 private:
  void add_entry(DefinitionKind kind, std::uint32_t id);

  ByteBuffer entries_;
  ByteBuffer fields_;  ///< The entry that is being added.
  std::array<std::uint32_t, kDefinitionKindCount> expected_ids_{};
};

/// Puts entries into tables.
class DefinitionsDecoder {
 public:
  /// Starts with the reserved entries.
  explicit DefinitionsDecoder(Definitions& tables);

  /// Takes one block's entries.
  /// @param missing_bytes Table bytes that may be filled with empty entries for ids whose
  /// definitions are missing; reduced by what is used. @return false when an entry breaks a rule:
  /// those before it stand.
  bool decode(ByteView entries, std::size_t& missing_bytes);
  /// Makes every id inside the tables lead to an entry, so that consumers need not check.
  /// @param placeholders Adds one process, thread and file for events that name unknown ones.
  void make_safe(bool placeholders);
  /// Stands for every process without a definition; made when it is first asked for, after all
  /// others.
  ProcessId placeholder_process();

 private:
  bool decode_entry(DefinitionKind kind,
                    std::uint32_t id,
                    ByteReader& fields,
                    std::size_t& missing_bytes);
  bool take_locations(std::uint32_t id, ByteReader& fields);
  void make_stacks_safe();
  void make_processes_safe();

  Definitions& tables_;
  bool has_placeholder_process_ = false;
};

}  // namespace tidemark::trace
