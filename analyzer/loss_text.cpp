#include "analyzer/loss_text.hpp"

#include "analyzer/size_text.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace tidemark::analyzer {
namespace {

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return format_count(count) + ' ' + std::string(count == 1 ? one : many);
}

/// Of a file that has its end it is known which blocks held events.
std::string damaged_blocks(const trace::Loss& loss) {
  const std::string blocks = counted(loss.blocks_damaged, "damaged block", "damaged blocks");
  if (loss.events_damaged != 0) {
    return fmt::format("{} ({})", blocks, counted(loss.events_damaged, "event", "events"));
  }
  return blocks + (loss.torn ? " (it is not known of what)"
                             : " without events (of names, files or samples)");
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
    parts.push_back(counted(loss.processes_unrecorded, "whole process", "whole processes"));
  }
  if (loss.threads_unrecorded != 0) {
    parts.push_back(counted(loss.threads_unrecorded, "whole thread", "whole threads"));
  }
  if (loss.stacks_truncated != 0) {
    parts.push_back("the outer frames of " + counted(loss.stacks_truncated, "stack", "stacks"));
  }
  if (loss.blocks_unknown + loss.events_unknown != 0) {
    parts.emplace_back("what a newer tidemark added and this one cannot read");
  }
  return parts;
}

}  // namespace

bool loses_anything(const trace::Loss& loss) {
  return loss.hides_memory() || loss.torn || loss.bytes_damaged != 0;
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

}  // namespace tidemark::analyzer
