#include "tests/faults/fault_verdict.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <link.h>
#include <sys/syscall.h>

namespace tidemark::faults {

Counts* g_counts = nullptr;
Fault g_fault;
bool g_is_ordered = false;
[[gnu::tls_model("initial-exec")]] thread_local bool t_is_searching = false;

Verdict judge(Call call) {
  if (!g_is_ordered || t_is_searching) {
    return Verdict::kGoOn;
  }
  const std::uint64_t number = ++g_counts->calls[static_cast<std::size_t>(call)];
  const bool is_it = call == g_fault.call &&
                     (number == g_fault.number || (number > g_fault.number && g_fault.lasts != 0));
  if (!is_it || g_fault.effect == Effect::kCount || g_fault.effect == Effect::kDiskFull) {
    return Verdict::kGoOn;
  }
  ++g_counts->faults;
  if (g_fault.effect == Effect::kShort) {
    return Verdict::kShorten;
  }
  if (g_fault.effect == Effect::kDie) {
    return Verdict::kDieAfter;
  }
  errno = g_fault.error;
  return Verdict::kFail;
}

namespace {

/// Where the C++ library is: what it asks malloc for is an operator new's.
std::uintptr_t g_cxx_begin = 0;
std::uintptr_t g_cxx_end = 0;

int find_in(dl_phdr_info* object, std::size_t, void*) {
  if (strstr(object->dlpi_name, "/libstdc++.so") == nullptr) {
    return 0;
  }
  g_cxx_begin = object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    const std::uintptr_t end = object->dlpi_addr + part.p_vaddr + part.p_memsz;
    if (part.p_type == PT_LOAD && end > g_cxx_end) {
      g_cxx_end = end;
    }
  }
  return 1;
}

}  // namespace

void find_cxx_library() {
  dl_iterate_phdr(find_in, nullptr);
}

bool allocation_fails(const void* caller) {
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  const bool is_new = place >= g_cxx_begin && place < g_cxx_end;
  const bool fails_as_new = is_new && fails(Call::kNew);
  return fails(Call::kAllocate) || fails_as_new;
}

bool fails(Call call) {
  return judge(call) == Verdict::kFail;
}

void die() {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

namespace {

/// Of `bytes` to be written, what still goes on the disk.
std::size_t room_for(std::size_t bytes) {
  if (!g_is_ordered) {
    return bytes;
  }
  const std::uint64_t before = g_counts->bytes_written.fetch_add(bytes);
  if (g_fault.effect != Effect::kDiskFull || before + bytes <= g_fault.number) {
    return bytes;
  }
  ++g_counts->faults;
  return before < g_fault.number ? g_fault.number - before : 0;
}

}  // namespace

ssize_t share_of_write(Verdict verdict, std::size_t bytes) {
  if (verdict == Verdict::kFail) {
    return -1;
  }
  if (verdict == Verdict::kShorten) {
    return static_cast<ssize_t>(bytes > 1 ? bytes / 2 : bytes);
  }
  const std::size_t room = room_for(bytes);
  if (room == 0 && bytes != 0) {
    errno = ENOSPC;
    return -1;
  }
  return static_cast<ssize_t>(room);
}

}  // namespace tidemark::faults
