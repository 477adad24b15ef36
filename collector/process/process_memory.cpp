#include "collector/process/process_memory.hpp"

#include "collector/process/proc_file.hpp"
#include "collector/process/process_tree.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <unistd.h>

namespace tidemark {
namespace {

/// The value of a line "\nKey:  123 kB" in bytes.
std::optional<std::uint64_t> find_kib(std::string_view status, std::string_view key) {
  const auto at = status.find(key);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const auto digits = status.find_first_not_of(" \t", at + key.size());
  if (digits == std::string_view::npos) {
    return std::nullopt;
  }
  std::uint64_t kib = 0;
  const char* end = status.data() + status.size();
  if (std::from_chars(status.data() + digits, end, kib).ec != std::errc{}) {
    return std::nullopt;
  }
  return kib * 1024;
}

/// @return empty for a zombie, whose status has no memory lines any more.
std::optional<MemorySample> parse_status(std::string_view status) {
  const auto high_water = find_kib(status, "\nVmHWM:");
  const auto anon = find_kib(status, "\nRssAnon:");
  const auto file = find_kib(status, "\nRssFile:");
  const auto shmem = find_kib(status, "\nRssShmem:");
  if (!high_water || !anon || !file || !shmem) {
    return std::nullopt;
  }
  return MemorySample{*anon, *file, *shmem, *high_water};
}

}  // namespace

std::optional<MemoryRollup> read_memory_rollup(pid_t pid) {
  const std::string text = read_proc(thread_with_memory(pid), "smaps_rollup");
  const auto pss_anon = find_kib(text, "\nPss_Anon:");
  const auto pss_file = find_kib(text, "\nPss_File:");
  const auto pss_shmem = find_kib(text, "\nPss_Shmem:");
  const auto lazily_freed = find_kib(text, "\nLazyFree:");
  const auto own_dirty = find_kib(text, "\nPrivate_Dirty:");
  const auto anon = find_kib(text, "\nAnonymous:");
  if (!pss_anon || !pss_file || !pss_shmem || !lazily_freed || !own_dirty || !anon) {
    return std::nullopt;
  }
  const std::uint64_t own = *own_dirty - std::min(*own_dirty, *pss_shmem);
  return MemoryRollup{.pss_anon_bytes = *pss_anon,
                      .pss_file_bytes = *pss_file,
                      .pss_shmem_bytes = *pss_shmem,
                      .anon_bytes = *anon,
                      .own_anon_bytes = std::min(own, *pss_anon),
                      .own_anon_at_most_bytes = std::min(*own_dirty, *pss_anon),
                      .lazily_freed_bytes = *lazily_freed};
}

ProcessMemory::ProcessMemory(pid_t pid, FileDescriptor status, FileDescriptor maps)
    : pid_(pid), status_(std::move(status)), maps_(std::move(maps)) {}

std::optional<ProcessMemory> ProcessMemory::open(pid_t pid) {
  const pid_t thread = thread_with_memory(pid);
  FileDescriptor status = unless_among_the_last(open_proc(thread, "status"));
  FileDescriptor maps = unless_among_the_last(open_proc(thread, "maps"));
  if (!status.is_open()) {
    return std::nullopt;
  }
  return ProcessMemory(pid, std::move(status), std::move(maps));
}

bool ProcessMemory::is_same_image() const {
  // Denied for programs that made themselves undumpable, which are sampled all the same.
  if (!maps_.is_open()) {
    return true;
  }
  // Reading one byte makes the kernel format one mapping. The file belongs to the image that
  // existed when it was opened; once that is gone, there are none.
  char first = 0;
  return ::pread(maps_.number(), &first, 1, 0) == 1;
}

std::string ProcessMemory::read_maps() const {
  constexpr std::size_t kMaxBytes = std::size_t{8} << 20U;
  constexpr std::size_t kStep = std::size_t{64} << 10U;
  std::string text;
  if (!maps_.is_open()) {
    return text;
  }
  std::size_t filled = 0;
  for (ssize_t got = 1; got > 0;) {
    text.resize(filled + kStep);
    got = ::pread(maps_.number(), text.data() + filled, kStep, static_cast<off_t>(filled));
    filled += got > 0 ? static_cast<std::size_t>(got) : 0;
    if (got < 0 || filled > kMaxBytes) {
      return {};
    }
  }
  text.resize(filled);
  // Checked afterwards: an image that ended meanwhile has shown only part of its areas.
  return is_same_image() ? text : std::string();
}

std::optional<MemorySample> ProcessMemory::read() {
  auto sample = read_status();
  if (!sample && maps_.is_open() && is_same_image()) {
    // Its main thread, or the thread asked since then, has ended.
    status_ = unless_among_the_last(open_proc(thread_with_memory(pid_), "status"));
    sample = read_status();
  }
  // Checked afterwards: an exec between the two reads must not pass for this image.
  return sample && is_same_image() ? sample : std::nullopt;
}

std::optional<MemorySample> ProcessMemory::read_status() const {
  std::array<char, 8192> text{};
  const ssize_t bytes = ::pread(status_.number(), text.data(), text.size(), 0);
  return bytes > 0 ? parse_status({text.data(), static_cast<std::size_t>(bytes)}) : std::nullopt;
}

}  // namespace tidemark
