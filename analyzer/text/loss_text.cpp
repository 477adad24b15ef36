#include "analyzer/text/loss_text.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {
namespace {

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return format_count(count) + ' ' + std::string(count == 1 ? one : many);
}

/// If the file has its end, it is known which blocks held events.
std::string damaged_blocks(const trace::Loss& loss) {
  const std::string blocks = counted(loss.blocks_damaged, "damaged block", "damaged blocks");
  if (loss.events_damaged != 0) {
    return fmt::format("{} ({})", blocks, counted(loss.events_damaged, "event", "events"));
  }
  return blocks + (loss.torn ? " (it is not known of what)"
                             : " without events (of names, files or samples)");
}

/// Programs of one command that were not recorded for one reason.
struct Group {
  std::string command;
  trace::WhyUnrecorded why = trace::WhyUnrecorded::kUnknown;
  std::uint32_t pid = 0;  ///< The first one's.
  std::uint64_t processes = 0;
  std::uint64_t most_bytes = 0;  ///< The most that one of them may have had; 0: not known for all.
};

std::vector<Group> groups_of(const trace::Loss& loss) {
  std::vector<Group> groups;
  for (const trace::Unrecorded& entry : loss.unrecorded) {
    const auto known = std::ranges::find_if(groups, [&](const Group& group) {
      return group.command == entry.command && group.why == entry.why;
    });
    const bool is_first = known == groups.end();
    Group& group = is_first ? groups.emplace_back(Group{.command = entry.command,
                                                        .why = entry.why,
                                                        .pid = entry.pid,
                                                        .most_bytes = entry.most_bytes})
                            : *known;
    group.processes += entry.processes;
    const bool are_known = group.most_bytes != 0 && entry.most_bytes != 0;
    group.most_bytes = are_known ? std::max(group.most_bytes, entry.most_bytes) : 0;
  }
  return groups;
}

std::string line_of(const Group& group) {
  std::string line(reason_text(group.why));
  if (group.processes > 1) {
    line += fmt::format(", {} processes", format_count(group.processes));
  } else if (group.pid != 0) {
    line += fmt::format(", pid {}", group.pid);
  }
  // More than any machine has says nothing.
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 40U;
  if (group.most_bytes != 0 && group.most_bytes < kMuch) {
    line += fmt::format(", {}at most {}", group.processes > 1 ? "each " : "",
                        format_size(group.most_bytes));
  }
  return group.command.empty() ? line : line + ": " + group.command;
}

std::vector<std::string> parts_of(const trace::Loss& loss) {
  std::vector<std::string> parts;
  if (loss.torn) {
    parts.emplace_back("the end of the recording");
  }
  if (loss.blocks_damaged != 0) {
    parts.push_back(damaged_blocks(loss));
  } else if (loss.bytes_damaged != 0) {
    parts.push_back(format_size(loss.bytes_damaged) + " of damaged file");
  }
  if (loss.records_dropped != 0) {
    parts.push_back(counted(loss.records_dropped, "dropped record", "dropped records"));
  }
  if (loss.events_unwritten != 0) {
    parts.push_back(counted(loss.events_unwritten, "event", "events") +
                    " that did not fit the disk");
  }
  if (loss.processes_unrecorded != 0) {
    parts.push_back(counted(loss.processes_unrecorded, "whole process", "whole processes") +
                    unrecorded_reasons(loss));
  }
  if (loss.processes_left != 0) {
    parts.push_back(survivors_text(loss));
  }
  if (loss.threads_unrecorded != 0) {
    parts.push_back(counted(loss.threads_unrecorded, "whole thread", "whole threads") +
                    thread_reasons(loss));
  }
  if (const std::string input = unseen_input_text(loss); !input.empty()) {
    parts.push_back(input + " that tidemark did not see");
  }
  if (loss.unmapped_unseen_bytes != 0) {
    parts.push_back("the end of " + format_size(loss.unmapped_unseen_bytes) +
                    " of mappings, which counted for too long");
  }
  if (loss.written_unseen_bytes != 0) {
    parts.push_back(unseen_writes_text(loss));
  }
  if (loss.stacks_truncated != 0) {
    parts.push_back("the outer frames of " + counted(loss.stacks_truncated, "stack", "stacks"));
  }
  if (loss.blocks_unknown + loss.events_unknown != 0) {
    parts.emplace_back("what a newer tidemark added and this one cannot read");
  }
  return parts;
}

using ReasonCounts = std::map<trace::WhyUnrecorded, std::uint64_t>;

std::string reasons_text(const ReasonCounts& counts) {
  if (counts.size() == 1) {
    return fmt::format(" ({})", reason_text(counts.begin()->first));
  }
  std::vector<std::string> reasons;
  for (const auto& [why, count] : counts) {
    reasons.push_back(fmt::format("{} {}", format_count(count), reason_text(why)));
  }
  return reasons.empty() ? std::string() : fmt::format(" ({})", fmt::join(reasons, ", "));
}

}  // namespace

