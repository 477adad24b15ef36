#include "tests/analyzer/trace_builder.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <stdlib.h>

namespace tidemark::tests {

TraceBuilder::TraceBuilder() {
  auto writer = trace::TraceWriter::create(path());
  REQUIRE(writer.ok());
  writer_ = std::move(writer.value());
  session.command = {"loader", "model.params"};
  session.ended = true;
  session.mismatches_complete = true;
  session.execs_watched = true;
  module_ = writer_->add_module({.path = "/opt/bin/loader", .build_id = "", .base = 0});
  thread(process(100, "loader model.params"));
}

TraceBuilder& TraceBuilder::at_ns(std::uint64_t ns) {
  now_ns_ = ns;
  return *this;
}

TraceBuilder& TraceBuilder::on(trace::ThreadId thread) {
  thread_ = thread;
  return *this;
}

trace::FrameId TraceBuilder::frame(const std::string& function) {
  const auto known = frames_.find(function);
  if (known != frames_.end()) {
    return known->second;
  }
  trace::Location location{.function = function, .file = "", .line = 0};
  // `<frozen importlib._bootstrap>` is a file, too.
  const auto no_file = function.find(" <");
  const auto space = no_file == std::string::npos ? function.rfind(' ') : no_file;
  const auto colon = function.rfind(':');
  if (space != std::string::npos && colon != std::string::npos && colon > space) {
    location.function = function.substr(0, space);
    location.file = function.substr(space + 1, colon - space - 1);
    location.file = no_file == std::string::npos ? "/src/" + location.file : location.file;
    location.line = static_cast<std::uint32_t>(std::stoul(function.substr(colon + 1)));
  }
  const auto id = writer_->add_frame(
      {.module = module_,
       .offset = 0x1000 + 16 * frames_.size(),
       .language = location.file.ends_with(".py") || location.file.starts_with('<')
                       ? trace::FrameLanguage::kPython
                       : trace::FrameLanguage::kNative});
  if (!function.starts_with('?')) {
    writer_->set_locations(id, {location});
  }
  frames_.emplace(function, id);
  return id;
}

trace::StackId TraceBuilder::stack(const std::vector<std::string>& functions) {
  trace::StackId node = trace::kNoStack;
  for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
    node = writer_->add_stack({.parent = node, .frame = frame(*function)});
  }
  return node;
}

trace::FileId TraceBuilder::file(const std::string& path, std::uint64_t size, bool executable) {
  return writer_->add_file({.path = path, .size = size, .executable = executable});
}

void TraceBuilder::tensor(trace::FileId file,
                          std::uint64_t elements,
                          std::uint64_t bytes,
                          const std::string& name,
                          const std::string& type) {
  writer_->add_tensor({.file = file,
                       .name = name.empty() ? "t" + std::to_string(tensors_end_) : name,
                       .type = type,
                       .elements = elements,
                       .begin = tensors_end_,
                       .bytes = bytes});
  tensors_end_ += bytes;
}

void TraceBuilder::origin(std::uint64_t allocation,
                          std::uint64_t begin,
                          trace::FileId file,
                          std::uint64_t offset,
                          std::uint64_t bytes) {
  writer_->add_origin({.allocation = allocation,
                       .begin = begin,
                       .file = file,
                       .offset = offset,
                       .bytes = bytes,
                       .at_ns = now_ns_});
}

void TraceBuilder::match(std::uint64_t allocation,
                         trace::FileId file,
                         std::uint64_t offset,
                         const std::string& type,
                         std::uint64_t from_ms,
                         std::uint64_t until_ms) {
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  const bool has_end = until_ms != UINT64_MAX;
  writer_->add_match({.allocation = allocation,
                      .file = file,
                      .offset = offset,
                      .type = type,
                      .at_ns = now_ns_,
                      .from_ns = from_ms * kNsPerMs,
                      .until_ns = has_end ? until_ms * kNsPerMs : trace::ValueMatch::kNever});
}

