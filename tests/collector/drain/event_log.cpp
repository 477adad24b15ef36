#include "tests/collector/drain/event_log.hpp"

#include <algorithm>
#include <sstream>

namespace tidemark::tests {

using namespace trace;

void EventLog::expect(bool holds, const char* rule) {
  if (!holds)
    breaches_.push_back("event " + std::to_string(events_.size() - 1) + ": " + rule);
}

void EventLog::check_ids(const Event& event) {
  expect(index(event.stack) < stacks_.size(), "its stack does not exist");
  expect(index(event.thread) < threads_.size(), "its thread does not exist");
  switch (event.kind) {
    case EventKind::kAllocate:
      expect(event.lane != Lane::kFile || event.extra < files_.size(), "its file does not exist");
      break;
    case EventKind::kOpen:
    case EventKind::kClose:
    case EventKind::kRead:
      expect(event.extra < files_.size(), "its file does not exist");
      break;
    case EventKind::kPhaseBegin:
    case EventKind::kPhaseEnd:
    case EventKind::kLoad:
      expect(event.extra < names_.size(), "its name does not exist");
      break;
    case EventKind::kProcessBegin:
    case EventKind::kProcessEnd:
    case EventKind::kReleaseAll:
      expect(event.extra < processes_.size(), "its process does not exist");
      break;
    case EventKind::kCopy:
    case EventKind::kFill:
    case EventKind::kReadInto:
      expect(event.allocation == trace::kNoAllocation || live_.contains(event.allocation),
             "it touches a block that is not alive");
      expect(event.kind != EventKind::kCopy || event.released == trace::kNoAllocation ||
                 live_.contains(event.released),
             "it copies from a block that is not alive");
      break;
    default:
      break;
  }
}

void EventLog::release(const Event& event,
                       std::uint64_t allocation,
                       std::uint64_t bytes,
                       bool whole) {
  const auto place = live_.find(allocation);
  expect(place != live_.end(), "what it releases is not alive");
  if (place == live_.end())
    return;
  Block& block = place->second;
  expect(block.lane == event.lane, "what it releases is in another lane");
  expect(bytes <= block.bytes, "it releases more than there is");
  expect(!whole || bytes == block.bytes, "it releases the whole and is not its size");
  expect(block.lane == Lane::kShared || block.process == threads_[index(event.thread)].process,
         "it releases another process's block");
  bytes = std::min(bytes, block.bytes);
  live_bytes_[block.lane] -= bytes;
  block.bytes -= bytes;
  if (whole)
    live_.erase(place);
}

void EventLog::grow(const Event& event) {
  const auto place = live_.find(event.allocation);
  expect(place != live_.end(), "what grows is not alive");
  if (place == live_.end())
    return;
  expect(place->second.lane == event.lane, "what grows is in another lane");
  live_bytes_[event.lane] += event.size;
  place->second.bytes += event.size;
}

void EventLog::release_all(const Event& event) {
  std::uint64_t bytes = 0;
  std::erase_if(live_, [&](const auto& entry) {
    const Block& block = entry.second;
    const bool goes = block.lane == event.lane && index(block.process) == event.extra;
    bytes += goes ? block.bytes : 0;
    return goes;
  });
  live_bytes_[event.lane] -= bytes;
  expect(bytes == event.size, "it releases all and is not all that is alive");
}

std::uint64_t EventLog::append(const Event& event) {
  if (on_event)
    on_event();
  events_.push_back(event);
  check_ids(event);
  switch (event.kind) {
    case EventKind::kRelease:
      release(event, event.allocation, event.size, true);
      break;
    case EventKind::kReleasePart:
      release(event, event.allocation, event.size, false);
      break;
    case EventKind::kGrow:
      grow(event);
      break;
    case EventKind::kReallocate:
      release(event, event.released, event.released_size, true);
      break;
    case EventKind::kReleaseAll:
      release_all(event);
      break;
    default:
      break;
  }
  apply(event, totals_);
  if (is_allocation(event.kind)) {
    events_.back().allocation = allocations_;
    live_[allocations_] = {event.size, event.lane, threads_[index(event.thread)].process};
    live_bytes_[event.lane] += event.size;
    ++allocations_;
  }
  expect(live_bytes_ == totals_, "the totals are not the sum of what is alive");
  return allocations_ - 1;
}

std::vector<Event> EventLog::of_kind(EventKind kind) const {
  std::vector<Event> found;
  std::copy_if(events_.begin(), events_.end(), std::back_inserter(found),
               [&](const Event& event) { return event.kind == kind; });
  return found;
}

std::string EventLog::stack_text(StackId stack) const {
  std::ostringstream text;
  for (; stack != kNoStack; stack = stacks_[index(stack)].parent) {
    const Frame& frame = frames_[index(stacks_[index(stack)].frame)];
    text << (text.tellp() != 0 ? " < " : "");
    if (frame.language == FrameLanguage::kPython) {
      const Location& at = locations_.at(index(stacks_[index(stack)].frame)).front();
      text << at.function << " " << at.file << ":" << std::dec << at.line;
      continue;
    }
    text << modules_[index(frame.module)].path << "+" << std::hex << frame.offset;
  }
  return text.str();
}

NameId EventLog::add_name(std::string_view name) {
  const auto known = std::find(names_.begin(), names_.end(), name);
  if (known != names_.end())
    return NameId{static_cast<std::uint32_t>(known - names_.begin())};
  names_.emplace_back(name);
  return NameId{static_cast<std::uint32_t>(names_.size() - 1)};
}
ProcessId EventLog::add_process(const trace::Process& process) {
  processes_.push_back(process);
  return ProcessId{static_cast<std::uint32_t>(processes_.size() - 1)};
}
void EventLog::update_process(ProcessId id, const trace::Process& process) {
  processes_.at(index(id)) = process;
}
ThreadId EventLog::add_thread(const Thread& thread) {
  threads_.push_back(thread);
  return ThreadId{static_cast<std::uint32_t>(threads_.size() - 1)};
}
void EventLog::update_thread(ThreadId id, const Thread& thread) {
  threads_.at(index(id)) = thread;
}
ModuleId EventLog::add_module(const Module& module) {
  modules_.push_back(module);
  return ModuleId{static_cast<std::uint32_t>(modules_.size() - 1)};
}
FrameId EventLog::add_frame(const Frame& frame) {
  frames_.push_back(frame);
  return FrameId{static_cast<std::uint32_t>(frames_.size() - 1)};
}
StackId EventLog::add_stack(const StackNode& node) {
  if (index(node.parent) >= stacks_.size() || index(node.frame) >= frames_.size())
    breaches_.emplace_back("a stack node names what does not exist");
  stacks_.push_back(node);
  return StackId{static_cast<std::uint32_t>(stacks_.size() - 1)};
}
FileId EventLog::add_file(const File& file) {
  files_.push_back(file);
  return FileId{static_cast<std::uint32_t>(files_.size() - 1)};
}
trace::TensorId EventLog::add_tensor(const trace::Tensor& tensor) {
  tensors_.push_back(tensor);
  return trace::TensorId{static_cast<std::uint32_t>(tensors_.size() - 1)};
}
trace::LookId EventLog::add_look(const trace::Look& look) {
  looks_.push_back(look);
  return trace::LookId{static_cast<std::uint32_t>(looks_.size() - 1)};
}
trace::OriginId EventLog::add_origin(const trace::Origin& origin) {
  origins_.push_back(origin);
  return trace::OriginId{static_cast<std::uint32_t>(origins_.size() - 1)};
}
trace::MatchId EventLog::add_match(const trace::ValueMatch& match) {
  matches_.push_back(match);
  return trace::MatchId{static_cast<std::uint32_t>(matches_.size() - 1)};
}
trace::MismatchId EventLog::add_mismatch(const trace::ValueMismatch& mismatch) {
  mismatches_.push_back(mismatch);
  return trace::MismatchId{static_cast<std::uint32_t>(mismatches_.size() - 1)};
}
trace::PackedId EventLog::add_packed(const trace::PackedMatch& packed) {
  packed_.push_back(packed);
  return trace::PackedId{static_cast<std::uint32_t>(packed_.size() - 1)};
}
trace::HeapLookId EventLog::add_heap_look(const trace::HeapLook& look) {
  heap_looks_.push_back(look);
  return trace::HeapLookId{static_cast<std::uint32_t>(heap_looks_.size() - 1)};
}
trace::AlikeId EventLog::add_alike(const trace::Alike& alike) {
  alike_.push_back(alike);
  return trace::AlikeId{static_cast<std::uint32_t>(alike_.size() - 1)};
}
trace::JoinedId EventLog::add_joined(const trace::Joined& joined) {
  joined_.push_back(joined);
  return trace::JoinedId{static_cast<std::uint32_t>(joined_.size() - 1)};
}
void EventLog::update_file(FileId id, const File& file) {
  files_.at(index(id)) = file;
}

}  // namespace tidemark::tests