std::string_view reason_text(trace::WhyUnrecorded why) {
  switch (why) {
    case trace::WhyUnrecorded::kArchitecture:
      return "not 64-bit x86-64";
    case trace::WhyUnrecorded::kStatic:
      return "statically linked";
    case trace::WhyUnrecorded::kCLibrary:
      return "linked with another C library than glibc";
    case trace::WhyUnrecorded::kSetId:
      return "set-id or with file capabilities";
    case trace::WhyUnrecorded::kEnvironment:
      return "started with a cleared environment";
    case trace::WhyUnrecorded::kSanitizer:
      return "built with a sanitizer";
    case trace::WhyUnrecorded::kRootDirectory:
      return "in another root directory (chroot, container)";
    case trace::WhyUnrecorded::kMountNamespace:
      return "in a mount namespace without tidemark";
    case trace::WhyUnrecorded::kPidNamespace:
      return "in a pid namespace with a /proc of its own";
    case trace::WhyUnrecorded::kUserNamespace:
      return "in a user namespace";
    case trace::WhyUnrecorded::kPrivileges:
      return "another user's or with fewer rights";
    case trace::WhyUnrecorded::kAddressSpace:
      return "short of address space (ulimit -v)";
    case trace::WhyUnrecorded::kTooMany:
      return "too many at one time";
    case trace::WhyUnrecorded::kEndedEarly:
      return "gone too soon to tell why";
    case trace::WhyUnrecorded::kBareFork:
      return "forked by a bare system call";
    case trace::WhyUnrecorded::kSeccomp:
      return "kept out by a seccomp filter";
    case trace::WhyUnrecorded::kUnknown:
      break;
  }
  return "for an unknown reason";
}

std::string unrecorded_reasons(const trace::Loss& loss) {
  ReasonCounts counts;
  for (const trace::Unrecorded& entry : loss.unrecorded) {
    counts[entry.why] += entry.processes;
  }
  return reasons_text(counts);
}

std::string thread_reasons(const trace::Loss& loss) {
  ReasonCounts counts{{trace::WhyUnrecorded::kSeccomp, loss.threads_seccomp},
                      {trace::WhyUnrecorded::kAddressSpace, loss.threads_address_space},
                      {trace::WhyUnrecorded::kTooMany, loss.threads_too_many}};
  std::erase_if(counts, [](const auto& reason) { return reason.second == 0; });
  return reasons_text(counts);
}

std::vector<std::string> unrecorded_lines(const trace::Session& session,
                                          const trace::Loss& loss,
                                          std::size_t most) {
  std::vector<std::string> lines;
  std::uint64_t listed = 0;
  for (const Group& group : groups_of(loss)) {
    if (lines.size() == most) {
      break;
    }
    lines.push_back(line_of(group));
    listed += group.processes;
  }
  if (loss.processes_unrecorded > listed && !lines.empty()) {
    lines.push_back(fmt::format("{} more", format_count(loss.processes_unrecorded - listed)));
  }
  if (!lines.empty() && !session.execs_watched) {
    lines.emplace_back("perhaps more that had ended before they were seen: execs were not watched");
  }
  return lines;
}

std::string unseen_reads_text(const trace::Loss& loss) {
  if (!loss.hides_reads()) {
    return {};
  }
  constexpr std::uint64_t kNotableReadBytes = std::uint64_t{1} << 20U;
  const std::string bytes = format_size(loss.reads_unseen_bytes) + " of reads";
  const std::string rings =
      "the reads by io_uring of " + counted(loss.rings_unseen, "process", "processes");
  if (loss.rings_unseen == 0) {
    return bytes;
  }
  return loss.reads_unseen_bytes < kNotableReadBytes ? rings : bytes + " and " + rings;
}

std::string unseen_mappings_text(const trace::Loss& loss) {
  if (!loss.hides_mappings()) {
    return {};
  }
  const std::string bytes = format_size(loss.mapped_unseen_bytes) + " of mappings";
  if (loss.mapped_unseen.empty()) {
    return bytes;
  }
  const std::string& path = loss.mapped_unseen.front().path;
  const std::string name = path.substr(path.rfind('/') + 1);
  std::uint64_t listed = 0;
  for (const trace::UnseenFile& file : loss.mapped_unseen) {
    listed += file.bytes;
  }
  const bool are_more = loss.mapped_unseen.size() > 1 || listed < loss.mapped_unseen_bytes;
  return fmt::format("{} ({}{})", bytes, name, are_more ? " and others" : "");
}

std::string unseen_input_text(const trace::Loss& loss) {
  const std::string reads = unseen_reads_text(loss);
  const std::string mappings = unseen_mappings_text(loss);
  return reads + (reads.empty() || mappings.empty() ? "" : " and ") + mappings;
}

std::string unseen_writes_text(const trace::Loss& loss) {
  return loss.written_unseen_bytes == 0 ? std::string()
                                        : fmt::format(
                                              "up to {} written to mapped files, or by forked "
                                              "processes, right before they went",
                                              format_size(loss.written_unseen_bytes));
}

std::string survivors_text(const trace::Loss& loss) {
  return loss.processes_left == 0
             ? std::string()
             : fmt::format("what {} still running did after the recording",
                           counted(loss.processes_left, "process that was", "processes that were"));
}

bool loses_anything(const trace::Loss& loss) {
  return loss.hides_mappings() || loss.unmapped_unseen_bytes != 0 || loss.hides_memory() ||
         loss.hides_reads() || loss.torn || loss.bytes_damaged != 0;
}

bool loses_end(const trace::Loss& loss) {
  return loss.torn || loss.events_unwritten != 0;
}

std::string loss_text(const trace::Loss& loss) {
  const auto parts = parts_of(loss);
  return parts.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(parts, ", "));
}

std::string describe_loss(const trace::Loss& loss) {
  return "missing from the trace: " + loss_text(loss);
}

std::string deep_bound_text() {
  return "a library was opened with RTLD_DEEPBIND: what it asks of libc itself is not recorded";
}

std::string unread_python_text(const std::string& version) {
  return "frames of Python " + version +
         " are not known to this tidemark: stacks have those of the interpreter alone";
}

}  // namespace tidemark::analyzer