void TraceBuilder::mismatch(std::uint64_t allocation, std::uint64_t at_ms) {
  writer_->add_mismatch({.allocation = allocation, .at_ns = at_ms * 1'000'000});
}

void TraceBuilder::packed(std::uint64_t allocation,
                          trace::FileId file,
                          std::uint64_t from_ms,
                          std::uint64_t offset) {
  writer_->add_packed({.allocation = allocation,
                       .file = file,
                       .offset = offset,
                       .distance = 8192,
                       .at_ns = now_ns_,
                       .from_ns = from_ms * 1'000'000});
}

void TraceBuilder::alike(std::uint64_t allocation,
                         std::uint64_t of,
                         const std::string& type,
                         const std::string& of_type,
                         bool is_rounded,
                         std::uint64_t until_ms) {
  const bool has_end = until_ms != UINT64_MAX;
  writer_->add_alike({.allocation = allocation,
                      .of = of,
                      .at_ns = now_ns_,
                      .until_ns = has_end ? until_ms * 1'000'000 : trace::ValueMatch::kNever,
                      .type = type,
                      .of_type = of_type,
                      .is_rounded = is_rounded});
}

void TraceBuilder::joined(std::uint64_t allocation,
                          std::uint64_t of,
                          std::uint64_t begin,
                          std::uint64_t bytes,
                          std::uint64_t rows,
                          std::uint64_t until_ms) {
  const bool has_end = until_ms != UINT64_MAX;
  writer_->add_joined({.allocation = allocation,
                       .of = of,
                       .begin = begin,
                       .bytes = bytes,
                       .rows = rows,
                       .at_ns = now_ns_,
                       .until_ns = has_end ? until_ms * 1'000'000 : trace::ValueMatch::kNever});
}

void TraceBuilder::as_in_file(std::uint64_t allocation,
                              trace::FileId file,
                              std::uint64_t offset,
                              std::uint64_t until_ms) {
  part_of_file(allocation, 0, 0, file, offset, {}, {}, until_ms);
}

void TraceBuilder::part_of_file(std::uint64_t allocation,
                                std::uint64_t begin,
                                std::uint64_t bytes,
                                trace::FileId file,
                                std::uint64_t offset,
                                const std::string& type,
                                const std::string& file_type,
                                std::uint64_t until_ms) {
  const bool has_end = until_ms != UINT64_MAX;
  writer_->add_packed({.allocation = allocation,
                       .file = file,
                       .offset = offset,
                       .distance = 0,
                       .at_ns = now_ns_,
                       .until_ns = has_end ? until_ms * 1'000'000 : trace::ValueMatch::kNever,
                       .type = type,
                       .file_type = file_type,
                       .begin = begin,
                       .bytes = bytes});
}

void TraceBuilder::widened(std::uint64_t allocation,
                           trace::FileId file,
                           std::uint64_t offset,
                           const std::string& type,
                           const std::string& file_type,
                           std::uint64_t node_bytes) {
  writer_->add_packed({.allocation = allocation,
                       .file = file,
                       .offset = offset,
                       .distance = 0,
                       .at_ns = now_ns_,
                       .type = type,
                       .file_type = file_type,
                       .node_bytes = node_bytes});
}

void TraceBuilder::look(std::uint64_t allocation, std::uint64_t at_ms, std::uint64_t bytes) {
  writer_->add_look({.allocation = allocation, .at_ns = at_ms * 1'000'000, .bytes = bytes});
}

trace::ProcessId TraceBuilder::process(std::uint32_t pid, const std::string& command) {
  trace::Process process;
  process.pid = pid;
  process.parent_pid = pid == 100 ? 1 : 100;
  process.parent = pid == 100 ? trace::Process::kNoParent : 0;
  process.command = command;
  process.begin_ns = now_ns_;
  processes_.push_back(process);
  return writer_->add_process(process);
}

trace::ThreadId TraceBuilder::thread(trace::ProcessId process) {
  thread_processes_.push_back(process);
  return writer_->add_thread({.process = process, .tid = 100, .name = "loader"});
}

