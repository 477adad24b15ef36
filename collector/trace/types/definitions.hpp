/// The tables of a trace: what the ids in its events refer to.
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

  std::uint32_t pid = 0;  ///< In the recorder's pid namespace.
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
  /// ru_maxrss as returned by a wait for the process: an upper bound of its resident memory,
  /// reached by this image, by the image before it, or by a child that it waited for. 0: unknown.
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
  std::uint64_t base = 0;  ///< Load bias in the first process that loaded it; frames hold offsets.
};

/// What runs in a frame.
enum class FrameLanguage : std::uint8_t {
  kNative = 0,
  kPython = 1,  ///< Its one location has the qualified name, the file and the line.
};

/// One code location: where a call returns to. The native frame just inside a Python frame is the
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

/// Most frames from a node to the root, itself included. Recordings have fewer; in a damaged trace,
/// a node that would have more gets no parent.
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
  bool written = false;     ///< It changed, or may have, since the session began.
  bool unlinked = false;    ///< Without a name when it was opened (O_TMPFILE too).
  bool in_memory = false;   ///< On tmpfs, or a memfd: its content is only in memory.
  bool compressed = false;  ///< Compressed content, by its beginning and its tables.
  bool named = false;       ///< Given to the recorder as the model; its reads may be unseen.
  std::string content{};    ///< A word of FORMAT.md's list; empty: unknown.
  std::uint64_t unpacked_bytes = 0;  ///< Size of the uncompressed content; 0: unknown.
};

/// A tensor as listed in a file of weights.
struct Tensor {
  FileId file{0};
  std::string name;
  std::string type;            ///< An element's: a word of FORMAT.md's list.
  std::uint64_t elements = 0;  ///< Never 0.
  std::uint64_t begin = 0;     ///< In the file.
  std::uint64_t bytes = 0;     ///< In the file.
  /// The outermost dimension first: elements along the last one are contiguous. Empty if unknown,
  /// or if there are more than kMaxDimensions.
  std::vector<std::uint64_t> shape{};
  static constexpr std::size_t kMaxDimensions = 8;
};

/// How much of a large heap block had been touched at a time.
struct Look {
  AllocationNumber allocation = 0;
  std::uint64_t at_ns = 0;
  std::uint64_t bytes = 0;
};

/// Where bytes of a block come from: read from a file, copied from such bytes, or mapped. A block
/// that held different parts of a file one after the other has none.
struct Origin {
  AllocationNumber allocation = 0;
  std::uint64_t begin = 0;  ///< In the block.
  FileId file{0};
  std::uint64_t offset = 0;  ///< In the file.
  std::uint64_t bytes = 0;   ///< Never 0.
  std::uint64_t at_ns = 0;   ///< When the first of them came.
};

/// A block seen to hold a tensor, recognised by its values.
struct ValueMatch {
  AllocationNumber allocation = 0;
  std::uint64_t begin = 0;  ///< Offset of the tensor in the block.
  FileId file{0};
  std::uint64_t offset = 0;    ///< Offset of the tensor in the file.
  std::string type{};          ///< Type of the elements in the block; empty: as in the file.
  bool is_transposed = false;  ///< For a matrix: the file's columns are its rows.
  std::uint64_t at_ns = 0;     ///< When it was seen first.
  /// The last earlier look that saw other values; 0: none.
  std::uint64_t from_ns = 0;
  /// The last look that saw it, if a later one saw other values; else kNever.
  std::uint64_t until_ns = kNever;
  static constexpr std::uint64_t kNever = UINT64_MAX;
};

/// The last look into a block that was never seen to hold a tensor, though other blocks of its size
/// were.
struct ValueMismatch {
  AllocationNumber allocation = 0;
  std::uint64_t at_ns = 0;
};

/// A block seen to hold values of a file in another order, or the file's own bytes, or these
/// converted to a wider float type, scaled, or one in a node each.
struct PackedMatch {
  AllocationNumber allocation = 0;
  FileId file{0};
  std::uint64_t offset = 0;  ///< File offset of one of the values, or of the first byte.
  /// Distance in the file of values that are adjacent in the block; 0: contiguous as in the file.
  std::int64_t distance = 0;
  std::uint64_t at_ns = 0;    ///< When it was seen first.
  std::uint64_t from_ns = 0;  ///< As in ValueMatch.
  std::uint64_t until_ns = ValueMatch::kNever;
  /// Element type in the block and in the file, there with the suffix "be" if big-endian. Both
  /// empty: the bytes are those of the file. If set, the distance is 0; if equal, the values are
  /// scaled, or in nodes.
  std::string type{};
  std::string file_type{};
  /// Which part of the block or mapping this is: runtimes and arenas of frameworks keep arrays
  /// anywhere in one. 0 bytes: the whole block.
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  /// Bytes from one value in the block to the next, if other data lies between them; 0: none does.
  std::uint64_t node_bytes = 0;

