#include "tests/collector/trace/recording.hpp"

#include "tests/support/catch.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace tidemark::trace::tests {

Bytes read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void write_bytes(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  REQUIRE(file.good());
}

Recording::Recording() {
  auto created = TraceWriter::create(path());
  REQUIRE(created.ok());
  writer_ = std::move(created.value());
  Process loader;
  loader.pid = 100;
  loader.command = "loader model.bin";
  const auto process = writer_->add_process(loader);
  writer_->add_thread({.process = process, .tid = 100, .name = "loader"});
  writer_->add_thread({.process = process, .tid = 101, .name = "worker"});
  const auto module =
      writer_->add_module({.path = "/usr/bin/loader", .build_id = "c0ffee", .base = 0x400000});
  const auto frame = writer_->add_frame({.module = module, .offset = 0x1234});
  for (std::uint32_t parent = 0; parent < 3; ++parent)
    writer_->add_stack({.parent = StackId{parent}, .frame = frame});
  writer_->add_file({.path = "/models/model.bin", .size = 1 << 20});
  writer_->add_name("load");
}

Recording& Recording::at(std::uint64_t ns) {
  now_ = ns;
  return *this;
}

Recording& Recording::on(std::uint32_t thread) {
  thread_ = thread;
  return *this;
}

std::uint64_t Recording::put(const Event& event) {
  Event full = event;
  full.at_ns = now_;
  full.thread = ThreadId{thread_};
  const auto number = writer_->append(full);
  full.at_ns -= full.at_ns % 100;
  if (is_allocation(event.kind)) {
    REQUIRE(number == remaining_.size());
    full.allocation = number;
    remaining_.push_back(event.size);
    lanes_.push_back(event.lane);
  }
  events_.push_back(full);
  return number;
}

std::uint64_t Recording::allocate(std::uint64_t size,
                                  StackId stack,
                                  Lane lane,
                                  std::uint64_t extra) {
  return put(
      {.size = size, .extra = extra, .stack = stack, .kind = EventKind::kAllocate, .lane = lane});
}

std::uint64_t Recording::reallocate(std::uint64_t released, std::uint64_t size, StackId stack) {
  return put({.size = size,
              .released = released,
              .released_size = remaining_[released],
              .stack = stack,
              .kind = EventKind::kReallocate,
              .lane = lanes_[released]});
}

void Recording::release(std::uint64_t allocation) {
  put({.size = remaining_[allocation],
       .allocation = allocation,
       .kind = EventKind::kRelease,
       .lane = lanes_[allocation]});
}

void Recording::release_part(std::uint64_t allocation, std::uint64_t size) {
  remaining_[allocation] -= size;
  put({.size = size,
       .allocation = allocation,
       .kind = EventKind::kReleasePart,
       .lane = lanes_[allocation]});
}

void Recording::grow(std::uint64_t allocation, std::uint64_t size) {
  remaining_[allocation] += size;
  put({.size = size,
       .allocation = allocation,
       .kind = EventKind::kGrow,
       .lane = lanes_[allocation]});
}

void Recording::release_all(Lane lane, std::uint64_t size) {
  put({.size = size, .kind = EventKind::kReleaseAll, .lane = lane});
}

void Recording::note(EventKind kind, std::uint64_t size, std::uint64_t extra, StackId stack) {
  put({.size = size, .extra = extra, .stack = stack, .kind = kind});
}

void Recording::touch(EventKind kind,
                      std::uint64_t size,
                      std::uint64_t allocation,
                      std::uint64_t source,
                      std::uint64_t extra) {
  put({.size = size,
       .allocation = allocation,
       .released = source,
       .extra = extra,
       .stack = kInner,
       .kind = kind});
}

Bytes Recording::finish(const Session& session) {
  const auto finished = writer_->finish(session);
  REQUIRE(finished.ok());
  return read_bytes(path());
}