trace::Event TraceBuilder::event(trace::EventKind kind) const {
  trace::Event event;
  event.kind = kind;
  event.at_ns = now_ns_;
  event.thread = thread_;
  return event;
}

std::uint64_t TraceBuilder::append(trace::Event event) {
  const std::uint64_t number = writer_->append(event);
  events_.push_back(event);
  note_process_peak(event);
  if (trace::is_allocation(event.kind)) {
    alive_[number] = {event.size, event.lane, thread_processes_.at(trace::index(event.thread))};
  }
  return number;
}

/// The collector does this for the real ones.
void TraceBuilder::note_process_peak(const trace::Event& event) {
  const std::size_t id = trace::index(thread_processes_.at(trace::index(event.thread)));
  trace::Process& process = processes_.at(id);
  process_totals_.resize(processes_.size());
  trace::apply(event, process_totals_[id]);
  if (process_totals_[id].footprint() > process.peak.footprint()) {
    process.peak = process_totals_[id];
    process.peak_at_ns = event.at_ns;
  }
}

std::uint64_t TraceBuilder::allocate(std::uint64_t size, trace::StackId stack, trace::Lane lane) {
  trace::Event allocation = event(trace::EventKind::kAllocate);
  allocation.size = size;
  allocation.stack = stack;
  allocation.lane = lane;
  return append(allocation);
}

std::uint64_t TraceBuilder::reallocate(std::uint64_t allocation,
                                       std::uint64_t size,
                                       trace::StackId stack) {
  const Block old = alive_.at(allocation);
  alive_.erase(allocation);
  trace::Event change = event(trace::EventKind::kReallocate);
  change.size = size;
  change.released = allocation;
  change.released_size = old.size;
  change.lane = old.lane;
  change.stack = stack;
  return append(change);
}

void TraceBuilder::release(std::uint64_t allocation) {
  trace::Event release = event(trace::EventKind::kRelease);
  release.allocation = allocation;
  release.size = alive_.at(allocation).size;
  release.lane = alive_.at(allocation).lane;
  alive_.erase(allocation);
  append(release);
}

void TraceBuilder::release_part(std::uint64_t allocation, std::uint64_t size) {
  trace::Event release = event(trace::EventKind::kReleasePart);
  release.allocation = allocation;
  release.size = size;
  release.lane = alive_.at(allocation).lane;
  alive_.at(allocation).size -= size;
  append(release);
}

void TraceBuilder::grow(std::uint64_t allocation, std::uint64_t size) {
  trace::Event growth = event(trace::EventKind::kGrow);
  growth.allocation = allocation;
  growth.size = size;
  growth.lane = alive_.at(allocation).lane;
  alive_.at(allocation).size += size;
  append(growth);
}

void TraceBuilder::fail(std::uint64_t size, trace::StackId stack, trace::Lane lane) {
  trace::Event failure = event(trace::EventKind::kFail);
  failure.lane = lane;
  failure.size = size;
  failure.stack = stack;
  append(failure);
}

void TraceBuilder::open_file(trace::FileId file) {
  trace::Event opening = event(trace::EventKind::kOpen);
  opening.extra = trace::index(file);
  append(opening);
}

void TraceBuilder::read(trace::FileId file, std::uint64_t size) {
  trace::Event reading = event(trace::EventKind::kRead);
  reading.size = size;
  reading.extra = trace::index(file);
  append(reading);
}

void TraceBuilder::read_into(trace::FileId file,
                             std::uint64_t size,
                             std::uint64_t allocation,
                             std::optional<double> resident,
                             trace::StackId stack) {
  read(file, size);
  trace::Event arrival = event(trace::EventKind::kReadInto);
  arrival.size = size;
  arrival.allocation = allocation;
  arrival.stack = stack;
  arrival.extra = resident ? 1 + static_cast<std::uint64_t>(*resident * 255) : 0;
  append(arrival);
}

