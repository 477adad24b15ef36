#include "tests/end_to_end/recording.hpp"

#include <algorithm>
#include <stdexcept>

namespace tidemark::tests {

using trace::Event;
using trace::EventKind;
using trace::Lane;

Events::Events(const std::string& path) {
  auto reader = trace::TraceReader::open(path);
  if (!reader.ok())
    throw std::runtime_error(path + ": " + reader.error().message);
  const auto note_release = [&](std::uint64_t number) {
    if (number < has_gone_.size())
      has_gone_[number] = true;
  };
  reader.value().for_each([&](const Event& event) {
    all_.push_back(event);
    if (event.kind == EventKind::kRelease)
      note_release(event.allocation);
    if (event.kind == EventKind::kReallocate)
      note_release(event.released);
    if (trace::is_allocation(event.kind)) {
      block_bytes_.push_back(event.size);
      is_heap_.push_back(event.lane == Lane::kHeap);
      has_gone_.push_back(false);
    }
    return true;
  });
  definitions_ = reader.value().definitions();
  loss_ = reader.value().loss();
}

std::size_t Events::count(const std::function<bool(const Event&)>& claim) const {
  return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), claim));
}

std::size_t Events::count(EventKind kind) const {
  return count([&](const Event& event) { return event.kind == kind; });
}

std::size_t Events::allocations(std::uint64_t size) const {
  return count([&](const Event& event) {
    return trace::is_allocation(event.kind) && event.lane == Lane::kHeap && event.size == size;
  });
}

std::size_t Events::releases(std::uint64_t size) const {
  return count([&](const Event& event) {
    return event.lane == Lane::kHeap &&
           ((event.kind == EventKind::kRelease && event.size == size) ||
            (event.kind == EventKind::kReallocate && event.released_size == size));
  });
}

std::size_t Events::failures(std::uint64_t size) const {
  return count(
      [&](const Event& event) { return event.kind == EventKind::kFail && event.size == size; });
}

std::size_t Events::blocks_left() const {
  std::size_t left = 0;
  for (std::size_t i = 0; i < has_gone_.size(); ++i)
    left += is_heap_[i] && !has_gone_[i] ? 1U : 0U;
  return left;
}

std::size_t Events::blocks_left(std::uint64_t size) const {
  return blocks_left(size, size + 1);
}

std::size_t Events::blocks_left(std::uint64_t size, std::uint64_t end) const {
  std::size_t left = 0;
  for (std::size_t i = 0; i < has_gone_.size(); ++i) {
    const bool is_meant = block_bytes_[i] >= size && block_bytes_[i] < end;
    left += is_heap_[i] && !has_gone_[i] && is_meant ? 1U : 0U;
  }
  return left;
}

std::vector<std::uint64_t> Events::levels(Lane lane) const {
  std::vector<std::uint64_t> levels{0};
  trace::LaneTotals totals;
  for (const Event& event : all_) {
    trace::apply(event, totals);
    if (totals[lane] != levels.back())
      levels.push_back(totals[lane]);
  }
  return levels;
}

std::uint64_t Events::peak(Lane lane) const {
  const auto all = levels(lane);
  return *std::max_element(all.begin(), all.end());
}

std::uint64_t Events::peak_footprint() const {
  trace::LaneTotals totals;
  std::uint64_t peak = 0;
  for (const Event& event : all_) {
    trace::apply(event, totals);
    peak = std::max(peak, totals.footprint());
  }
  return peak;
}

std::vector<std::string> Events::functions(const Event& event) const {
  std::vector<std::string> names;
  for (trace::StackId id = event.stack; id != trace::kNoStack;) {
    const trace::StackNode& node = definitions_.stacks.at(trace::index(id));
    if (trace::index(node.frame) < definitions_.locations.size()) {
      for (const trace::Location& location : definitions_.locations[trace::index(node.frame)])
        names.push_back(location.function);
    }
    id = node.parent;
  }
  return names;
}

/// By stack; each comes after its parent. Stacks are thousands of frames deep in some tests, so
/// they are not walked event by event.
std::vector<bool> Events::stacks_through(const std::string& name) const {
  const auto is_named = [&](const trace::Location& location) {
    return location.function.find(name) != std::string::npos;
  };
  std::vector<bool> through(definitions_.stacks.size(), false);
  for (std::size_t i = trace::index(trace::kNoStack) + 1; i < through.size(); ++i) {
    const trace::StackNode& node = definitions_.stacks[i];
    const std::size_t frame = trace::index(node.frame);
    through[i] = through.at(trace::index(node.parent)) ||
                 (frame < definitions_.locations.size() &&
                  std::ranges::any_of(definitions_.locations[frame], is_named));
  }
  return through;
}

std::size_t Events::allocations_in(const std::string& name, std::uint64_t size) const {
  const std::vector<bool> through = stacks_through(name);
  return count([&](const Event& event) {
    return trace::is_allocation(event.kind) && event.lane == Lane::kHeap && event.size == size &&
           through.at(trace::index(event.stack));
  });
}

const trace::Process& Events::process(const Event& event) const {
  const trace::Thread& thread = definitions_.threads.at(trace::index(event.thread));
  return definitions_.processes.at(trace::index(thread.process));
}

std::size_t Events::allocations_by(std::uint32_t pid, std::uint64_t size) const {
  return count([&](const Event& event) {
    return trace::is_allocation(event.kind) && event.lane == Lane::kHeap && event.size == size &&
           process(event).pid == pid;
  });
}

std::uint64_t Events::bytes_read(const std::string& path) const {
  std::uint64_t bytes = 0;
  for (const Event& event : all_) {
    if (event.kind == EventKind::kRead && event.extra < definitions_.files.size() &&
        definitions_.files[event.extra].path == path)
      bytes += event.size;
  }
  return bytes;
}

}  // namespace tidemark::tests
