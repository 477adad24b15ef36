#include "analyzer/report/facts/lives_text.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::analyzer {
namespace {

std::string thread_text(const trace::Definitions& definitions, trace::ThreadId thread) {
  if (trace::index(thread) >= definitions.threads.size()) {
    return "an unknown thread";
  }
  const trace::Thread& known = definitions.threads[trace::index(thread)];
  return fmt::format("{}{}thread {}", known.name, known.name.empty() ? "" : ", ", known.tid);
}

/// Empty where no block is known.
std::string threads_text(const BlockLives& lives, const trace::Definitions& definitions) {
  const auto most =
      std::ranges::max_element(lives.threads, {}, [](const auto& thread) { return thread.second; });
  if (most == lives.threads.end()) {
    return {};
  }
  const std::string name = thread_text(definitions, most->first);
  return lives.threads.size() == 1
             ? " by " + name
             : fmt::format(" by {} threads, most by {}", format_count(lives.threads.size()), name);
}

std::string freed_text(const BlockLives& lives) {
  if (lives.first_freed_ns == UINT64_MAX) {
    return "; never freed";
  }
  const std::string freed = "; " + when_text("freed", lives.first_freed_ns, lives.last_freed_ns);
  return lives.kept_blocks == 0
             ? freed
             : freed + fmt::format("; {} of {} blocks {} never freed",
                                   format_count(lives.kept_blocks), format_count(lives.blocks),
                                   lives.kept_blocks == 1 ? "was" : "were");
}

}  // namespace

std::string when_text(std::string_view what, std::uint64_t first_ns, std::uint64_t last_ns) {
  const std::string first = format_time(first_ns);
  const std::string last = format_time(last_ns);
  return first == last ? fmt::format("{} at {}", what, first)
                       : fmt::format("{} from {} to {}", what, first, last);
}

std::string lives_text(const BlockLives& lives, const trace::Definitions& definitions) {
  // Of a damaged trace the allocation may be missing, and its block alive.
  const std::string allocated =
      lives.first_allocated_ns == UINT64_MAX
          ? "allocated"
          : when_text("allocated", lives.first_allocated_ns, lives.last_allocated_ns);
  return allocated + threads_text(lives, definitions) + freed_text(lives);
}

}  // namespace tidemark::analyzer