void TraceBuilder::copy(std::uint64_t size,
                        std::uint64_t from,
                        std::uint64_t to,
                        trace::StackId stack) {
  trace::Event copy = event(trace::EventKind::kCopy);
  copy.size = size;
  copy.released = from;
  copy.allocation = to;
  copy.stack = stack;
  append(copy);
}

void TraceBuilder::fill(std::uint64_t size, std::uint64_t allocation) {
  trace::Event fill = event(trace::EventKind::kFill);
  fill.size = size;
  fill.allocation = allocation;
  append(fill);
}

std::uint64_t TraceBuilder::written_pages(trace::FileId file, trace::StackId stack) {
  trace::Event pages = event(trace::EventKind::kAllocate);
  pages.lane = trace::Lane::kAnon;
  pages.stack = stack;
  pages.extra = trace::index(file) + 1;
  return append(pages);
}

std::uint64_t TraceBuilder::map(trace::FileId file, std::uint64_t size) {
  trace::Event mapping = event(trace::EventKind::kAllocate);
  mapping.size = size;
  mapping.lane = trace::Lane::kFile;
  mapping.extra = trace::index(file);
  return append(mapping);
}

void TraceBuilder::begin_phase(const std::string& name) {
  trace::Event mark = event(trace::EventKind::kPhaseBegin);
  mark.extra = trace::index(writer_->add_name(name));
  append(mark);
}

void TraceBuilder::end_phase(const std::string& name) {
  trace::Event mark = event(trace::EventKind::kPhaseEnd);
  mark.extra = trace::index(writer_->add_name(name));
  append(mark);
}

void TraceBuilder::end_process(trace::ProcessId process) {
  std::array<std::uint64_t, trace::kLaneCount> left{};
  for (const auto& [number, block] : alive_) {
    left[static_cast<std::size_t>(block.lane)] += block.process == process ? block.size : 0;
  }
  std::erase_if(alive_, [process](const auto& entry) { return entry.second.process == process; });
  for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
    trace::Event release = event(trace::EventKind::kReleaseAll);
    release.lane = static_cast<trace::Lane>(lane);
    release.size = left.at(lane);
    release.extra = trace::index(process);
    if (release.size != 0) {
      append(release);
    }
  }
  trace::Event end = event(trace::EventKind::kProcessEnd);
  end.extra = trace::index(process);
  append(end);
  processes_.at(trace::index(process)).end_ns = now_ns_;
}

void TraceBuilder::sample(std::uint64_t rss_anon,
                          std::uint64_t rss_file,
                          trace::ProcessId process) {
  writer_->append(trace::Sample{.at_ns = now_ns_,
                                .process = process,
                                .rss_anon_bytes = rss_anon,
                                .rss_file_bytes = rss_file});
}

void TraceBuilder::heap_look(std::uint64_t bytes, std::uint64_t blocks, trace::ProcessId process) {
  writer_->add_heap_look({.process = process, .at_ns = now_ns_, .bytes = bytes, .blocks = blocks});
}

void TraceBuilder::sample(trace::Sample sample) {
  sample.at_ns = now_ns_;
  writer_->append(sample);
}

std::string TraceBuilder::finish() {
  session.duration_ns = std::max(session.duration_ns, now_ns_);
  for (std::uint32_t id = 0; id < processes_.size(); ++id) {
    writer_->update_process(trace::ProcessId{id}, processes_[id]);
  }
  REQUIRE(writer_->finish(session).ok());
  return path();
}

analyzer::LoadedTrace TraceBuilder::break_off() {
  writer_->flush();
  writer_.reset();
  auto trace = analyzer::LoadedTrace::open(path() + ".incomplete");
  REQUIRE(trace.ok());
  return std::move(trace.value());
}

analyzer::LoadedTrace TraceBuilder::open() {
  auto trace = analyzer::LoadedTrace::open(finish());
  REQUIRE(trace.ok());
  return std::move(trace.value());
}

}  // namespace tidemark::tests
