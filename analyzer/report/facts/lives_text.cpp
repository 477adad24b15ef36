#include "analyzer/report/facts/lives_text.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

std::string thread_text(const trace::Definitions& definitions, trace::ThreadId thread) {
  if (trace::index(thread) >= definitions.threads.size()) {
    return "an unknown thread";
  }
  const trace::Thread& known = definitions.threads[trace::index(thread)];
  return fmt::format("{}{}thread {}", known.name, known.name.empty() ? "" : ", ", known.tid);
}

/// Empty if no block is known.
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

std::string when_exactly(std::string_view what, std::uint64_t first_ns, std::uint64_t last_ns) {
  const std::string first = format_exact_time(first_ns);
  const std::string last = format_exact_time(last_ns);
  return first == last ? fmt::format("{} at {}", what, first)
                       : fmt::format("{} from {} to {}", what, first, last);
}

/// The name of the last phase that began until then and was open; empty if there was none.
std::string phase_then(std::span<const Phase> phases, std::uint64_t ns) {
  const Phase* open = nullptr;
  for (const Phase& phase : phases) {
    const bool is_open = phase.begin_ns <= ns && ns <= phase.end_ns;
    if (is_open && (open == nullptr || open->begin_ns <= phase.begin_ns)) {
      open = &phase;
    }
  }
  return open == nullptr ? std::string() : open->name;
}

/// `, in phase read`; `, in phases read to convert`.
std::string in_phases(std::span<const Phase> phases,
                      std::uint64_t first_ns,
                      std::uint64_t last_ns) {
  const std::string first = phase_then(phases, first_ns);
  const std::string last = phase_then(phases, last_ns);
  if (first.empty() || last.empty()) {
    return {};
  }
  return first == last ? ", in phase " + first : fmt::format(", in phases {} to {}", first, last);
}

/// `, 1.2 ms after the peak`.
std::string after_peak(std::uint64_t peak_ns, std::uint64_t first_ns, std::uint64_t last_ns) {
  if (first_ns < peak_ns) {
    return {};  // A damaged trace.
  }
  const std::string first = format_time(first_ns - peak_ns);
  const std::string last = format_time(last_ns - peak_ns);
  return first == last ? fmt::format(", {} after the peak", first)
                       : fmt::format(", {} to {} after the peak", first, last);
}

/// Most of what is released then is given back as the program ends.
std::string before_end(std::uint64_t end_ns, std::uint64_t last_ns) {
  constexpr std::uint64_t kEndPart = 100;
  return last_ns <= end_ns && end_ns - last_ns <= end_ns / kEndPart
             ? fmt::format(", {} before the end", format_time(end_ns - last_ns))
             : std::string();
}

/// `3 of 4 blocks `.
std::string some_of(std::uint64_t some, std::uint64_t all) {
  return fmt::format("{} of {} blocks ", format_count(some), format_count(all));
}

std::string freed_text(const BlockLives& lives, const LoadMoments& moments) {
  const auto [first, last] = std::pair(lives.first_freed_ns, lives.last_freed_ns);
  if (first == UINT64_MAX) {
    return "; never freed";
  }
  // An emptied block stays allocated, and is never freed.
  const bool is_emptied = lives.emptied_blocks == lives.blocks - lives.kept_blocks;
  const std::string freed = "; " + when_exactly(is_emptied ? "given back" : "freed", first, last) +
                            after_peak(moments.peak_ns, first, last) +
                            before_end(moments.end_ns, last) +
                            in_phases(moments.phases, first, last);
  return lives.kept_blocks == 0
             ? freed
             : freed + fmt::format("; {}{} never freed", some_of(lives.kept_blocks, lives.blocks),
                                   lives.kept_blocks == 1 ? "was" : "were");
}

/// `; 3 of 4 blocks last resized from 14 ms to 20 ms`: before the instant.
std::string resized_text(const BlockLives& lives) {
  if (lives.resized_blocks == 0) {
    return {};
  }
  const std::string which = lives.resized_blocks == lives.blocks
                                ? std::string()
                                : some_of(lives.resized_blocks, lives.blocks);
  return "; " + when_exactly(which + "last resized", lives.first_resized_ns, lives.last_resized_ns);
}

/// A block that another function makes larger or smaller belongs to that one from then on.
std::string taken_text(const BlockLives& lives, const LoadMoments& moments) {
  if (lives.taken_blocks == 0) {
    return {};
  }
  const std::string which = lives.taken_blocks == lives.blocks
                                ? std::string()
                                : some_of(lives.taken_blocks, lives.blocks);
  const auto [first, last] = std::pair(lives.first_taken_ns, lives.last_taken_ns);
  const std::string resized =
      fmt::format("{}resized by another function to {}{}", which, format_size(lives.taken_bytes),
                  lives.taken_blocks == 1 ? "" : " in all,");
  return "; " + when_exactly(resized, first, last) + after_peak(moments.peak_ns, first, last);
}

/// A sum of many says nothing of the one that somebody looks for.
std::string largest_text(const BlockLives& lives) {
  if (lives.blocks < 2 || lives.largest_bytes < kToldAlone) {
    return {};
  }
  const std::string size = format_size(lives.largest_bytes);
  if (lives.smallest_bytes == lives.largest_bytes) {
    return "; each of " + size;
  }
  const bool go_alike = lives.first_freed_ns == UINT64_MAX ||
                        (lives.kept_blocks == 0 && format_exact_time(lives.first_freed_ns) ==
                                                       format_exact_time(lives.last_freed_ns));
  const std::string when = lives.largest_freed_ns == UINT64_MAX
                               ? ", never freed"
                               : ", freed at " + format_exact_time(lives.largest_freed_ns);
  return "; largest: " + size + (go_alike ? "" : when);
}

}  // namespace

std::string when_text(std::string_view what, std::uint64_t first_ns, std::uint64_t last_ns) {
  const std::string first = format_time(first_ns);
  const std::string last = format_time(last_ns);
  return first == last ? fmt::format("{} at {}", what, first)
                       : fmt::format("{} from {} to {}", what, first, last);
}

std::string lives_text(const BlockLives& lives,
                       const trace::Definitions& definitions,
                       const LoadMoments& moments) {
  const auto [first, last] = std::pair(lives.first_allocated_ns, lives.last_allocated_ns);
  const std::string threads = threads_text(lives, definitions);
  // In a damaged trace the allocation may be missing, and its block alive.
  const std::string allocated = first == UINT64_MAX
                                    ? "allocated" + threads
                                    : when_exactly("allocated", first, last) + threads +
                                          in_phases(moments.phases, first, last);
  return allocated + resized_text(lives) + taken_text(lives, moments) + freed_text(lives, moments) +
         largest_text(lives);
}

}  // namespace tidemark::analyzer
