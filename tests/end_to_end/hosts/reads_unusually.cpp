// reads_unusually HOW PATH: all of a file in ways that go past read and its kin, into one buffer.
// Prints how many bytes came, or "not here" where this system has no such way.
//   number         by syscall(): open, pread64, close
//   instruction    by the instruction itself: no function of libc is called
//   most_by_instruction    the same, but for the last quarter
//   watched        half of it by the instruction, the rest after a line of input
//   sendfile, copy_file_range, splice    to another file, or a pipe
//   aio_number     io_submit by syscall()
//   libaio         io_submit of libaio, loaded by dlopen
//   liburing, liburing_large_entries    io_uring_submit of liburing, loaded by dlopen
//   ring           a ring made by syscall(), without liburing
//   ring_without_array, ring_of_large_entries    the same, with what newer kernels offer
//   hidden_ring    the same; its entries are handed over by the instruction
//   idle_ring, closed_ring    a ring that is made and not used, and maybe taken down, beside read
//   killed_ring    the same, in a program that is killed
//   late_ring, late_ring_early_file    a ring that the instruction makes and reads by, in a process
//                  that is a second old; it is gone a tenth later. When the file is opened
//   two_rings      one like idle_ring, and one that is made, mapped and read by past every hook's
//                  knowledge
//   unseen_idle_ring, unseen_ring    one that is made by the instruction, and maybe read by; waits
//                  for a line of input with it open
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr long kStep = 1 << 20;
char* g_buffer = nullptr;
long g_size = 0;

long instruction(long number, long a, long b, long c, long d) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = 0;
  register long r9 asm("r9") = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

long by_number(const char* path) {
  const long fd = syscall(SYS_open, path, O_RDONLY);
  long got = 0;
  while (got < g_size)
    got += syscall(SYS_pread64, fd, g_buffer + got, kStep, got);
  syscall(SYS_close, fd);
  return got;
}

long open_by_instruction(const char* path) {
  return instruction(SYS_open, reinterpret_cast<long>(path), O_RDONLY, 0, 0);
}

long by_instruction(const char* path, long size) {
  const long fd = open_by_instruction(path);
  long got = 0;
  while (got < size)
    got += instruction(SYS_pread64, fd, reinterpret_cast<long>(g_buffer) + got, kStep, got);
  instruction(SYS_close, fd, 0, 0, 0);
  return got;
}

/// From its position, which these reads move.
long read_on_by_instruction(long fd, long from, long to) {
  long got = from;
  while (got < to) {
    got += instruction(SYS_read, fd, reinterpret_cast<long>(g_buffer) + got,
                       std::min(kStep, to - got), 0);
  }
  return got;
}

long while_watched(const char* path) {
  const long fd = open_by_instruction(path);
  const long half = read_on_by_instruction(fd, 0, g_size / 2);
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();
  return read_on_by_instruction(fd, half, g_size);
}

