/// The tables of a trace: who and what the ids of its events mean.
#pragma once

#include "collector/trace/types/event.hpp"
#include "collector/trace/types/unrecorded.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::trace {

/// One process image: a fork starts one, and so does an exec (same pid, next ProcessId).
struct Process {
  static constexpr std::uint32_t kNoParent = 0xffffffff;

  std::uint32_t pid = 0;  ///< As the recorder sees it, whatever its own pid namespace says.
  std::uint32_t parent_pid = 0;
  std::uint32_t parent = kNoParent;  ///< Index of the parent's Process in this trace, if recorded.
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;  ///< 0 while it was alive when the recording ended.
  std::string command;       ///< argv joined by spaces, cut after 4096 bytes.
  std::string executable;    ///< Absolute path.
  LaneTotals peak;           ///< Lanes at this process's own footprint peak.
  std::uint64_t peak_at_ns = 0;
  LaneTotals lane_peaks;                    ///< Each lane's own peak.
  std::uint64_t kernel_peak_rss_bytes = 0;  ///< VmHWM or ru_maxrss, whichever is larger.
  std::uint64_t own_bytes = 0;              ///< Most memory tidemark itself took in this process.
  /// ru_maxrss, as whoever waited for the process was told it: no more of it was ever resident, and
  /// as much of it, of the image before it, or of a child that it waited for. 0: not known.
  std::uint64_t rss_at_most_bytes = 0;
};

struct Thread {
  ProcessId process{0};
  std::uint32_t tid = 0;
  std::string name;
};

struct Module {
  std::string path;
  std::string build_id;    ///< Lower-case hex; empty when the file has none.
  std::uint64_t base = 0;  ///< Load bias of the first process that had it; frames hold offsets.
};

/// What runs in a frame.
enum class FrameLanguage : std::uint8_t {
  kNative = 0,
  kPython = 1,  ///< Its one location has the qualified name, the file and the line.
};

/// One program location: where a call returns to. The native frame just inside a Python one is the
/// interpreter's evaluator, which runs it.
struct Frame {
  ModuleId module = kNoModule;
  std::uint64_t offset = 0;  ///< Return address minus load bias; the raw address for kNoModule; of
                             ///< Python a number of its own.
  FrameLanguage language = FrameLanguage::kNative;
};

/// A node of the stack tree. Nodes come after their parents: index(parent) < the node's own index.
/// Node 0 is the root ("no stack") and has no frame.
struct StackNode {
  StackId parent = kNoStack;
  FrameId frame{0};
};

/// The most frames on the way from a node to the root, itself among them. A recording has fewer; in
/// a damaged trace a node that would have more has no parent.
constexpr std::uint32_t kMaxStackDepth = 4096;

/// One source-level function at a frame. A frame has several when calls were inlined: innermost
/// first.
struct Location {
  std::string function;  ///< Demangled; empty when unknown.
  std::string file;      ///< Empty when unknown.
  std::uint32_t line = 0;
};

struct File {
  std::string path;
  std::uint64_t size = 0;   ///< When it was opened or mapped.
  bool executable = false;  ///< Mapped executable, or an ELF object: never a model file.
  bool writable = false;    ///< Opened for writing by a process of the session.
  bool written = false;     ///< It has changed since the session began, or may have.
  bool unlinked = false;    ///< Without a name when it was opened (O_TMPFILE too).
  bool in_memory = false;   ///< On tmpfs, or a memfd: it lies in memory and nowhere else.
  bool compressed = false;  ///< Its content is, as far as its beginning and its tables tell.
  std::string content{};    ///< A word of FORMAT.md's list; empty: not looked at, or not known.
  std::uint64_t unpacked_bytes = 0;  ///< Of what is in it, once unpacked; 0: not known.
};

/// What a file of weights says of one of its parts.
struct Tensor {
  FileId file{0};
  std::string name;
  std::string type;            ///< Of an element: a word of FORMAT.md's list.
  std::uint64_t elements = 0;  ///< Never 0.
  std::uint64_t begin = 0;     ///< In the file.
  std::uint64_t bytes = 0;     ///< In the file.
  /// The outermost dimension first, so that the elements of the last lie one behind the other.
  /// Empty where it is not known, or has more than kMaxDimensions.
  std::vector<std::uint64_t> shape{};
  static constexpr std::size_t kMaxDimensions = 8;
};

/// How much of a large heap block had been touched at a time.
struct Look {
  AllocationNumber allocation = 0;
  std::uint64_t at_ns = 0;
  std::uint64_t bytes = 0;
};