  [[nodiscard]] bool is_part() const { return bytes != 0; }
  [[nodiscard]] bool is_scaled() const {
    return !type.empty() && type == file_type && node_bytes == 0;
  }
};

/// A block without a match, seen to hold the same values as a group of such blocks.
struct Alike {
  AllocationNumber allocation = 0;
  AllocationNumber of = 0;    ///< The oldest of the group, which has its own entry.
  std::uint64_t at_ns = 0;    ///< When it was first seen so;
  std::uint64_t from_ns = 0;  ///< these two as in ValueMatch.
  std::uint64_t until_ns = ValueMatch::kNever;
  /// Element type in the block, and in the oldest one; both empty: the bytes are the same.
  std::string type{};
  std::string of_type{};
  /// The wider elements have more precision than the narrower ones, which were made from them by
  /// rounding.
  bool is_rounded = false;
};

/// A block whose values were seen again in a larger block that holds all values of several:
/// concatenated, or row by row; or, if none of them begins in its first kMaxHeader bytes, behind
/// other bytes.
struct Joined {
  /// The most bytes of an object's header, in front of its values.
  static constexpr std::uint64_t kMaxHeader = 48;

  AllocationNumber allocation = 0;
  AllocationNumber of = 0;    ///< The larger one.
  std::uint64_t begin = 0;    ///< Offset in `of` of this block's first row.
  std::uint64_t bytes = 0;    ///< Bytes of this block's values, all rows together. Never 0.
  std::uint64_t rows = 1;     ///< Never 0; the same for all that were joined to one.
  std::uint64_t at_ns = 0;    ///< When that was seen;
  std::uint64_t from_ns = 0;  ///< these two as in ValueMatch, for `of`.
  std::uint64_t until_ns = ValueMatch::kNever;
};

/// Resident size, at a time, of the memory that holds a process's heap: its blocks, the allocator's
/// overhead, and memory freed but retained.
struct HeapLook {
  ProcessId process{0};
  std::uint64_t at_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;  ///< Bytes of blocks known to be alive then.
};

/// "f32" for "f32be", the type of big-endian numbers in a file; other types unchanged.
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

/// Integer types of one byte, which programs convert to float by a scale.
constexpr bool is_byte(std::string_view type) {
  return type == "i8" || type == "u8";
}
/// Bytes of an element of the types that programs convert from.
constexpr std::uint32_t value_bytes(std::string_view type) {
  return is_byte(type) ? 1 : float_bytes(type);
}

/// Bytes of an element of the integer types that programs convert to float; 0: another type.
constexpr std::uint32_t whole_bytes(std::string_view type) {
  if (type == "u32" || type == "i32")
    return 4;
  if (type == "u16" || type == "i16")
    return 2;
  return is_byte(type) ? 1 : 0;
}

/// A file that was mapped by unhooked calls.
struct UnseenFile {
  std::string path;  ///< As in /proc/PID/maps, truncated.
  std::uint64_t bytes = 0;
  bool in_memory = false;  ///< Shared memory: on tmpfs, a memfd, or without a name.

  bool operator==(const UnseenFile&) const = default;
};
/// Limits of a session's list.
constexpr std::size_t kMaxUnseenFiles = 20;
constexpr std::size_t kMaxUnseenPathBytes = 300;