long by_transfer(const std::string& how, const char* path) {
  const int from = open(path, O_RDONLY);
  const std::string copy = std::string(path) + ".copy";
  const int to = open(copy.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  unlink(copy.c_str());
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  long got = 0;
  off64_t offset = 0;
  while (got < g_size) {
    long part = 0;
    if (how == "sendfile")
      part = sendfile(to, from, &offset, kStep);
    else if (how == "copy_file_range")
      part = copy_file_range(from, &offset, to, nullptr, kStep, 0);
    else
      part = splice(from, &offset, ends[1], nullptr, 65536, 0);
    if (part <= 0)
      return -1;
    if (how == "splice" && read(ends[0], g_buffer, 65536) != part)
      return -1;
    got += part;
  }
  return got;
}

/// @param submit io_submit.
template <typename Submit>
long by_aio(const char* path, const Submit& submit) {
  aio_context_t context = 0;
  if (syscall(SYS_io_setup, 4, &context) != 0)
    return -1;
  const int fd = open(path, O_RDONLY);
  long got = 0;
  while (got < g_size) {
    // The last one asks for more than there is.
    iocb block{};
    block.aio_lio_opcode = IOCB_CMD_PREAD;
    block.aio_fildes = static_cast<unsigned>(fd);
    block.aio_buf = reinterpret_cast<unsigned long>(g_buffer + got);
    block.aio_nbytes = 3 * kStep;
    block.aio_offset = got;
    iocb* blocks[1] = {&block};
    if (submit(context, 1L, blocks) != 1)
      return -1;
    io_event event{};
    if (syscall(SYS_io_getevents, context, 1, 1, &event, nullptr) != 1)
      return -1;
    got += static_cast<long>(event.res);
  }
  return got;
}

long by_libaio(const char* path) {
  void* library = dlopen("libaio.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    library = dlopen("libaio.so.1t64", RTLD_NOW | RTLD_GLOBAL);
  // As a program that is linked with it: whoever comes first in search order.
  using Submit = int (*)(aio_context_t, long, iocb**);
  const auto submit = reinterpret_cast<Submit>(dlsym(RTLD_DEFAULT, "io_submit"));
  return library == nullptr || submit == nullptr ? -1 : by_aio(path, submit);
}

/// liburing's `struct io_uring`, version 2: what its inline functions look at.
struct Ring {
  unsigned* submission_words[7];
  io_uring_sqe* entries;
  unsigned head;
  unsigned tail;
  std::size_t submission_bytes;
  void* submission_ring;
  unsigned submission_rest[4];
  unsigned* completion_head;
  unsigned* completion_tail;
  unsigned* completion_mask;
  unsigned* completion_words[3];
  io_uring_cqe* completions;
  char rest[256];
};

long by_liburing(const char* path, unsigned flags = 0) {
  void* library = dlopen("liburing.so.2", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    return -1;
  using Make = int (*)(unsigned, Ring*, unsigned);
  using Submit = int (*)(Ring*, unsigned);
  const auto make = reinterpret_cast<Make>(dlsym(library, "io_uring_queue_init"));
  const auto submit = reinterpret_cast<Submit>(dlsym(RTLD_DEFAULT, "io_uring_submit_and_wait"));
  static Ring ring;
  if (make(4, &ring, flags) != 0)
    return -1;
  const unsigned places = (flags & IORING_SETUP_SQE128) != 0 ? 2 : 1;
  const int fd = open(path, O_RDONLY);
  long got = 0;
  while (got < g_size) {
    io_uring_sqe& entry = ring.entries[(ring.tail++ & 3U) * places];
    entry = {};
    entry.opcode = IORING_OP_READ;
    entry.fd = fd;
    entry.addr = reinterpret_cast<unsigned long>(g_buffer + got);
    entry.len = 3 * kStep;  // the last one asks for more than there is
    entry.off = static_cast<unsigned long>(got);
    if (submit(&ring, 1) != 1)
      return -1;
    const unsigned head = __atomic_load_n(ring.completion_head, __ATOMIC_ACQUIRE);
    const io_uring_cqe& done = ring.completions[head & *ring.completion_mask];
    if (done.res <= 0)
      return -1;
    got += done.res;
    __atomic_store_n(ring.completion_head, head + 1, __ATOMIC_RELEASE);
  }
  return got;
}

long enter(int ring, bool is_hidden) {
  return is_hidden ? instruction(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS)
                   : syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0);
}

/// A list of parts that is nowhere: the kernel says so.
constexpr unsigned long kNowhere = 16;

constexpr unsigned kWithoutArray = 1U << 16;  // IORING_SETUP_NO_SQARRAY, of Linux 6.6

/// Made by syscall(), with its three mappings.
struct MadeRing {
  io_uring_params facts{};
  int descriptor = -1;
  char* submissions = nullptr;
  char* completions = nullptr;
  io_uring_sqe* entries = nullptr;

  [[nodiscard]] bool has_array() const { return (facts.flags & kWithoutArray) == 0; }
  [[nodiscard]] unsigned entry_places() const {
    return (facts.flags & IORING_SETUP_SQE128) != 0 ? 2 : 1;
  }
  [[nodiscard]] std::size_t submission_bytes() const {
    return facts.sq_off.array + facts.sq_entries * 4;
  }
  static std::atomic<unsigned>& word(char* base, unsigned at) {
    return *reinterpret_cast<std::atomic<unsigned>*>(base + at);
  }
};

MadeRing make_ring(bool is_hidden = false, unsigned flags = 0) {
  MadeRing ring;
  ring.facts.flags = flags;
  const long made =
      is_hidden ? instruction(SYS_io_uring_setup, 4, reinterpret_cast<long>(&ring.facts), 0, 0)
                : syscall(SYS_io_uring_setup, 4, &ring.facts);
  ring.descriptor = static_cast<int>(made);
  if (ring.descriptor < 0)
    return ring;
  const auto map = [&ring](std::size_t bytes, off_t at) {
    return static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_POPULATE, ring.descriptor, at));
  };
  ring.submissions = map(ring.submission_bytes(), IORING_OFF_SQ_RING);
  ring.completions = map(ring.facts.cq_off.cqes + ring.facts.cq_entries * sizeof(io_uring_cqe),
                         IORING_OFF_CQ_RING);
  ring.entries = reinterpret_cast<io_uring_sqe*>(
      map(ring.facts.sq_entries * ring.entry_places() * sizeof(io_uring_sqe), IORING_OFF_SQES));
  return ring;
}

