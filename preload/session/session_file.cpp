#include "preload/session/session_file.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/os/text.hpp"
#include "preload/session/kept_file.hpp"
#include "preload/session/start_block.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
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

/// kSessionVariable's numbers.
struct Address {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint64_t collector = 0;
  std::uint64_t descriptor = 0;
  std::uint64_t cookie = 0;
  std::uint64_t abilities = kEveryAbility;
  /// Inherited: of the session's file, and of our objects.
  std::uint64_t own_descriptors[3] = {kNone, kNone, kNone};
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
  if (!parse_number(text, 10, out.collector) || *text++ != ':' ||
      !parse_number(text, 10, out.descriptor) || *text++ != ':' ||
      !parse_number(text, 16, out.cookie))
    return false;
  if (*text == ':' && !parse_number(++text, 16, out.abilities))
    return false;
  for (std::uint64_t& descriptor : out.own_descriptors) {
    if (*text == ':' && !parse_number(++text, 10, descriptor))
      return false;
  }
  return *text == '\0';
}

/// The file of this process's session, once it is known.
struct SessionFile {
  Address address;
  std::uint64_t inode = 0;  ///< To detect that the collector's pid was reused.
  std::uint32_t blocks = 0;
  std::byte* control = nullptr;
};
constinit SessionFile g_file{};
constinit KeptFile g_kept;
constinit bool g_is_only_way = false;    ///< The file is not reached through /proc.
constinit std::byte* g_whole = nullptr;  ///< See use_whole_session_for_testing.

/// @return a descriptor, or a negative number.
int open_file(const Address& address) {
  char path[64];
  append(append(append(append(path, "/proc/"), address.collector), "/fd/"), address.descriptor);
  return sys::open(path, O_RDWR);
}

std::byte* map_shared(int fd, std::uint64_t offset, std::uint64_t bytes) {
  return sys::map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, offset);
}

bool is_session(const wire::ControlBlock& block, const Address& address, std::uint64_t file_bytes) {
  return block.magic == wire::kSessionMagic && block.cookie == address.cookie &&
         block.protocol_version == wire::kProtocolVersion && block.blocks >= 1 &&
         block.blocks <= wire::kMaxProcesses && file_bytes == wire::session_bytes(block.blocks) &&
         block.ended.load(std::memory_order_relaxed) == 0;
}

wire::SessionMap map_control(int fd, const Address& address) {
  struct stat status {};
  // A shorter file is not ours, and touching a mapping past its end would be fatal.
  if (sys::file_status(fd, &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) < wire::session_bytes(1))
    return {};
  std::byte* base = map_shared(fd, 0, wire::kControlBytes);
  if (base == nullptr)
    return {};
  const wire::SessionMap session{base};
  if (!is_session(session.control(), address, static_cast<std::uint64_t>(status.st_size))) {
    sys::unmap(base, wire::kControlBytes);
    return {};
  }
  sys::advise(base, wire::kControlBytes, MADV_DONTDUMP);
  g_file = {address, status.st_ino, session.control().blocks, base};
  // A filter inherited from the program's starter was not seen here, and may kill it for a call
  // that few programs make.
  if (sys::seccomp_mode() != 0)
    g_abilities.fetch_and(~std::uint32_t{kMayReadBack});
  return session;
}

/// Checks the descriptor again, since the program may have closed or reused its number.
bool is_our_file(int fd) {
  struct stat status {};
  return fd >= 0 && sys::file_status(fd, &status) == 0 && status.st_ino == g_file.inode &&
         static_cast<std::uint64_t>(status.st_size) == wire::session_bytes(g_file.blocks);
}

/// @return a descriptor of our session's file, or a negative number.
int open_our_file() {
  const int fd = open_file(g_file.address);
  if (fd < 0 || is_our_file(fd))
    return fd;
  sys::close(fd);
  return -1;
}

std::byte* map_through_proc(std::uint64_t offset, std::uint64_t bytes) {
  const int fd = open_our_file();
  if (fd < 0)
    return nullptr;
  std::byte* window = map_shared(fd, offset, bytes);
  sys::close(fd);
  if (window != nullptr)
    sys::advise(window, bytes, MADV_DONTDUMP);
  return window;
}

/// mremap with an old size of 0 duplicates a shared mapping at any length, and keeps it out of core
/// dumps like the first; the part before the window is unmapped at once.
std::byte* map_through_control(std::uint64_t offset, std::uint64_t bytes) {
  std::byte* whole = sys::map_again(g_file.control, offset + bytes);
  if (whole == nullptr)
    return nullptr;
  sys::unmap(whole, offset);
  return whole + offset;
}

}  // namespace

wire::SessionMap map_session() {
  Address address;
  const char* variable = find_variable(wire::kSessionVariable);
  if (variable == nullptr || !parse_address(variable, address))
    return {};
  g_abilities.fetch_and(static_cast<std::uint32_t>(address.abilities));
  if (!may(kMayAttach) || sys::address_space_limit() < wire::kMinAddressSpaceBytes)
    return {};
  wire::SessionMap session;
  if (const int fd = open_file(address); fd >= 0) {
    session = map_control(fd, address);
    sys::close(fd);
  }
  if (address.own_descriptors[0] == Address::kNone)
    return session;
  const auto own = static_cast<int>(address.own_descriptors[0]);
  if (session.base == nullptr) {
    session = map_control(own, address);
    g_is_only_way = session.base != nullptr;
  }
  if (session.base != nullptr && is_our_file(own) && g_kept.adopt(own))
    hold_descriptor();
  return session;
}

InheritedObjects inherited_objects() {
  Address address;
  InheritedObjects objects{{-1, -1}};
  const char* variable = find_variable(wire::kSessionVariable);
  if (variable == nullptr || !parse_address(variable, address))
    return objects;
  for (int i = 0; i < 2; ++i) {
    if (address.own_descriptors[i + 1] != Address::kNone)
      objects.numbers[i] = static_cast<int>(address.own_descriptors[i + 1]);
  }
  return objects;
}

void keep_descriptor() {
  if (g_file.control != nullptr && may(kMayMap) && may(kMayPassDescriptor) && g_kept.number() < 0)
    g_kept.keep(open_our_file());
}

int pass_descriptor() {
  return g_kept.let_pass(true);
}

void hold_descriptor() {
  g_kept.let_pass(g_is_only_way);
}

int kept_session_file_in(unsigned first, unsigned last) {
  return g_kept.number_in(first, last);
}

void use_whole_session_for_testing(const wire::SessionMap& session) {
  g_whole = session.base;
}

std::byte* map_window(std::uint64_t offset, std::uint64_t bytes) {
  if (g_whole != nullptr)
    return g_whole + offset;
  // Without a descriptor, if possible: another thread may count on the next free number.
  std::byte* window = map_through_control(offset, bytes);
  if (window == nullptr)
    window = map_through_proc(offset, bytes);
  if (window == nullptr)
    return nullptr;
  sys::advise(window, bytes, MADV_DONTFORK);
  return window;
}

}  // namespace tidemark::preload
