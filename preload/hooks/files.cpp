#include "preload/hooks/files.hpp"

#include "preload/hooks/stack.hpp"
#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/session/process.hpp"
#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

#include <atomic>
#include <cstring>
#include <span>

#include <linux/close_range.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// The descriptor's entry; null beyond the table, and before the first record, when there is no
/// table.
std::atomic<Descriptor>* entry_of(int descriptor) {
  ProcessState* const process = g_process;
  const bool has_entry =
      process != nullptr && descriptor >= 0 && descriptor < ProcessState::kMaxDescriptors;
  return has_entry ? &process->descriptors[descriptor] : nullptr;
}

Descriptor known(int descriptor) {
  if (descriptor < 0)
    return Descriptor::kOther;
  const std::atomic<Descriptor>* entry = entry_of(descriptor);
  return entry != nullptr ? entry->load(std::memory_order_relaxed) : Descriptor::kUnknown;
}

void remember(int descriptor, Descriptor what) {
  if (std::atomic<Descriptor>* entry = entry_of(descriptor); entry != nullptr)
    entry->store(what, std::memory_order_relaxed);
}

/// Reads smaller than this get no stack: there are many of them, and their stacks tell little.
constexpr ssize_t kReadWithStack = 4096;
/// Reads of at least this size record their file offset, which costs a system call unless the read
/// names it.
constexpr auto kLargeRead = static_cast<ssize_t>(wire::kLargeTouch);