Content content_of(TraceReader& reader) {
  Content content;
  reader.for_each([&](const Event& event) {
    content.events.push_back(event);
    return true;
  });
  content.blocks.assign(reader.blocks().begin(), reader.blocks().end());
  content.samples.assign(reader.samples().begin(), reader.samples().end());
  content.definitions = reader.definitions();
  content.loss = reader.loss();
  return content;
}

Content content_of(std::span<const std::byte> bytes) {
  auto reader = TraceReader::open(bytes);
  REQUIRE(reader.ok());
  return content_of(reader.value());
}

std::string text_of(const Event& event) {
  std::ostringstream out;
  out << "kind " << static_cast<int>(event.kind) << " lane " << static_cast<int>(event.lane)
      << " at " << event.at_ns << " thread " << index(event.thread) << " stack "
      << index(event.stack) << " size " << event.size << " allocation " << event.allocation
      << " released " << event.released << '/' << event.released_size << " extra " << event.extra;
  return out.str();
}

std::vector<std::string> text_of(const std::vector<Event>& events) {
  std::vector<std::string> lines;
  for (const auto& event : events)
    lines.push_back(text_of(event));
  return lines;
}

std::string text_of(const BlockSummary& summary) {
  std::ostringstream out;
  out << "events " << summary.first_event << '+' << summary.event_count << " allocation "
      << summary.first_allocation << " ns " << summary.begin_ns << ".." << summary.end_ns;
  for (const auto& lanes : {summary.at_begin, summary.at_end, summary.minimum, summary.maximum}) {
    out << " (";
    for (const auto bytes : lanes.bytes)
      out << ' ' << bytes;
    out << " )";
  }
  out << " footprint " << summary.minimum_footprint << ".." << summary.maximum_footprint
      << " at event " << summary.maximum_at_event << " ns " << summary.maximum_at_ns;
  return out.str();
}

std::string text_of(const Loss& loss) {
  std::ostringstream out;
  out << loss.records_dropped << ' ' << loss.events_unwritten << ' ' << loss.blocks_damaged << ' '
      << loss.events_damaged << ' ' << loss.bytes_damaged << ' ' << loss.processes_unrecorded << ' '
      << loss.threads_unrecorded << ' ' << loss.threads_seccomp << ' ' << loss.threads_address_space
      << ' ' << loss.threads_too_many << ' ' << loss.stacks_truncated << ' ' << loss.torn << ' '
      << loss.blocks_unknown << ' ' << loss.events_unknown;
  for (const auto& it : loss.unrecorded)
    out << " [" << it.pid << '|' << it.command << '|' << word_of(it.why) << '|' << it.processes
        << '|' << it.from_ns << '|' << it.until_ns << '|' << it.most_bytes << ']';
  out << ' ' << loss.mapped_unseen_bytes << ' ' << loss.shared_unseen_bytes << ' '
      << loss.unmapped_unseen_bytes << ' ' << loss.written_unseen_bytes;
  for (const auto& it : loss.mapped_unseen)
    out << " [" << it.path << '|' << it.bytes << '|' << it.in_memory << ']';
  return out.str();
}