/// Where bytes of a block come from: they were read from a file, copied from where such bytes were,
/// or are mapped. Of a block that held one part of a file after the other there is none.
struct Origin {
  AllocationNumber allocation = 0;
  std::uint64_t begin = 0;  ///< In the block.
  FileId file{0};
  std::uint64_t offset = 0;  ///< In the file.
  std::uint64_t bytes = 0;   ///< Never 0.
  std::uint64_t at_ns = 0;   ///< When the first of them came.
};

/// A block that was seen to hold a tensor, by its values.
struct ValueMatch {
  AllocationNumber allocation = 0;
  std::uint64_t begin = 0;  ///< Of the tensor, in the block.
  FileId file{0};
  std::uint64_t offset = 0;    ///< Of the tensor, in the file.
  std::string type{};          ///< That the elements have in the block; empty: as in the file.
  bool is_transposed = false;  ///< Of a matrix: the columns of the file are its rows.
  std::uint64_t at_ns = 0;     ///< When it was seen first.
  /// The last look before that which saw something else; 0 for none.
  std::uint64_t from_ns = 0;
  /// The last look that saw it, where a later one saw something else; else kNever.
  std::uint64_t until_ns = kNever;
  static constexpr std::uint64_t kNever = UINT64_MAX;
};

/// The last look into a block that was never seen to hold a tensor, though blocks of its size were.
struct ValueMismatch {
  AllocationNumber allocation = 0;
  std::uint64_t at_ns = 0;
};

/// A block that was seen to hold values of a file in another order, the file's own bytes, or these
/// as a wider type of float, scaled, or one in a node each.
struct PackedMatch {
  AllocationNumber allocation = 0;
  FileId file{0};
  std::uint64_t offset = 0;  ///< In the file, of one of the values, or of the first byte.
  /// Bytes in the file between what is side by side in the block; 0: as they are in the file.
  std::int64_t distance = 0;
  std::uint64_t at_ns = 0;    ///< When it was seen first.
  std::uint64_t from_ns = 0;  ///< As ValueMatch has it.
  std::uint64_t until_ns = ValueMatch::kNever;
  /// What an element is in the block, and what it is in the file, with "be" behind it where it is
  /// big-endian there; both empty: the bytes are those of the file. Where they are not, the
  /// distance is 0; where they are the same, the values are scaled, or in nodes.
  std::string type{};
  std::string file_type{};
  /// Where in the block or the mapping that is, and how much of it: a runtime, or a framework's
  /// arena, has arrays anywhere in one. 0 bytes: it begins with it, and has nothing else.
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  /// From one value in the block to the next, where other things lie between them; 0: none do.
  std::uint64_t node_bytes = 0;

  [[nodiscard]] bool is_part() const { return bytes != 0; }
  [[nodiscard]] bool is_scaled() const {
    return !type.empty() && type == file_type && node_bytes == 0;
  }
};

/// A block without a match that was seen to hold the values of a group of such blocks.
struct Alike {
  AllocationNumber allocation = 0;
  AllocationNumber of = 0;    ///< The oldest of the group, which has an entry of its own.
  std::uint64_t at_ns = 0;    ///< When it was seen so first,
  std::uint64_t from_ns = 0;  ///< and the others as ValueMatch has them.
  std::uint64_t until_ns = ValueMatch::kNever;
  /// What an element is in the block, and what it is in the oldest; both empty: the bytes are the
  /// same.
  std::string type{};
  std::string of_type{};
  /// The elements of the wider type are more than those of the narrower: these were made of them.
  bool is_rounded = false;
};

/// A block whose values were seen again in a larger one, which holds those of several, all of each:
/// one behind the other, or row by row.
struct Joined {
  AllocationNumber allocation = 0;
  AllocationNumber of = 0;    ///< The larger one.
  std::uint64_t begin = 0;    ///< Where in that the first row of this block begins.
  std::uint64_t bytes = 0;    ///< Of this block's values, all rows together. Never 0.
  std::uint64_t rows = 1;     ///< Never 0; the same for all that were joined to one.
  std::uint64_t at_ns = 0;    ///< When that was seen,
  std::uint64_t from_ns = 0;  ///< and the others as ValueMatch has them, of the larger one.
  std::uint64_t until_ns = ValueMatch::kNever;
};

/// How much of the memory that a process's heap blocks lie in was resident at a time: the blocks,
/// what the allocator keeps beside them, and what was freed and stayed.
struct HeapLook {
  ProcessId process{0};
  std::uint64_t at_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;  ///< That were alive, as far as was known then.
};

/// "f32" of "f32be", the type of numbers that are big-endian in their file; any other type as it
/// is.
constexpr std::string_view in_own_order(std::string_view type) {
  return type.ends_with("be") ? type.substr(0, type.size() - 2) : type;
}

