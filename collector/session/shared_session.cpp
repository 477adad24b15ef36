#include "collector/session/shared_session.hpp"

#include "collector/os/clocks.hpp"
#include "collector/session/tick_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tidemark {
namespace {

/// Gives Boost.Interprocess the handle of a memfd.
class MemoryFile {
 public:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
  [[nodiscard]] boost::interprocess::mapping_handle_t get_mapping_handle() const {
    return boost::interprocess::ipcdetail::mapping_handle_from_file_handle(descriptor_);
  }

 private:
  int descriptor_;
};

Error system_error(const char* what) {
  return {ErrorCode::kIo, fmt::format("cannot make the shared memory of a session: {}: {}", what,
                                      std::strerror(errno))};
}

/// Takes a lock that this thread holds until it ends in any way: then the kernel marks the lock,
/// and hosts waiting for space see that none will come.
void hold_for_life(std::byte* place) {
  static_assert(sizeof(pthread_mutex_t) <= sizeof(wire::ControlBlock::collector_lock));
  auto* mutex = reinterpret_cast<pthread_mutex_t*>(place);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  pthread_mutex_lock(mutex);
}

/// Removes the lock from this thread's robust list before its memory is unmapped. Does not unlock
/// it: unlocking trusts pointers and the type in the lock, which every host can overwrite.
void forget_robust_locks() {
  robust_list_head* list = nullptr;
  std::size_t bytes = 0;
  if (syscall(SYS_get_robust_list, 0, &list, &bytes) != 0)
    return;
  // The state of a thread that has never held one.
  list->list.next = &list->list;
  list->list_op_pending = nullptr;
}

/// Sets the size of a memfd, which takes no disk space, exceeding the user's file size limit
/// (ulimit -f) as far as a process may raise that.
/// @return number of blocks in the file; 0, with errno set, if not even one fits.
std::uint32_t set_size(int descriptor) {
  rlimit before{};
  if (getrlimit(RLIMIT_FSIZE, &before) != 0)
    before = {RLIM_INFINITY, RLIM_INFINITY};
  const rlimit raised{before.rlim_max, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &raised);
  std::uint32_t blocks = wire::kMaxProcesses;
  while (blocks > 0 && before.rlim_max != RLIM_INFINITY &&
         wire::session_bytes(blocks) > before.rlim_max)
    --blocks;
  errno = EFBIG;
  if (blocks > 0 && ftruncate(descriptor, static_cast<off_t>(wire::session_bytes(blocks))) != 0)
    blocks = 0;
  const int error = errno;
  setrlimit(RLIMIT_FSIZE, &before);
  errno = error;
  return blocks;
}

}  // namespace

Result<std::unique_ptr<SharedSession>> SharedSession::create(const SessionOptions& options) {
  FileDescriptor file(memfd_create("tidemark", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open())
    return system_error("memfd_create");
  // A memfd is born with mode 0777, and /proc/PID/fd/N honours it.
  if (fchmod(file.number(), S_IRUSR | S_IWUSR) != 0)
    return system_error("fchmod");
  const std::uint32_t blocks = set_size(file.number());
  if (blocks == 0 && errno == EFBIG) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the limit for file sizes (ulimit -f) leaves no room to record: raise "
                             "it to {} MiB at least",
                             wire::session_bytes(1) / (1 << 20) + 1)};
  }
  if (blocks == 0)
    return system_error("ftruncate");
  // No host can shrink or grow it.
  if (fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return system_error("fcntl(F_ADD_SEALS)");
  try {
    boost::interprocess::mapped_region control(
        MemoryFile(file.number()), boost::interprocess::read_write, 0, wire::kControlBytes);
    std::unique_ptr<SharedSession> session(new SharedSession(std::move(file), std::move(control)));
    session->fill_control(options, blocks);
    return session;
  } catch (const boost::interprocess::interprocess_exception& error) {
    return Error{ErrorCode::kIo, fmt::format("cannot map the shared memory of a session: {}",
                                             std::strerror(error.get_native_error()))};
  }
}

SharedSession::SharedSession(FileDescriptor file, boost::interprocess::mapped_region control)
    : file_(std::move(file)), windows_(std::make_unique<wire::SessionWindows>()) {
  map_ = {static_cast<std::byte*>(control.get_address()), windows_.get()};
  // Kept out of the collector's core dumps.
  madvise(control.get_address(), control.get_size(), MADV_DONTDUMP);
  regions_.push_back(std::move(control));
}

/// @return nullptr if there is no address space for it.
std::byte* SharedSession::map_window(std::uint64_t offset, std::uint64_t bytes) {
  try {
    regions_.emplace_back(MemoryFile(file_.number()), boost::interprocess::read_write,
                          static_cast<boost::interprocess::offset_t>(offset), bytes);
  } catch (const boost::interprocess::interprocess_exception&) {
    return nullptr;
  }
  madvise(regions_.back().get_address(), bytes, MADV_DONTDUMP);
  return static_cast<std::byte*>(regions_.back().get_address());
}

bool SharedSession::map_windows(std::uint32_t rings, std::uint32_t processes) {
  bool is_whole = true;
  for (; rings_ < std::min(rings, blocks_ * wire::kRingsPerBlock); ++rings_) {
    std::byte* window = map_window(wire::ring_offset(rings_), wire::kRingBytes);
    windows_->rings[rings_] = reinterpret_cast<wire::Slot*>(window);
    is_whole = is_whole && window != nullptr;
  }
  for (; tables_ < std::min(processes, blocks_); ++tables_) {
    windows_->stack_tables[tables_] =
        map_window(wire::stack_table_offset(tables_), wire::kStackTableBytes);
    is_whole = is_whole && windows_->stack_tables[tables_] != nullptr;
  }
  return is_whole;
}

void SharedSession::fill_control(const SessionOptions& options, std::uint32_t blocks) {
  wire::ControlBlock& block = control();
  std::random_device random;
  block.cookie = (std::uint64_t{random()} << 32) | random();
  block.protocol_version = wire::kProtocolVersion;
  block.clock = TickClock::choose();
  block.overflow = options.overflow;
  block.unwinder = options.unwinder;
  block.depth_limit = options.depth_limit;
  block.record_files = 1;
  block.began_unix_ns = clock_ns(CLOCK_REALTIME);
  block.python_frames = options.python_frames ? 1 : 0;
  block.stacks_above = options.stacks_above;
  block.sample_bytes = options.sample_bytes;
  block.blocks = blocks;
  blocks_ = blocks;
  hold_for_life(block.collector_lock);
  block.magic = wire::kSessionMagic;
}

SharedSession::~SharedSession() {
  end();
  forget_robust_locks();
}

std::string SharedSession::address() const {
  return fmt::format("{}:{}:{:x}", getpid(), file_.number(), control().cookie);
}

void SharedSession::end() {
  control().ended.store(1);
}

void SharedSession::discard(std::uint64_t offset, std::uint64_t bytes) {
  fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(bytes));
}

std::string SharedSession::unread_python() const {
  const std::uint32_t unread = control().unread_python.load();
  if (unread == 0)
    return {};
  const std::uint32_t major = unread >> 8 & 0xff;
  if (major == 0)
    return "before 3.9";
  const bool has_no_lock = (unread & wire::kFreeThreadedPython) != 0;
  return fmt::format("{}.{}{}", major, unread & 0xff,
                     has_no_lock ? " without the global lock" : "");
}

}  // namespace tidemark