std::string text_of(const Definitions& definitions) {
  std::ostringstream out;
  const auto lanes = [&out](const LaneTotals& totals) {
    for (const auto bytes : totals.bytes)
      out << bytes << ' ';
  };
  for (const auto& name : definitions.names)
    out << "name " << name << '\n';
  for (const auto& it : definitions.processes) {
    out << "process " << it.pid << ' ' << it.parent_pid << ' ' << it.parent << ' ' << it.begin_ns
        << ' ' << it.end_ns << ' ' << it.command << ' ' << it.executable << ' ';
    lanes(it.peak);
    out << it.peak_at_ns << ' ';
    lanes(it.lane_peaks);
    out << it.kernel_peak_rss_bytes << ' ' << it.own_bytes << ' ' << it.rss_at_most_bytes << '\n';
  }
  for (const auto& it : definitions.threads)
    out << "thread " << index(it.process) << ' ' << it.tid << ' ' << it.name << '\n';
  for (const auto& it : definitions.modules)
    out << "module " << it.path << ' ' << it.build_id << ' ' << it.base << '\n';
  for (const auto& it : definitions.frames)
    out << "frame " << index(it.module) << ' ' << it.offset << ' ' << static_cast<int>(it.language)
        << '\n';
  for (const auto& it : definitions.stacks)
    out << "stack " << index(it.parent) << ' ' << index(it.frame) << '\n';
  for (const auto& list : definitions.locations) {
    out << "locations";
    for (const auto& it : list)
      out << " [" << it.function << '|' << it.file << '|' << it.line << ']';
    out << '\n';
  }
  for (const auto& it : definitions.files) {
    out << "file " << it.path << ' ' << it.size << ' ' << it.executable << it.writable << it.written
        << it.unlinked << it.in_memory << it.compressed << it.named << ' ' << it.content << ' '
        << it.unpacked_bytes << '\n';
  }
  for (const auto& it : definitions.tensors) {
    out << "tensor " << index(it.file) << ' ' << it.name << ' ' << it.type << ' ' << it.elements
        << ' ' << it.begin << ' ' << it.bytes;
    for (const std::uint64_t dimension : it.shape)
      out << " x" << dimension;
    out << '\n';
  }
  for (const auto& it : definitions.looks)
    out << "look " << it.allocation << ' ' << it.at_ns << ' ' << it.bytes << '\n';
  for (const auto& it : definitions.origins)
    out << "origin " << it.allocation << ' ' << it.begin << ' ' << index(it.file) << ' '
        << it.offset << ' ' << it.bytes << ' ' << it.at_ns << '\n';
  for (const auto& it : definitions.matches) {
    out << "match " << it.allocation << ' ' << it.begin << ' ' << index(it.file) << ' ' << it.offset
        << ' ' << it.type << ' ' << it.is_transposed << ' ' << it.at_ns << ' ' << it.from_ns << ' '
        << it.until_ns << '\n';
  }
  for (const auto& it : definitions.mismatches)
    out << "mismatch " << it.allocation << ' ' << it.at_ns << '\n';
  for (const auto& it : definitions.packed) {
    out << "packed " << it.allocation << ' ' << index(it.file) << ' ' << it.offset << ' '
        << it.distance << ' ' << it.at_ns << ' ' << it.from_ns << ' ' << it.until_ns << ' '
        << it.type << ' ' << it.file_type << ' ' << it.begin << ' ' << it.bytes << ' '
        << it.node_bytes << '\n';
  }
  for (const auto& it : definitions.heap_looks)
    out << "heap look " << index(it.process) << ' ' << it.at_ns << ' ' << it.bytes << ' '
        << it.blocks << '\n';
  for (const auto& it : definitions.alike) {
    out << "alike " << it.allocation << ' ' << it.of << ' ' << it.at_ns << ' ' << it.from_ns << ' '
        << it.until_ns << ' ' << it.type << ' ' << it.of_type << ' ' << it.is_rounded << '\n';
  }
  for (const auto& it : definitions.joined) {
    out << "joined " << it.allocation << ' ' << it.of << ' ' << it.begin << ' ' << it.bytes << ' '
        << it.rows << ' ' << it.at_ns << ' ' << it.from_ns << ' ' << it.until_ns << '\n';
  }
  const auto& session = definitions.session;
  out << "session";
  for (const auto& argument : session.command)
    out << " [" << argument << ']';
  out << ' ' << session.exit_status << ' ' << session.ended << ' ' << session.duration_ns << ' '
      << session.started_unix_ns << ' ' << session.host_name << ' ' << session.kernel << ' '
      << session.tidemark_version << ' ' << session.model << ' ' << session.blocked_ns << ' '
      << session.collector_cpu_ns << ' ' << session.unmatched_releases << ' '
      << session.loss.processes_left << ' ' << session.heap_invisible << ' ' << session.deep_bound
      << ' ' << session.execs_watched << ' ' << session.sample_bytes << ' ' << session.unread_python
      << ' ' << text_of(session.loss);
  return out.str();
}

}  // namespace tidemark::trace::tests
