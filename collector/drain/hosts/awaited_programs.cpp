#include "collector/drain/hosts/awaited_programs.hpp"

#include <algorithm>
#include <iterator>

namespace tidemark {
namespace {

/// How long a child may appear before its parent's record of it.
constexpr std::uint64_t kMaxRecordDelayNs = 10'000'000'000;

}  // namespace

bool may_be_same(const ProcessNumbers& one, const ProcessNumbers& other) {
  if (one.identity != 0 && other.identity != 0)
    return one.identity == other.identity;
  if (one.pid != 0 && other.pid != 0)
    return one.pid == other.pid;
  return one.own_pid == other.own_pid && (one.pid_namespace == other.pid_namespace ||
                                          one.pid_namespace == ProcessNumbers::kUnknownNamespace ||
                                          other.pid_namespace == ProcessNumbers::kUnknownNamespace);
}

void AwaitedPrograms::child_started(const ProcessNumbers& child,
                                    std::uint64_t at_ns,
                                    std::span<const trace::Process> known) {
  const std::uint64_t since_ns = at_ns - std::min(at_ns, kMaxRecordDelayNs);
  const auto is_child = [&](const trace::Process& process) {
    return process.pid == child.pid && process.begin_ns >= since_ns;
  };
  if (std::ranges::none_of(known, is_child))
    programs_.push_back({.numbers = child, .at_ns = at_ns, .seen_since_ns = since_ns});
}

void AwaitedPrograms::image_left(const ProcessNumbers& process, std::uint64_t at_ns) {
  programs_.push_back({.numbers = process, .at_ns = at_ns, .seen_since_ns = at_ns});
}

void AwaitedPrograms::arrived(const ProcessNumbers& process) {
  const auto is_it = [&](const Program& program) { return may_be_same(program.numbers, process); };
  // Only one: several pid namespaces may each be waiting for a process with that pid.
  if (const auto known = std::ranges::find_if(programs_, is_it); known != programs_.end())
    programs_.erase(known);
}

void AwaitedPrograms::exec_failed(std::uint32_t own_pid, std::uint64_t pid_namespace) {
  std::erase_if(programs_, [&](const Program& program) {
    return program.numbers.own_pid == own_pid && program.numbers.pid_namespace == pid_namespace;
  });
}

void AwaitedPrograms::look_for_ends(const std::function<std::uint64_t()>& now,
                                    const std::function<bool(pid_t)>& is_gone) {
  for (Program& program : programs_) {
    const auto pid = static_cast<pid_t>(program.numbers.pid);
    if (pid != 0)
      program.end.look(program.at_ns, now, [&] { return is_gone(pid); });
  }
}

std::vector<AwaitedPrograms::Program> AwaitedPrograms::take_started_before(
    std::uint64_t before_ns) {
  std::vector<Program> taken;
  std::erase_if(programs_, [&](const Program& program) {
    if (program.at_ns >= before_ns)
      return false;
    taken.push_back(program);
    return true;
  });
  return taken;
}

}  // namespace tidemark