/// Bytes of an element of the types that programs convert to each other, in either byte order; 0:
/// another type.
constexpr std::uint32_t float_bytes(std::string_view type) {
  type = in_own_order(type);
  if (type == "f64")
    return 8;
  if (type == "f32")
    return 4;
  return type == "f16" || type == "bf16" ? 2 : 0;
}

/// Types of whole numbers of a byte each, which programs unpack to float by a scale.
constexpr bool is_byte(std::string_view type) {
  return type == "i8" || type == "u8";
}
/// Bytes of an element of the types that programs convert from.
constexpr std::uint32_t value_bytes(std::string_view type) {
  return is_byte(type) ? 1 : float_bytes(type);
}

/// Bytes of an element of the types of whole numbers that programs make float of; 0: another type.
constexpr std::uint32_t whole_bytes(std::string_view type) {
  if (type == "u32" || type == "i32")
    return 4;
  if (type == "u16" || type == "i16")
    return 2;
  return is_byte(type) ? 1 : 0;
}

/// A file that was mapped by calls that no hook stands in front of.
struct UnseenFile {
  std::string path;  ///< Cut; as /proc/PID/maps has it.
  std::uint64_t bytes = 0;
  bool in_memory = false;  ///< Shared memory: on tmpfs, a memfd, or without a name.

  bool operator==(const UnseenFile&) const = default;
};
/// What a session's list holds at most.
constexpr std::size_t kMaxUnseenFiles = 20;
constexpr std::size_t kMaxUnseenPathBytes = 300;

/// Everything missing from a trace. Zero in every field is the normal case.
struct Loss {
  std::uint64_t records_dropped = 0;   ///< Did not fit a full ring (--overflow drop).
  std::uint64_t events_unwritten = 0;  ///< The file could not take them (disk full).
  std::uint64_t blocks_damaged = 0;    ///< Found by the reader: checksum or structure.
  std::uint64_t events_damaged = 0;    ///< Events in those blocks, as far as known.
  std::uint64_t bytes_damaged = 0;
  std::uint64_t processes_unrecorded = 0;  ///< Descendants that could not attach.
  /// Which ones they are, in all as many as `processes_unrecorded`. Empty in traces before 1.3.
  std::vector<Unrecorded> unrecorded = {};
  std::uint64_t threads_unrecorded = 0;
  std::uint64_t stacks_truncated = 0;  ///< Events whose stack is cut; their bytes are exact.
  /// Read by calls that no hook stands in front of, from files, pipes or sockets: by the kernel's
  /// own count. Since 1.4.
  std::uint64_t reads_unseen_bytes = 0;
  /// Processes with an io_uring of their own making, of whose reads nothing is known. Since 1.4.
  std::uint64_t rings_unseen = 0;
  /// The same of files that were mapped, found by looks at the processes' address spaces; of shared
  /// memory among them `shared_unseen_bytes`.
  std::uint64_t mapped_unseen_bytes = 0;
  std::uint64_t shared_unseen_bytes = 0;
  std::vector<UnseenFile> mapped_unseen = {};  ///< The largest of them.
  /// Mappings that were recorded and that went without a record: they counted until a look found
  /// them gone.
  std::uint64_t unmapped_unseen_bytes = 0;
  /// So much more than in the events can have been written to private mappings of files, behind the
  /// last look at them, when they were being written to, and by forked processes to what they have
  /// from their parents. At most, at any one time.
  std::uint64_t written_unseen_bytes = 0;
  bool torn = false;                 ///< No end: the collector was killed.
  std::uint64_t blocks_unknown = 0;  ///< Of a newer minor version; skipped. They hide no memory,
  std::uint64_t events_unknown = 0;  ///< and neither do events of a kind unknown to this reader.

  /// True when so much was read unseen that a model can have been among it.
  [[nodiscard]] bool hides_reads() const {
    constexpr std::uint64_t kMinModelBytes = std::uint64_t{1} << 20U;
    return reads_unseen_bytes >= kMinModelBytes || rings_unseen != 0;
  }
  /// True when files were mapped unseen: a model can have been among them.
  [[nodiscard]] bool hides_mappings() const { return mapped_unseen_bytes != 0; }
  /// True when bytes or events, not merely stack frames, are missing.
  [[nodiscard]] bool hides_memory() const {
    return records_dropped + events_unwritten + blocks_damaged + processes_unrecorded +
               threads_unrecorded + shared_unseen_bytes + written_unseen_bytes !=
           0;
  }
};

