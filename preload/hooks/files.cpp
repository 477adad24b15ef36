#include "preload/hooks/files.hpp"

#include "preload/hooks/stack.hpp"
#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/session/record.hpp"

#include <atomic>
#include <cstring>
#include <span>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

enum class Known : std::uint8_t { kNot = 0, kRegular = 1, kOther = 2 };

/// What a descriptor is, so that a read of a socket costs one look. Beyond the table each use asks.
constexpr int kTableSize = 4096;
constinit std::atomic<Known> g_descriptors[kTableSize]{};

Known known(int descriptor) {
  if (descriptor < 0)
    return Known::kOther;
  return descriptor < kTableSize ? g_descriptors[descriptor].load(std::memory_order_relaxed)
                                 : Known::kNot;
}

void remember(int descriptor, Known what) {
  if (descriptor >= 0 && descriptor < kTableSize)
    g_descriptors[descriptor].store(what, std::memory_order_relaxed);
}

/// Reads smaller than this go without a stack: they are many, and their stack says little.
constexpr ssize_t kReadWithStack = 4096;

/// The kernel's own name of an open file.
std::size_t read_descriptor_path(int descriptor, char* out, std::size_t room) {
  char link[32] = "/proc/self/fd/";
  char digits[12];
  std::size_t count = 0;
  for (auto rest = static_cast<unsigned>(descriptor); rest != 0 || count == 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  std::size_t end = std::strlen(link);
  while (count != 0)
    link[end++] = digits[--count];
  link[end] = '\0';
  const long length = sys::read_link(link, out, room);
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

void write_open(ThreadState& thread,
                int descriptor,
                const char* path,
                const struct stat& status,
                const unwind::FrameState& caller) {
  constexpr std::size_t kMaxPath = 1024;
  std::byte payload[sizeof(wire::FileIdentity) + kMaxPath];
  auto* name = reinterpret_cast<char*>(payload + sizeof(wire::FileIdentity));
  std::size_t length = 0;
  if (path != nullptr && path[0] == '/') {
    length = std::strlen(path);
    length = length < kMaxPath ? length : kMaxPath;
    std::memcpy(name, path, length);
  } else {
    length = read_descriptor_path(descriptor, name, kMaxPath);
  }
  const wire::FileIdentity identity{static_cast<std::uint64_t>(status.st_dev),
                                    static_cast<std::uint64_t>(status.st_ino),
                                    static_cast<std::uint32_t>(length), 1};
  std::memcpy(payload, &identity, sizeof identity);
  write_payload(thread,
                {.kind = wire::RecordKind::kOpen,
                 .size = static_cast<std::uint64_t>(status.st_size),
                 .stack = take_stack(thread, caller),
                 .extra = static_cast<std::uint32_t>(descriptor)},
                std::span(payload, sizeof identity + length));
}

bool records_files() {
  return control().record_files != 0;
}

}  // namespace

void record_open(int descriptor, const char* path, const unwind::FrameState& caller) {
  if (descriptor < 0)
    return;
  remember(descriptor, Known::kNot);
  ThreadState* thread = current_thread();
  if (thread == nullptr || !records_files() || !may(kMayLookAtFiles))
    return;
  struct stat status {};
  const bool regular = sys::file_status(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (regular)
    write_open(*thread, descriptor, path, status, caller);
  remember(descriptor, regular ? Known::kRegular : Known::kOther);
}

bool know_descriptor(int descriptor, const unwind::FrameState& caller) {
  Known what = known(descriptor);
  if (what == Known::kNot) {
    record_open(descriptor, nullptr, caller);
    what = known(descriptor);
  }
  return what == Known::kRegular;
}

void record_close(int descriptor) {
  if (known(descriptor) == Known::kRegular) {
    if (ThreadState* thread = current_thread())
      write(*thread,
            {.kind = wire::RecordKind::kClose, .extra = static_cast<std::uint32_t>(descriptor)});
  }
  remember(descriptor, Known::kNot);
}

void record_duplicate(int from, int to) {
  if (to < 0 || from == to)
    return;
  remember(to, known(from));
  if (known(from) != Known::kRegular)
    return;
  if (ThreadState* thread = current_thread())
    write(*thread, {.kind = wire::RecordKind::kDuplicate,
                    .address = static_cast<std::uint64_t>(to),
                    .extra = static_cast<std::uint32_t>(from)});
}

std::uint64_t look_at_destination(int descriptor, const void* destination, std::size_t room) {
  constexpr std::uint64_t kPages = 8;
  if (room < kWorthALook || !may(kMayAskKernel) || known(descriptor) != Known::kRegular ||
      t_thread == nullptr || t_thread->ring == nullptr)
    return 0;
  const auto begin = reinterpret_cast<std::uint64_t>(destination);
  std::uint64_t resident = 0;
  for (std::uint64_t i = 0; i < kPages; ++i) {
    // Whole pages inside: the first and the last one may hold a neighbour's bytes.
    const std::uint64_t at = begin + (room - 1) / kPages * i + wire::kPageBytes;
    resident += sys::is_resident(at / wire::kPageBytes * wire::kPageBytes) ? 1U : 0U;
  }
  return 1 + resident * (wire::kMaxResidentShare - 1) / kPages;
}

void record_read(int descriptor,
                 const void* destination,
                 ssize_t bytes,
                 std::uint64_t resident_share,
                 const unwind::FrameState& caller) {
  if (bytes <= 0 || known(descriptor) == Known::kOther)
    return;
  ThreadState* thread = current_thread();
  if (thread == nullptr || !know_descriptor(descriptor, caller))
    return;
  const std::uint32_t stack = bytes >= kReadWithStack ? take_stack(*thread, caller) : wire::kNoNode;
  write(*thread, {.kind = wire::RecordKind::kRead,
                  .address = reinterpret_cast<std::uint64_t>(destination),
                  .size = wire::make_read_size(static_cast<std::uint64_t>(bytes), resident_share),
                  .stack = stack,
                  .extra = static_cast<std::uint32_t>(descriptor)});
}

void record_file_advise(int descriptor, off_t offset, off_t length, int advice) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || known(descriptor) != Known::kRegular)
    return;
  write(*thread, {.kind = wire::RecordKind::kFileAdvise,
                  .address = static_cast<std::uint64_t>(offset),
                  .size = static_cast<std::uint64_t>(length),
                  .stack = static_cast<std::uint32_t>(advice),
                  .extra = static_cast<std::uint32_t>(descriptor)});
}

void forget_descriptors() {
  for (std::atomic<Known>& entry : g_descriptors)
    entry.store(Known::kNot, std::memory_order_relaxed);
}

}  // namespace tidemark::preload