long by_ring(const MadeRing& ring, int fd, bool is_hidden, bool begins_nowhere) {
  if (ring.descriptor < 0)
    return -1;
  const io_sqring_offsets& submission = ring.facts.sq_off;
  const io_cqring_offsets& completion = ring.facts.cq_off;
  long got = 0;
  for (bool is_nowhere = begins_nowhere; got < g_size;) {
    const unsigned tail = MadeRing::word(ring.submissions, submission.tail);
    const unsigned index = tail & MadeRing::word(ring.submissions, submission.ring_mask);
    io_uring_sqe& entry = ring.entries[index * ring.entry_places()];
    entry = {};
    entry.opcode = IORING_OP_READ;
    entry.fd = fd;
    entry.addr = reinterpret_cast<unsigned long>(g_buffer + got);
    entry.len = kStep;
    entry.off = static_cast<unsigned long>(got);
    if (is_nowhere) {
      entry.opcode = IORING_OP_READV;
      entry.addr = kNowhere;
      entry.len = 2;
    }
    if (ring.has_array())
      MadeRing::word(ring.submissions, submission.array + index * 4) = index;
    MadeRing::word(ring.submissions, submission.tail) = tail + 1;
    if (enter(ring.descriptor, is_hidden) != 1)
      return -1;
    const unsigned head = MadeRing::word(ring.completions, completion.head);
    const auto* done = reinterpret_cast<io_uring_cqe*>(ring.completions + completion.cqes) +
                       (head & MadeRing::word(ring.completions, completion.ring_mask));
    if (is_nowhere ? done->res != -EFAULT : done->res <= 0)
      return -1;
    got += is_nowhere ? 0 : done->res;
    is_nowhere = false;
    MadeRing::word(ring.completions, completion.head) = head + 1;
  }
  return got;
}

long by_ring(const MadeRing& ring, const char* path, bool is_hidden, bool begins_nowhere) {
  return by_ring(ring, open(path, O_RDONLY), is_hidden, begins_nowhere);
}

/// Nothing goes through the ring.
long beside_ring(const std::string& how, const char* path) {
  const MadeRing ring = make_ring();
  if (ring.descriptor < 0)
    return -1;
  const long got =
      how == "two_rings" ? by_ring(make_ring(true), path, true, false) : by_number(path);
  if (how == "closed_ring") {
    munmap(ring.submissions, ring.submission_bytes());
    close(ring.descriptor);
  } else if (how == "killed_ring") {
    std::printf("%ld\n", got);
    std::fflush(stdout);
    raise(SIGKILL);
  }
  return got;
}

/// What maps it is seen, but nobody knows of what.
long by_unseen_ring(const std::string& how, const char* path) {
  const MadeRing ring = make_ring(true);
  if (ring.descriptor < 0)
    return -1;
  const long got = how == "unseen_ring" ? by_ring(ring, path, true, false) : by_number(path);
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();
  return got;
}

void pass_time(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

/// Looks that come ever more rarely would not meet it.
long by_late_ring(const char* path, bool is_file_open) {
  const int early = is_file_open ? open(path, O_RDONLY) : -1;
  pass_time(1100);
  const MadeRing ring = make_ring(true);
  if (ring.descriptor < 0)
    return -1;
  const int fd = is_file_open ? early : open(path, O_RDONLY);
  const long got = by_ring(ring, fd, true, false);
  pass_time(100);
  munmap(ring.submissions, ring.submission_bytes());
  munmap(ring.entries, ring.facts.sq_entries * sizeof(io_uring_sqe));
  close(ring.descriptor);
  return got;
}

long load(const std::string& how, const char* path) {
  if (how == "number")
    return by_number(path);
  if (how == "instruction")
    return by_instruction(path, g_size);
  if (how == "most_by_instruction")
    return by_instruction(path, g_size / 4 * 3);
  if (how == "watched")
    return while_watched(path);
  if (how == "aio_number") {
    return by_aio(path, [](aio_context_t context, long count, iocb** blocks) {
      return syscall(SYS_io_submit, context, count, blocks);
    });
  }
  if (how == "libaio")
    return by_libaio(path);
  if (how == "liburing")
    return by_liburing(path);
  if (how == "liburing_large_entries")
    return by_liburing(path, IORING_SETUP_SQE128);
  if (how == "ring" || how == "hidden_ring" || how == "ring_from_nowhere")
    return by_ring(make_ring(), path, how == "hidden_ring", how == "ring_from_nowhere");
  if (how == "ring_without_array")
    return by_ring(make_ring(false, kWithoutArray), path, false, false);
  if (how == "ring_of_large_entries")
    return by_ring(make_ring(false, IORING_SETUP_SQE128), path, false, false);
  if (how == "idle_ring" || how == "closed_ring" || how == "killed_ring" || how == "two_rings")
    return beside_ring(how, path);
  if (how == "late_ring" || how == "late_ring_early_file")
    return by_late_ring(path, how == "late_ring_early_file");
  if (how == "unseen_idle_ring" || how == "unseen_ring")
    return by_unseen_ring(how, path);
  return by_transfer(how, path);
}

}  // namespace

int main(int, char** arguments) {
  struct stat status {};
  if (stat(arguments[2], &status) != 0)
    return 1;
  g_size = status.st_size;
  g_buffer = static_cast<char*>(std::malloc(static_cast<std::size_t>(g_size) + 4 * kStep));
  const long got = load(arguments[1], arguments[2]);
  if (got < 0)
    std::puts("not here");
  else
    std::printf("%ld\n", got);
}