/// Everything missing from a trace. Zero in every field is the normal case.
struct Loss {
  std::uint64_t records_dropped = 0;   ///< Dropped because the ring was full (--overflow drop).
  std::uint64_t events_unwritten = 0;  ///< The file could not take them (disk full).
  std::uint64_t blocks_damaged = 0;    ///< Found by the reader: checksum or structure.
  std::uint64_t events_damaged = 0;    ///< Events in those blocks, as far as known.
  std::uint64_t bytes_damaged = 0;
  std::uint64_t processes_unrecorded = 0;  ///< Descendants that could not attach.
  /// Which ones; as many as `processes_unrecorded`. Empty in traces before 1.3.
  std::vector<Unrecorded> unrecorded = {};
  /// Descendants still running when the recording ended: what they did later is not in it.
  std::uint64_t processes_left = 0;
  std::uint64_t threads_unrecorded = 0;
  /// How many of them for which reason of WhyUnrecorded; 0 in older traces.
  std::uint64_t threads_seccomp = 0;
  std::uint64_t threads_address_space = 0;
  std::uint64_t threads_too_many = 0;
  std::uint64_t stacks_truncated = 0;  ///< Events whose stack is cut; their bytes are exact.
  /// Bytes read by unhooked calls from files, pipes or sockets, by the kernel's own count. Since
  /// 1.4.
  std::uint64_t reads_unseen_bytes = 0;
  /// Processes with io_uring rings whose reads are unknown. Since 1.4.
  std::uint64_t rings_unseen = 0;
  /// Bytes of files mapped by unhooked calls, found in the processes' address spaces; of these,
  /// `shared_unseen_bytes` are shared memory.
  std::uint64_t mapped_unseen_bytes = 0;
  std::uint64_t shared_unseen_bytes = 0;
  std::vector<UnseenFile> mapped_unseen = {};  ///< The largest of them.
  /// Recorded mappings that were unmapped without a record: counted until a look found them gone.
  std::uint64_t unmapped_unseen_bytes = 0;
  /// Upper bound, at any one time, of bytes written but in no event: to private file mappings after
  /// the last look that saw them being written to, and by forked processes to memory inherited from
  /// their parents.
  std::uint64_t written_unseen_bytes = 0;
  bool torn = false;  ///< No end: the collector was killed.
  /// Blocks of a newer minor version, skipped: these hide no memory,
  std::uint64_t blocks_unknown = 0;
  std::uint64_t events_unknown = 0;  ///< nor do events of a kind unknown to this reader.

  /// True if unseen reads are large enough to include a model.
  [[nodiscard]] bool hides_reads() const {
    constexpr std::uint64_t kMinModelBytes = std::uint64_t{1} << 20U;
    return reads_unseen_bytes >= kMinModelBytes || rings_unseen != 0;
  }
  /// True if files were mapped unseen: they may include a model.
  [[nodiscard]] bool hides_mappings() const { return mapped_unseen_bytes != 0; }
  /// True when bytes or events, not merely stack frames, are missing.
  [[nodiscard]] bool hides_memory() const {
    return records_dropped + events_unwritten + blocks_damaged + processes_unrecorded +
               processes_left + threads_unrecorded + shared_unseen_bytes + written_unseen_bytes !=
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
  /// Mean distance of sample points in a thread's allocated bytes. Smaller heap blocks without one
  /// have kUnsampledStack. 0: all have their stacks. Else kMinSampleBytes to kMaxSampleBytes.
  std::uint64_t sample_bytes = 0;
  static constexpr std::uint64_t kMinSampleBytes = std::uint64_t{1} << 10;
  static constexpr std::uint64_t kMaxSampleBytes = std::uint64_t{1} << 40;
  std::uint64_t blocked_ns = 0;  ///< Host time spent waiting for ring space, all threads.
  std::uint64_t collector_cpu_ns = 0;
  std::uint64_t unmatched_releases = 0;  ///< Frees of older or inherited blocks.
  bool heap_invisible = false;           ///< The program defines its own malloc.
  bool copies_recorded = false;      ///< Large copies and fills are events: not with --no-copies.
  bool mismatches_complete = false;  ///< `mismatches` is complete: none was left out.
  /// A library was opened with RTLD_DEEPBIND: what it calls of libc itself went past the hooks.
  bool deep_bound = false;
  /// The kernel reported every exec, so each program of the session is in the trace or in `loss`.
  bool execs_watched = false;
  /// Version of a Python interpreter whose frames could not be read: "3.9", "3.13 without the
  /// global lock"; empty: none was found.
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
  std::vector<Look> looks;      ///< Those of one block in order of time.
  std::vector<Origin> origins;  ///< Those of one block do not overlap.
  std::vector<ValueMatch> matches;
  std::vector<ValueMismatch> mismatches;
  std::vector<PackedMatch> packed;
  std::vector<HeapLook> heap_looks;  ///< In order of time.
  std::vector<Alike> alike;
  std::vector<Joined> joined;  ///< Those in one larger block in order of place.
  Session session;
};

/// Whether the bytes of this origin are a file's values: not if the file is compressed, where bytes
/// are no values and tensors are elsewhere.
inline bool has_values(const Definitions& tables, const Origin& origin) {
  return !tables.files[index(origin.file)].compressed;
}

/// Calls `visit(std::string&)` for every text in the tables but two: the build id of a module,
/// which is looked up, and the session's `model`, which is an option. Every member is named, so
/// that a new one does not compile until it is considered here.
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
  for (auto& [path, size, executable, writable, written, unlinked, in_memory, compressed, named,
              content, unpacked_bytes] : files) {
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
         model, sample_bytes, blocked_ns, collector_cpu_ns, unmatched, heap_invisible, copies,
         mismatches_complete, deep_bound, execs_watched, unread_python, loss] = session;
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