/// Facts of the whole session, written when it ends. With a torn trace only what was known at the
/// start is set.
struct Session {
  std::vector<std::string> command;
  int exit_status = 0;  ///< The host's own: 128 + N for signal N.
  bool ended = false;   ///< False in a torn trace: exit_status and duration_ns mean nothing.
  std::uint64_t duration_ns = 0;
  std::uint64_t started_unix_ns = 0;
  std::string host_name;
  std::string kernel;
  std::string tidemark_version;
  std::string model;  ///< The --model argument, verbatim; empty when not given.
  /// Smaller heap blocks have kUnsampledStack, but for those into which a sample point fell, one in
  /// so many bytes of a thread's. 0: all have their stacks. Else kMinSampleBytes to
  /// kMaxSampleBytes.
  std::uint64_t sample_bytes = 0;
  static constexpr std::uint64_t kMinSampleBytes = std::uint64_t{1} << 10;
  static constexpr std::uint64_t kMaxSampleBytes = std::uint64_t{1} << 40;
  std::uint64_t blocked_ns = 0;  ///< Host time spent waiting for ring space, all threads.
  std::uint64_t collector_cpu_ns = 0;
  std::uint64_t unmatched_releases =
      0;                             ///< Frees of blocks from before the recording, or inherited.
  std::uint32_t processes_left = 0;  ///< Descendants still running when the root ended.
  bool heap_invisible = false;       ///< The program defines its own malloc.
  bool copies_recorded = false;      ///< Large copies and fills are events: not with --no-copies.
  bool mismatches_complete = false;  ///< None was left out, for want of room or as none were told.
  /// The kernel told every exec, so each program of the session is in the trace or in `loss`.
  bool execs_watched = false;
  /// Of an interpreter whose frames are not in the stacks: "3.9", "3.13 without the global lock";
  /// empty: none was met.
  std::string unread_python;
  Loss loss;
};

/// All tables, indexed by id.
struct Definitions {
  std::vector<std::string> names;  ///< By NameId; 0 is "".
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Module> modules;  ///< By ModuleId; 0 is the empty module.
  std::vector<Frame> frames;
  std::vector<StackNode> stacks;                 ///< By StackId; 0 is the root.
  std::vector<std::vector<Location>> locations;  ///< By FrameId; may be shorter than `frames`.
  std::vector<File> files;
  std::vector<Tensor> tensors;  ///< As their files list them.
  std::vector<Look> looks;      ///< Those at one block in order of time.
  std::vector<Origin> origins;  ///< Those of one block do not overlap.
  std::vector<ValueMatch> matches;
  std::vector<ValueMismatch> mismatches;
  std::vector<PackedMatch> packed;
  std::vector<HeapLook> heap_looks;  ///< In order of time.
  std::vector<Alike> alike;
  std::vector<Joined> joined;  ///< Those of one larger block as they lie in it.
  Session session;
};

/// Whether a block holds values of a file by this origin: the bytes of a compressed one are none,
/// and its tensors are not where they are.
inline bool has_values(const Definitions& tables, const Origin& origin) {
  return !tables.files[index(origin.file)].compressed;
}

/// Calls `visit(std::string&)` for every text in the tables but two: the build id of a module,
/// which is looked up, and the session's `model`, which is an option. Every member is named, so
/// that one more does not compile without a word on whether it is a text.
template <typename Visit>
void visit_texts(Definitions& tables, const Visit& visit) {
  auto& [names, processes, threads, modules, frames, stacks, locations, files, tensors, looks,
         origins, matches, mismatches, packed, heap_looks, alike, joined, session] = tables;
  for (std::string& name : names)
    visit(name);
  for (auto& [pid, parent_pid, parent, begin_ns, end_ns, command, executable, peak, peak_at_ns,
              lane_peaks, kernel_peak_rss_bytes, own_bytes, rss_at_most_bytes] : processes) {
    visit(command);
    visit(executable);
  }
  for (auto& [process, tid, name] : threads)
    visit(name);
  for (auto& [path, build_id, base] : modules)
    visit(path);
  for (std::vector<Location>& inlined : locations) {
    for (auto& [function, file, line] : inlined) {
      visit(function);
      visit(file);
    }
  }
  for (auto& [path, size, executable, writable, written, unlinked, in_memory, compressed, content,
              unpacked_bytes] : files) {
    visit(path);
    visit(content);
  }
  for (auto& [file, name, type, elements, begin, bytes, shape] : tensors) {
    visit(name);
    visit(type);
  }
  for (auto& [allocation, begin, file, offset, type, transposed, at_ns, from_ns, until_ns] :
       matches)
    visit(type);
  auto& [command, exit_status, ended, duration_ns, started_unix_ns, host_name, kernel, version,
         model, sample_bytes, blocked_ns, collector_cpu_ns, unmatched, left, heap_invisible, copies,
         mismatches_complete, execs_watched, unread_python, loss] = session;
  for (std::string& word : command)
    visit(word);
  visit(host_name);
  visit(kernel);
  visit(version);
  visit(unread_python);
  for (UnseenFile& unseen : loss.mapped_unseen)
    visit(unseen.path);
}

}  // namespace tidemark::trace
