#include "preload/process.hpp"

#include "preload/clock.hpp"
#include "preload/hooks/files.hpp"
#include "preload/start_block.hpp"
#include "preload/sys.hpp"

// clang-format off: last
#include "preload/forbidden.hpp"
// clang-format on

namespace tidemark::preload {

constinit std::atomic<Attachment> g_attachment{Attachment::kUnknown};
constinit wire::SessionMap g_session{};
constinit ProcessState* g_process = nullptr;
constinit std::atomic<std::uint32_t> g_module_epoch{1};

namespace {

const char* find_variable(const char* name) {
  const char* const* variables = start_environment();
  for (; *variables != nullptr; ++variables) {
    const char* variable = *variables;
    const char* wanted = name;
    while (*wanted != '\0' && *variable == *wanted) {
      ++variable;
      ++wanted;
    }
    if (*wanted == '\0' && *variable == '=')
      return variable + 1;
  }
  return nullptr;
}

/// kSessionVariable's three numbers.
struct Address {
  std::uint64_t collector = 0;
  std::uint64_t descriptor = 0;
  std::uint64_t cookie = 0;
};

bool parse_number(const char*& text, unsigned base, std::uint64_t& value) {
  const char* start = text;
  for (value = 0;; ++text) {
    unsigned digit = base;
    if (*text >= '0' && *text <= '9')
      digit = static_cast<unsigned>(*text - '0');
    else if (*text >= 'a' && *text <= 'f')
      digit = static_cast<unsigned>(*text - 'a') + 10;
    if (digit >= base)
      return text != start;
    value = value * base + digit;
  }
}

bool parse_address(const char* text, Address& out) {
  return parse_number(text, 10, out.collector) && *text++ == ':' &&
         parse_number(text, 10, out.descriptor) && *text++ == ':' &&
         parse_number(text, 16, out.cookie) && *text == '\0';
}

char* append(char* out, const char* text) {
  while (*text != '\0')
    *out++ = *text++;
  return out;
}

char* append(char* out, std::uint64_t number) {
  char digits[20];
  unsigned count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count != 0)
    *out++ = digits[--count];
  return out;
}

/// Maps the session. Failing is no error: the program then runs as if tidemark were not there.
bool map_session(const Address& address) {
  char path[64];
  char* end = append(append(path, "/proc/"), address.collector);
  *append(append(end, "/fd/"), address.descriptor) = '\0';
  const int fd = sys::open(path, O_RDWR);
  if (fd < 0)
    return false;
  std::byte* base =
      sys::map(wire::kSessionBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd);
  struct stat status {};
  const bool right_size = sys::file_status(fd, &status) == 0 &&
                          static_cast<std::uint64_t>(status.st_size) == wire::kSessionBytes;
  sys::close(fd);
  if (base == nullptr)
    return false;
  // A file of another size is not ours, and touching the mapping past its end would be fatal.
  const auto* control = reinterpret_cast<const wire::ControlPage*>(base);
  if (!right_size || control->magic != wire::kSessionMagic || control->cookie != address.cookie ||
      control->protocol_version != wire::kProtocolVersion ||
      control->ended.load(std::memory_order_relaxed) != 0) {
    sys::unmap(base, wire::kSessionBytes);
    return false;
  }
  sys::advise(base, wire::kSessionBytes, MADV_DONTDUMP);
  g_session.base = base;
  return true;
}

bool map_private_state() {
  std::byte* state = sys::map(sizeof(ProcessState), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  // Without wipe-on-fork (Linux before 4.14) a forked child would write into its parent's rings.
  if (state == nullptr || sys::advise(state, sizeof(ProcessState), MADV_WIPEONFORK) != 0)
    return false;
  g_process = reinterpret_cast<ProcessState*>(state);
  return true;
}

bool claim_slot(wire::Origin origin) {
  for (std::uint32_t i = 0; i < wire::kMaxProcesses; ++i) {
    wire::ProcessSlot& slot = g_session.process(i);
    auto expected = wire::ProcessState::kFree;
    if (!slot.state.compare_exchange_strong(expected, wire::ProcessState::kAlive))
      continue;
    slot.pid = sys::process_id();
    slot.parent_pid = sys::parent_id();
    slot.origin = origin;
    slot.private_bytes.store(sizeof(ProcessState), std::memory_order_relaxed);
    slot.generation.fetch_add(1, std::memory_order_relaxed);
    slot.published.store(1, std::memory_order_release);
    g_process->slot = i;
    g_process->attached.store(ProcessState::kAttachedHere, std::memory_order_release);
    std::uint32_t used = control().processes_used.load();
    while (used <= i && !control().processes_used.compare_exchange_weak(used, i + 1)) {
    }
    return true;
  }
  control().processes_refused.fetch_add(1);
  return false;
}

bool first_attach() {
  Address address;
  const char* variable = find_variable(wire::kSessionVariable);
  if (variable == nullptr || !parse_address(variable, address) || !map_session(address))
    return false;
  set_clock(control().clock);
  return map_private_state() && claim_slot(wire::Origin::kStarted);
}

/// After a fork `g_process` is wiped; then the first thread to come attaches for all.
bool attach_child() {
  constexpr std::uint32_t kWiped = 0;
  std::uint32_t seen = kWiped;
  if (g_process->attached.compare_exchange_strong(seen, ProcessState::kAttaching)) {
    forget_descriptors();
    return !detach_if_abandoned() && claim_slot(wire::Origin::kForked);
  }
  while (seen == ProcessState::kAttaching && g_attachment.load() != Attachment::kDetached)
    seen = g_process->attached.load(std::memory_order_acquire);
  return seen == ProcessState::kAttachedHere;
}

}  // namespace

bool ensure_attached() {
  switch (g_attachment.load(std::memory_order_acquire)) {
    case Attachment::kDetached:
      return false;
    case Attachment::kAttached:
      if (attach_child())
        return true;
      break;
    case Attachment::kUnknown:
      if (first_attach()) {
        g_attachment.store(Attachment::kAttached, std::memory_order_release);
        return true;
      }
      break;
  }
  g_attachment.store(Attachment::kDetached, std::memory_order_release);
  return false;
}

bool detach_if_abandoned() {
  wire::ControlPage& page = control();
  const auto* lock_word = reinterpret_cast<const std::atomic<std::uint32_t>*>(page.collector_lock);
  const bool dead = (lock_word->load(std::memory_order_acquire) & wire::kOwnerDied) != 0;
  if (dead)
    page.ended.store(1);
  if (page.ended.load() == 0)
    return false;
  g_attachment.store(Attachment::kDetached, std::memory_order_release);
  return true;
}

}  // namespace tidemark::preload
