#include "collector/os/reaped_children.hpp"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace tidemark {
namespace {

/// The fields of `/proc/PID/stat` after the name, which may itself contain spaces and parentheses.
std::istringstream fields_behind_name(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  // Copied through a stream, which just ends if the process is gone: an iterator over its buffer
  // would throw.
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::size_t end = text.rfind(')');
  return std::istringstream(end == std::string::npos ? std::string() : text.substr(end + 1));
}

}  // namespace

bool has_reaped_children(pid_t pid) {
  std::istringstream fields = fields_behind_name(pid);
  // state, ppid, pgrp, session, tty_nr, tpgid, flags, minflt; then the waited-for children's.
  constexpr int kBeforeChildren = 8;
  std::string skipped;
  for (int i = 0; i < kBeforeChildren; ++i) {
    fields >> skipped;
  }
  std::uint64_t minor_faults = 0;
  // No process runs without a page fault, and the kernel adds up faults at the same place where it
  // takes the maximum of the peaks.
  return (fields >> minor_faults) && minor_faults != 0;
}

}  // namespace tidemark
