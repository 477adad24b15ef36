#include "preload/session/record.hpp"

#include "preload/os/sys.hpp"
#include "preload/session/process.hpp"
#include "preload/session/start_block.hpp"

#include <cstring>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {

namespace {

std::size_t copy_text(char* out, std::size_t capacity, const char* text) {
  std::size_t length = 0;
  while (length < capacity && text[length] != '\0') {
    out[length] = text[length];
    ++length;
  }
  return length;
}

/// Command line of this image, as the kernel laid it out.
std::size_t copy_arguments(char* out, std::size_t capacity) {
  const char* const* arguments = start_arguments();
  std::size_t used = 0;
  for (std::uint64_t i = 0;
       i < start_argument_count() && arguments[i] != nullptr && used < capacity; ++i) {
    used += copy_text(out + used, capacity - used, arguments[i]);
    if (used < capacity)
      out[used++] = '\0';
  }
  return used;
}

}  // namespace

void write_words(ThreadState& thread,
                 wire::RecordKind kind,
                 const wire::Words& words,
                 std::span<const std::byte> payload) {
  payload = payload.first(payload.size() < kMaxTextBytes ? payload.size() : kMaxTextBytes);
  const std::uint64_t extra_slots =
      (payload.size() + wire::kPayloadBytes - 1) / wire::kPayloadBytes;
  std::uint64_t position = 0;
  if (!reserve(thread, extra_slots + 1, position))
    return;
  const std::uint64_t ticks = now_ticks();
  for (std::uint64_t i = 0; i < extra_slots; ++i) {
    const std::size_t at = i * wire::kPayloadBytes;
    const std::size_t left = payload.size() - at;
    std::byte bytes[wire::kPayloadBytes] = {};
    std::memcpy(bytes, payload.data() + at, left < sizeof bytes ? left : sizeof bytes);
    wire::Words part;
    std::memcpy(&part.address, bytes, 8);
    std::memcpy(&part.size, bytes + 8, 8);
    std::memcpy(&part.stack, bytes + 16, 4);
    std::memcpy(&part.extra, bytes + 20, 4);
    fill(thread, position + 1 + i, ticks, wire::RecordKind::kPayload, part);
  }
  // The head last: a reader that sees it finds the rest in place.
  fill(thread, position, ticks, kind, words);
}

void record_gathered_reads(ThreadState& thread) {
  GatheredReads& reads = thread.gathered;
  if (reads.bytes == 0)
    return;
  reads.bytes = 0;
  write(thread, wire::GatheredReads{
                    .destination = reads.destination,
                    .total_bytes = thread.header->gathered_bytes.load(std::memory_order_relaxed)});
}

void forget_gathered_reads(ThreadState& thread) {
  record_gathered_reads(thread);
  thread.gathered = {};
}

void announce_process(ThreadState& thread) {
  std::uint32_t expected = 0;
  if (!g_process->announced_self.compare_exchange_strong(expected, 1))
    return;
  // Executable, a zero, then the arguments with a zero after each.
  static char text[kMaxTextBytes];  // too large for a small stack; only one thread comes here
  // A forked child runs its parent's executable, and inherits this memory.
  static std::size_t executable_bytes = 0;
  if (executable_bytes == 0) {
    const long length = sys::read_link("/proc/self/exe", text, sizeof text / 4);
    executable_bytes = length > 0 ? static_cast<std::size_t>(length) : 0;
  }
  std::size_t used = executable_bytes;
  text[used++] = '\0';
  used += copy_arguments(text + used, sizeof text - used);
  write_text(thread, wire::ProcessBegin{}, {text, used});
}

}  // namespace tidemark::preload
