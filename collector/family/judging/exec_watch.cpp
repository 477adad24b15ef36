#include "collector/family/judging/exec_watch.hpp"

#include "collector/process/proc_file.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <ctime>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark {
namespace {

/// A copy of an event costs a fork or a thread of the session 2 us. With more processors than that
/// the watch would cost a program with many threads more than the recording itself.
constexpr std::size_t kMaxProcessors = 64;
/// Size of each buffer, the first one tried: it has space for 3,000 unread execs. An ordinary
/// user's recordings may have 516 KiB in all on each processor (kernel.perf_event_mlock_kb).
constexpr std::size_t kMaxPages = 32;
/// The largest record, and the one that says that some were lost.
constexpr std::size_t kMaxRecordBytes = 128;

/// @param list as the kernel writes it: "0-3,6".
std::vector<int> numbers_in(const std::string& list) {
  std::vector<int> numbers;
  std::istringstream ranges(list);
  for (int first = 0; ranges >> first;) {
    int last = first;
    if (ranges.peek() == '-') {
      ranges.ignore() >> last;
    }
    for (; first <= last && numbers.size() <= kMaxProcessors; ++first) {
      numbers.push_back(first);
    }
    ranges.ignore();
  }
  return numbers;
}

/// @param lines of /proc/stat: "cpu  ...", then one for each processor, "cpu3 ...".
std::vector<int> numbers_in_lines(const std::string& lines) {
  std::vector<int> numbers;
  std::istringstream rest(lines);
  for (std::string line; numbers.size() <= kMaxProcessors && std::getline(rest, line);) {
    constexpr std::string_view kName = "cpu";
    int number = 0;
    const char* const begin = line.data() + std::min(kName.size(), line.size());
    if (line.starts_with(kName) &&
        std::from_chars(begin, line.data() + line.size(), number).ec == std::errc()) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

/// In order; kMaxProcessors and one more if they are more. Empty: not known.
std::vector<int> online_processors() {
  const FileDescriptor list(::open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC));
  if (list.is_open()) {
    return numbers_in(read_up_to(list, 4096));
  }
  // A root directory may have no /sys.
  constexpr std::size_t kMaxStatBytes = std::size_t{64} << 10U;
  const FileDescriptor stat(::open("/proc/stat", O_RDONLY | O_CLOEXEC));
  return stat.is_open() ? numbers_in_lines(read_up_to(stat, kMaxStatBytes)) : std::vector<int>();
}

perf_event_attr event_attributes(std::size_t buffer_bytes) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attributes.sample_id_all = 1;
  attributes.inherit = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.watermark = 1;  // nobody waits for it
  attributes.wakeup_watermark = static_cast<std::uint32_t>(buffer_bytes);
  return attributes;
}

int open_event(const perf_event_attr& attributes, pid_t pid, int processor) {
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, pid, processor, -1,
                                  static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
}

/// With a seccomp filter in force, the call may kill the process that makes it.
bool does_filter_let_pass() {
  if (prctl(PR_GET_SECCOMP) != SECCOMP_MODE_FILTER) {
    return true;
  }
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_DUMPABLE, 0);  // no core file
    const perf_event_attr attributes = event_attributes(0);
    _exit(open_event(attributes, 0, -1) >= 0 ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// @param record a whole one of PERF_RECORD_COMM: perf_event_open(2) has its fields.
Exec exec_of(std::string_view record) {
  Exec exec;
  std::uint32_t pid = 0;
  constexpr std::size_t kPid = sizeof(perf_event_header);
  constexpr std::size_t kName = kPid + 2 * sizeof pid;
  const std::size_t time = record.size() - sizeof exec.at_ns;
  std::memcpy(&pid, record.data() + kPid, sizeof pid);
  std::memcpy(&exec.at_ns, record.data() + time, sizeof exec.at_ns);
  exec.pid = static_cast<pid_t>(pid);
  const std::string_view rest = record.substr(kName);
  exec.name = rest.substr(0, rest.find('\0'));
  return exec;
}

bool is_exec(const perf_event_header& header) {
  constexpr std::size_t kMinRecordBytes =
      sizeof(perf_event_header) + 2 * sizeof(std::uint32_t) + 3 * sizeof(std::uint64_t);
  return header.type == PERF_RECORD_COMM && (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0 &&
         header.size >= kMinRecordBytes;
}

}  // namespace

ExecWatch::~ExecWatch() {
  close();
}

void ExecWatch::close() {
  for (const Buffer& buffer : buffers_) {
    munmap(buffer.memory, page_bytes() + buffer.record_bytes);
  }
  buffers_.clear();
}

bool ExecWatch::open(pid_t pid) {
  processors_ = online_processors();
  if (processors_.empty() || processors_.size() > kMaxProcessors || !does_filter_let_pass()) {
    return false;
  }
  // Smaller ones where other recordings of this user have taken their part.
  for (std::size_t pages = kMaxPages; pages != 0; pages /= 2) {
    const auto is_added = [&](int number) { return add(pid, number, pages); };
    if (std::ranges::all_of(processors_, is_added)) {
      return true;
    }
    close();
  }
  return false;
}

bool ExecWatch::add(pid_t pid, int processor, std::size_t pages) {
  Buffer buffer;
  buffer.record_bytes = pages * page_bytes();
  buffer.event = FileDescriptor(open_event(event_attributes(buffer.record_bytes), pid, processor));
  if (!buffer.event.is_open()) {
    return false;
  }
  buffer.memory = mmap(nullptr, page_bytes() + buffer.record_bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED, buffer.event.number(), 0);
  if (buffer.memory == MAP_FAILED) {
    return false;
  }
  buffers_.push_back(std::move(buffer));
  return true;
}

void ExecWatch::read(const std::function<void(Exec)>& tell) {
  for (Buffer& buffer : buffers_) {
    read(buffer, tell);
  }
}

void ExecWatch::read(Buffer& buffer, const std::function<void(Exec)>& tell) {
  auto& page = *static_cast<perf_event_mmap_page*>(buffer.memory);
  const char* const records = static_cast<const char*>(buffer.memory) + page_bytes();
  // Pairs with the kernel's barrier behind the records, as its release does with ours.
  const std::uint64_t head = std::atomic_ref(page.data_head).load(std::memory_order_acquire);
  std::uint64_t at = page.data_tail;
  // The kernel says what found no room only with the next record that does.
  has_lost_ = has_lost_ || buffer.record_bytes - (head - at) < kMaxRecordBytes;
  while (at < head) {
    const std::size_t begin = at % buffer.record_bytes;
    perf_event_header header{};  // aligned to its size: never in two parts
    std::memcpy(&header, records + begin, sizeof header);
    if (header.size < sizeof header || header.size > head - at) {
      has_lost_ = true;
      at = head;
      break;
    }
    const std::size_t first = std::min<std::size_t>(header.size, buffer.record_bytes - begin);
    scratch_.assign(records + begin, first);
    scratch_.append(records, header.size - first);
    has_lost_ = has_lost_ || header.type == PERF_RECORD_LOST;
    if (is_exec(header)) {
      tell(exec_of(scratch_));
    }
    at += header.size;
  }
  std::atomic_ref(page.data_tail).store(at, std::memory_order_release);
}

bool ExecWatch::is_complete() const {
  return is_open() && !has_lost_ && online_processors() == processors_;
}

}  // namespace tidemark