/// The kernel's own name of an open file.
std::size_t read_descriptor_path(int descriptor, char* out, std::size_t capacity) {
  char link[32] = "/proc/self/fd/";
  char digits[12];
  std::size_t count = 0;
  for (auto rest = static_cast<unsigned>(descriptor); rest != 0 || count == 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  std::size_t end = std::strlen(link);
  while (count != 0)
    link[end++] = digits[--count];
  link[end] = '\0';
  const long length = sys::read_link(link, out, capacity);
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

std::uint32_t file_flags(int descriptor, const struct stat& status) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  const std::uint64_t changed_ns =
      static_cast<std::uint64_t>(status.st_mtim.tv_sec) * kNsPerSecond +
      static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  std::uint32_t flags = status.st_nlink == 0 ? wire::kFileUnlinked : 0;
  // Whatever changed the file, maybe under another name: mkstemp and the like are not hooked.
  if (changed_ns >= control().began_unix_ns)
    flags |= wire::kFileChanged;
  const long how = may(kMayAskHowOpened) ? sys::call(SYS_fcntl, descriptor, F_GETFL) : -1;
  if (how >= 0 && (how & O_ACCMODE) != O_RDONLY)
    flags |= wire::kFileWritable;
  return flags;
}

void write_open(ThreadState& thread,
                int descriptor,
                const char* path,
                const struct stat& status,
                std::uint32_t flags,
                const unwind::FrameState& caller) {
  constexpr std::size_t kMaxPathBytes = 1024;
  std::byte payload[sizeof(wire::FileIdentity) + kMaxPathBytes];
  auto* name = reinterpret_cast<char*>(payload + sizeof(wire::FileIdentity));
  std::size_t length = 0;
  if (path != nullptr && path[0] == '/') {
    length = std::strlen(path);
    length = length < kMaxPathBytes ? length : kMaxPathBytes;
    std::memcpy(name, path, length);
  } else {
    length = read_descriptor_path(descriptor, name, kMaxPathBytes);
  }
  const wire::FileIdentity identity{
      static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
      static_cast<std::uint32_t>(length), file_flags(descriptor, status) | flags};
  std::memcpy(payload, &identity, sizeof identity);
  write_payload(thread,
                wire::Open{.file_bytes = static_cast<std::uint64_t>(status.st_size),
                           .stack = capture_stack(thread, caller),
                           .descriptor = static_cast<std::uint32_t>(descriptor)},
                std::span(payload, sizeof identity + length));
}

bool records_files() {
  return control().record_files != 0;
}

/// @param flags to add to those that the kernel's answers give: kFileWasOpen or 0.
void tell_open(int descriptor,
               const char* path,
               std::uint32_t flags,
               const unwind::FrameState& caller) {
  if (descriptor < 0 || is_vfork_child())
    return;
  remember(descriptor, Descriptor::kUnknown);
  ThreadState* thread = current_thread();
  if (thread == nullptr || !records_files() || !may(kMayLookAtFiles))
    return;
  struct stat status {};
  const bool regular = sys::file_status(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (regular)
    write_open(*thread, descriptor, path, status, flags, caller);
  remember(descriptor, regular ? Descriptor::kRegularFile : Descriptor::kOther);
}

/// Small reads from a stream's buffer are combined into records of at least this many bytes, since
/// a program may read its model number by number.
constexpr std::uint64_t kGatheredBytes = 4096;

/// Combines a read with the previous one of the same descriptor if it goes to where that one ended
/// or to the same place.
/// @return false if it does not: it gets a record of its own, which later reads may follow.
bool gather(ThreadState& thread, int descriptor, const ReadDone& done) {
  GatheredReads& reads = thread.gathered;
  const auto at = reinterpret_cast<std::uint64_t>(done.destination);
  const auto bytes = static_cast<std::uint64_t>(done.bytes);
  const bool follows =
      reads.next != 0 && descriptor == reads.descriptor && (at == reads.next || at == reads.begin);
  if (!follows)
    record_gathered_reads(thread);
  else if (reads.bytes == 0)
    reads.destination = at;
  reads.descriptor = descriptor;
  reads.begin = at;
  reads.next = at + bytes;
  if (!follows)
    return false;
  reads.bytes += bytes;
  std::atomic<std::uint64_t>& total = thread.header->gathered_bytes;
  total.store(total.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  if (reads.bytes >= kGatheredBytes)
    record_gathered_reads(thread);
  return true;
}

/// Records that a regular file's descriptor is closed; for any descriptor, forgets what it is.
void tell_close(int descriptor) {
  if (known(descriptor) == Descriptor::kRegularFile) {
    if (ThreadState* thread = current_thread()) {
      forget_gathered_reads(*thread);
      write(*thread, wire::Close{.descriptor = static_cast<std::uint32_t>(descriptor)});
    }
  }
  remember(descriptor, Descriptor::kUnknown);
}

/// Announces a file whose opening was not seen.
[[gnu::noinline]] Descriptor learn(int descriptor, const unwind::FrameState& caller) {
  tell_open(descriptor, nullptr, wire::kFileWasOpen, caller);
  return known(descriptor);
}

}  // namespace

void record_open(int descriptor, const char* path, const unwind::FrameState& caller) {
  tell_open(descriptor, path, 0, caller);
}

bool know_descriptor(int descriptor, const unwind::FrameState& caller) {
  Descriptor what = known(descriptor);
  if (what == Descriptor::kUnknown)
    what = learn(descriptor, caller);
  return what == Descriptor::kRegularFile;
}

void record_close(int descriptor) {
  if (known(descriptor) == Descriptor::kUnknown || is_vfork_child())
    return;
  tell_close(descriptor);
}

void record_close_range(unsigned first, unsigned last, unsigned flags) {
  if ((flags & CLOSE_RANGE_CLOEXEC) != 0 || is_vfork_child())
    return;
  constexpr unsigned kLast = ProcessState::kMaxDescriptors - 1;
  for (unsigned descriptor = first; descriptor <= last && descriptor <= kLast; ++descriptor)
    tell_close(static_cast<int>(descriptor));
}

void record_duplicate(int from, int to) {
  const Descriptor what = known(from);
  const bool is_news = what != Descriptor::kUnknown || known(to) != Descriptor::kUnknown;
  if (to < 0 || from == to || !is_news || is_vfork_child())
    return;
  if (what != Descriptor::kRegularFile)
    tell_close(to);
  remember(to, what);
  if (what != Descriptor::kRegularFile)
    return;
  if (ThreadState* thread = current_thread())
    write(*thread, wire::Duplicate{.to = static_cast<std::uint64_t>(to),
                                   .from = static_cast<std::uint32_t>(from)});
}

std::uint64_t look_at_destination(int descriptor, const void* destination, std::size_t capacity) {
  constexpr std::uint64_t kPages = 8;
  if (capacity < kWorthALook || !may(kMayAskKernel) ||
      known(descriptor) != Descriptor::kRegularFile || t_thread == nullptr ||
      t_thread->ring == nullptr)
    return 0;
  const auto begin = reinterpret_cast<std::uint64_t>(destination);
  std::uint64_t resident = 0;
  for (std::uint64_t i = 0; i < kPages; ++i) {
    // Only pages inside: the first and the last one may hold a neighbour's bytes.
    const std::uint64_t at = begin + (capacity - 1) / kPages * i + wire::kPageBytes;
    resident += sys::is_resident(at / wire::kPageBytes * wire::kPageBytes) ? 1U : 0U;
  }
  return 1 + resident * (wire::kMaxResidentShare - 1) / kPages;
}

namespace {

/// Not in a forked child that is not attached yet, or was refused: what it reads counts nowhere, as
/// what the kernel counts for it is compared with nothing.
bool has_slot() {
  return g_process != nullptr &&
         g_attachment.load(std::memory_order_relaxed) == Attachment::kAttached &&
         g_process->attached.load(std::memory_order_relaxed) == ProcessState::kAttachedHere;
}

/// The kernel's count also includes what a process reads before its first record, too little to
/// matter.
void count_read(ssize_t bytes) {
  if (has_slot())
    process_slot().bytes_read.fetch_add(static_cast<std::uint64_t>(bytes),
                                        std::memory_order_relaxed);
}

/// @return file offset of the first byte; kNoOffset if unknown.
std::uint64_t offset_of(int descriptor, const ReadDone& done) {
  if (done.offset != kAtPosition)
    return done.offset;
  const long position = may(kMayAskPosition) ? sys::position(descriptor) : -1;
  const std::uint64_t taken = static_cast<std::uint64_t>(done.bytes) + done.read_ahead;
  return position >= 0 && static_cast<std::uint64_t>(position) >= taken
             ? static_cast<std::uint64_t>(position) - taken
             : kNoOffset;
}

template <typename Record>
Record read_record(int descriptor, const ReadDone& done, std::uint32_t stack) {
  return {.destination = reinterpret_cast<std::uint64_t>(done.destination),
          .bytes = static_cast<std::uint64_t>(done.bytes),
          .resident_share = done.resident_share,
          .stack = stack,
          .descriptor = static_cast<std::uint32_t>(descriptor)};
}

/// A read large enough to be located in a block.
[[gnu::noinline]] void record_large(ThreadState& thread,
                                    int descriptor,
                                    const ReadDone& done,
                                    std::uint32_t stack) {
  const std::uint64_t offset = offset_of(descriptor, done);
  if (offset == kNoOffset)
    write(thread, read_record<wire::Read>(descriptor, done, stack));
  else
    write_payload(thread, read_record<wire::ReadAt>(descriptor, done, stack),
                  std::as_bytes(std::span(&offset, 1)));
}

[[gnu::always_inline]] inline void record_taken(int descriptor,
                                                const ReadDone& done,
                                                const unwind::FrameState& caller) {
  Descriptor what = known(descriptor);
  if (what == Descriptor::kOther)
    return;
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  if (what == Descriptor::kUnknown) [[unlikely]]
    what = learn(descriptor, caller);
  if (what != Descriptor::kRegularFile)
    return;
  if (done.is_buffered && done.bytes < kReadWithStack) {
    if (gather(*thread, descriptor, done))
      return;
  } else if (thread->gathered.bytes != 0) [[unlikely]] {
    record_gathered_reads(*thread);
  }
  const std::uint32_t stack =
      done.bytes >= kReadWithStack ? capture_stack(*thread, caller) : wire::kNoNode;
  if (done.bytes >= kLargeRead && done.destination != nullptr)
    record_large(*thread, descriptor, done, stack);
  else
    write(*thread, read_record<wire::Read>(descriptor, done, stack));
}

}  // namespace

void ReadInProgress::begin(int descriptor, std::size_t capacity) {
  // Pipes and sockets may keep their reader for ever, and have no position.
  if (known(descriptor) == Descriptor::kOther)
    return;
  // Attaches a forked child, which would otherwise have another slot at the end.
  if (current_thread() == nullptr || !has_slot())
    return;
  capacity_ = capacity < kMaxCapacity ? capacity : kMaxCapacity;
  being_read_ = &process_slot().bytes_being_read;
  being_read_->fetch_add(capacity_, std::memory_order_relaxed);
}

void ReadInProgress::end() {
  // Another one where a signal handler forked meanwhile.
  if (has_slot() && being_read_ == &process_slot().bytes_being_read)
    being_read_->fetch_sub(capacity_, std::memory_order_release);
}

namespace {

struct ReadAhead {
  std::atomic<std::uint64_t>* counted_in = nullptr;  ///< A forked child has another one.
  std::uint64_t bytes = 0;
};
constinit thread_local ReadAhead t_read_ahead;

}  // namespace

void note_read_ahead(int descriptor, std::uint64_t bytes) {
  const bool is_much = bytes >= ReadInProgress::kMinCapacity;
  if ((!is_much && t_read_ahead.bytes == 0) || !has_slot())
    return;
  std::atomic<std::uint64_t>& being_read = process_slot().bytes_being_read;
  const std::uint64_t before = t_read_ahead.counted_in == &being_read ? t_read_ahead.bytes : 0;
  const std::uint64_t now = is_much && known(descriptor) != Descriptor::kOther ? bytes : 0;
  being_read.fetch_add(now - before, std::memory_order_release);
  t_read_ahead = {&being_read, now};
}

// One function, so that the cost table of the record path covers all of it.
[[gnu::noinline]] void record_read(int descriptor,
                                   const ReadDone& done,
                                   const unwind::FrameState& caller) {
  if (done.bytes <= 0)
    return;
  record_taken(descriptor, done, caller);
  count_read(done.bytes);
}

void count_unreturned(std::int64_t bytes) {
  if (bytes != 0)
    count_read(bytes);
}

void record_read_parts(int descriptor,
                       const iovec* parts,
                       int count,
                       ssize_t bytes,
                       std::uint64_t offset,
                       const unwind::FrameState& caller) {
  ReadDone done{.offset = offset};
  ssize_t left = bytes;
  for (int i = 0; i < count && left > 0; ++i) {
    const auto capacity = static_cast<ssize_t>(parts[i].iov_len);
    done.destination = parts[i].iov_base;
    done.bytes = left < capacity ? left : capacity;
    left -= done.bytes;
    done.read_ahead = static_cast<std::uint64_t>(left);
    record_read(descriptor, done, caller);
    if (done.offset < kNoOffset)
      done.offset += static_cast<std::uint64_t>(done.bytes);
  }
}

void record_splice(int descriptor, ssize_t bytes, const unwind::FrameState& caller) {
  if (bytes > 0)
    record_taken(descriptor, {.bytes = bytes}, caller);
}

void record_queued_read(int descriptor,
                        const void* destination,
                        std::size_t bytes,
                        std::uint64_t offset,
                        const unwind::FrameState& caller) {
  struct stat status {};
  if (offset != kAtPosition && may(kMayLookAtFiles) && sys::file_status(descriptor, &status) == 0 &&
      S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const std::uint64_t rest = size > offset ? size - offset : 0;
    bytes = bytes < rest ? bytes : rest;
  }
  if (bytes == 0)
    return;
  record_taken(descriptor,
               {.destination = destination,
                .bytes = static_cast<ssize_t>(bytes),
                .offset = offset == kAtPosition ? kNoOffset : offset},
               caller);
}

void record_file_advise(int descriptor, off_t offset, off_t length, int advice) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || known(descriptor) != Descriptor::kRegularFile)
    return;
  write(*thread, wire::FileAdvise{.offset = static_cast<std::uint64_t>(offset),
                                  .bytes = static_cast<std::uint64_t>(length),
                                  .advice = static_cast<std::uint32_t>(advice),
                                  .descriptor = static_cast<std::uint32_t>(descriptor)});
}

}  // namespace tidemark::preload
