#include "analyzer/export/perfetto.hpp"

#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>

#include <perfetto_trace.pb.h>

using namespace tidemark;
using perfetto::protos::TracePacket;
using perfetto::protos::TrackDescriptor;
using perfetto::protos::TrackEvent;
using tests::TraceBuilder;

namespace {

/// A trace as its reader sees it: with names in the place of ids.
struct Perfetto {
  perfetto::protos::Trace trace;
  std::map<std::uint64_t, TrackDescriptor> tracks;

  struct Event {
    std::uint64_t at_ns;
    std::string track;
    TrackEvent event;
  };
  [[nodiscard]] std::vector<Event> events(TrackEvent::Type type) const {
    std::vector<Event> found;
    for (const TracePacket& packet : trace.packet()) {
      if (packet.has_track_event() && packet.track_event().type() == type) {
        const TrackDescriptor& track = tracks.at(packet.track_event().track_uuid());
        found.push_back({packet.timestamp(), track.name(), packet.track_event()});
      }
    }
    return found;
  }
  [[nodiscard]] std::vector<Event> counter(const std::string& name) const {
    auto values = events(TrackEvent::TYPE_COUNTER);
    std::erase_if(values, [&name](const Event& value) { return value.track != name; });
    return values;
  }
};

Perfetto perfetto_of(TraceBuilder& builder, std::optional<exports::TimeSpan> span = std::nullopt) {
  auto trace = builder.open();
  const auto bytes = exports::perfetto_trace(
      trace, span.value_or(exports::TimeSpan{.begin_ns = 0, .end_ns = trace.duration_ns()}));
  REQUIRE(bytes.ok());
  Perfetto read;
  REQUIRE(read.trace.ParseFromString(bytes.value()));
  for (const TracePacket& packet : read.trace.packet()) {
    if (packet.has_track_descriptor()) {
      // An id that two tracks share would make one of them.
      REQUIRE(
          read.tracks.emplace(packet.track_descriptor().uuid(), packet.track_descriptor()).second);
    }
  }
  return read;
}

/// One row of a heap profile: the stack as `main;load`, outermost first.
struct Sample {
  std::string stack;
  std::uint64_t allocated;
  std::uint64_t freed;
  std::uint64_t allocations;
  std::uint64_t frees;

  auto operator<=>(const Sample&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Sample& sample) {
  return out << sample.stack << ' ' << sample.allocated << '-' << sample.freed << ' '
             << sample.allocations << '-' << sample.frees;
}

struct HeapProfile {
  std::string heap;
  std::uint64_t at_ns;
  std::vector<Sample> samples;
};

/// As trace_processor reads them: what a packet names was interned by an earlier one of its
/// sequence, or by itself; the profiles of a sequence are numbered from 0 on.
std::vector<HeapProfile> profiles_of(const Perfetto& read) {
  struct Sequence {
    std::map<std::uint64_t, std::string> functions;
    std::map<std::uint64_t, std::string> frames;
    std::map<std::uint64_t, std::string> stacks;
    std::map<std::uint64_t, std::string> paths;
    std::map<std::uint64_t, std::string> mappings;
    std::uint64_t profiles = 0;
  };
  std::map<std::uint32_t, Sequence> sequences;
  std::vector<HeapProfile> profiles;
  for (const TracePacket& packet : read.trace.packet()) {
    if (!packet.has_profile_packet()) {
      continue;
    }
    Sequence& sequence = sequences[packet.trusted_packet_sequence_id()];
    const bool begins = (packet.sequence_flags() & TracePacket::SEQ_INCREMENTAL_STATE_CLEARED) != 0;
    CHECK(begins == (sequence.profiles == 0));
    const auto& interned = packet.interned_data();
    for (const auto& text : interned.function_names()) {
      sequence.functions[text.iid()] = text.str();
    }
    for (const auto& text : interned.mapping_paths()) {
      sequence.paths[text.iid()] = text.str();
    }
    for (const auto& mapping : interned.mappings()) {
      sequence.mappings[mapping.iid()] = sequence.paths.at(mapping.path_string_ids(0));
    }
    for (const auto& frame : interned.frames()) {
      CHECK(sequence.mappings.contains(frame.mapping_id()));
      sequence.frames[frame.iid()] = sequence.functions.at(frame.function_name_id());
    }
    for (const auto& stack : interned.callstacks()) {
      std::string names;
      for (const auto id : stack.frame_ids()) {
        names += (names.empty() ? "" : ";") + sequence.frames.at(id);
      }
      sequence.stacks[stack.iid()] = names;
    }
    CHECK(packet.profile_packet().index() == sequence.profiles++);
    for (const auto& dump : packet.profile_packet().process_dumps()) {
      CHECK(dump.timestamp() == packet.timestamp());
      HeapProfile profile{.heap = dump.heap_name(), .at_ns = dump.timestamp(), .samples = {}};
      for (const auto& sample : dump.samples()) {
        profile.samples.push_back({sequence.stacks.at(sample.callstack_id()),
                                   sample.self_allocated(), sample.self_freed(),
                                   sample.alloc_count(), sample.free_count()});
      }
      std::ranges::sort(profile.samples);
      profiles.push_back(profile);
    }
  }
  return profiles;
}

}  // namespace

TEST_CASE("perfetto: a counter for every lane, the footprint and resident memory", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(1000);
  trace.at_ns(2'000'300).release(trace.allocate(300'000'000));
  trace.at_ms(3).sample(4096, 8192);
  trace.at_ms(4).allocate(1);

  const auto read = perfetto_of(trace);

  std::vector<std::string> names{"footprint", "rss_anon", "rss_file", "rss_shmem"};
  for (const trace::LaneInfo& lane : trace::kLanes) {
    names.emplace_back(lane.key);
  }
  for (const std::string& name : names) {
    CAPTURE(name);
    REQUIRE_FALSE(read.counter(name).empty());
    const TrackDescriptor& track = read.tracks.at(read.counter(name)[0].event.track_uuid());
    CHECK(track.counter().unit() == perfetto::protos::CounterDescriptor::UNIT_SIZE_BYTES);
    CHECK(read.tracks.at(track.parent_uuid()).process().pid() == 100);
  }
  const auto footprint = read.counter("footprint");
  const auto spike = std::ranges::find_if(footprint, [](const Perfetto::Event& value) {
    return value.event.counter_value() == 300'001'000;
  });
  REQUIRE(spike != footprint.end());
  CHECK(spike->at_ns == 2'000'300);
  CHECK(read.counter("rss_file").front().event.counter_value() == 8192);
}

TEST_CASE("perfetto: the clocks of all packets begin together", "[export]") {
  TraceBuilder trace;
  trace.session.started_unix_ns = 77;

  const auto read = perfetto_of(trace);

  std::map<std::uint32_t, std::uint64_t> clocks;
  for (const auto& clock : read.trace.packet(0).clock_snapshot().clocks()) {
    clocks[clock.clock_id()] = clock.timestamp();
  }
  CHECK(clocks == std::map<std::uint32_t, std::uint64_t>{{1, 77}, {3, 0}, {4, 0}, {6, 0}});
}

TEST_CASE("perfetto: phases are slices of their thread", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).begin_phase("load");
  trace.at_ms(2).begin_phase("read");
  trace.at_ms(3).end_phase("read");
  trace.at_ms(5).end_phase("load");

  const auto read = perfetto_of(trace);

  const auto begins = read.events(TrackEvent::TYPE_SLICE_BEGIN);
  const auto ends = read.events(TrackEvent::TYPE_SLICE_END);
  REQUIRE(begins.size() == 2);
  REQUIRE(ends.size() == 2);
  CHECK(begins[0].event.name() == "load");
  CHECK(begins[0].at_ns == 1'000'000);
  CHECK(begins[1].event.name() == "read");
  CHECK(read.tracks.at(begins[0].event.track_uuid()).thread().pid() == 100);
  CHECK(begins[0].event.track_uuid() == begins[1].event.track_uuid());
  std::vector<std::uint64_t> times{ends[0].at_ns, ends[1].at_ns};
  std::ranges::sort(times);
  CHECK(times == std::vector<std::uint64_t>{3'000'000, 5'000'000});
}

TEST_CASE("perfetto: phases that cross each other get tracks of their own", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).begin_phase("read");
  trace.at_ms(2).begin_phase("convert");
  trace.at_ms(3).end_phase("read");
  trace.at_ms(4).end_phase("convert");

  const auto read = perfetto_of(trace);

  const auto begins = read.events(TrackEvent::TYPE_SLICE_BEGIN);
  REQUIRE(begins.size() == 2);
  CHECK(begins[0].track.empty());
  CHECK(begins[1].track == "convert");
  const TrackDescriptor& own = read.tracks.at(begins[1].event.track_uuid());
  CHECK(read.tracks.at(own.parent_uuid()).process().pid() == 100);
}

TEST_CASE("perfetto: the peak, the model's files and the names of a load are there", "[export]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  const auto module = trace.file("/lib/python/site.pyc", 9'000'000'000);
  trace.read(module, 9'000'000'000);

  const auto read = perfetto_of(trace);

  const auto instants = read.events(TrackEvent::TYPE_INSTANT);
  REQUIRE(instants.size() == 2);
  CHECK(instants[0].event.name() == "recorded by tidemark");
  CHECK(instants[0].event.debug_annotations(1).name() == "lost");
  CHECK(instants[0].event.debug_annotations(1).string_value() == "nothing");
  CHECK(instants[1].event.name() == "peak 10.0 GiB");
  std::vector<std::string> files;
  for (const auto& [uuid, track] : read.tracks) {
    if (track.name().starts_with("read or mapped of ")) {
      files.push_back(track.name());
    }
  }
  REQUIRE(files.size() == 1);  // What the program reads besides is no business of this trace.
  CHECK(files[0].find(".pyc") == std::string::npos);
  CHECK(read.counter(files[0]).back().event.counter_value() > 0);
}

TEST_CASE("perfetto: heap profiles have who held what, and what was freed", "[export]") {
  TraceBuilder trace;
  const auto load = trace.stack({"load", "main"});
  trace.at_ms(1).release(trace.allocate(5, load));
  const auto first = trace.at_ms(2).allocate(100, load);
  const auto mapped = trace.allocate(4096, load, trace::Lane::kAnon);
  trace.allocate(7);
  trace.at_ms(3).release(first);
  trace.release(mapped);
  trace.at_ms(4).allocate(40, load);

  const auto profiles = profiles_of(perfetto_of(trace));

  REQUIRE(profiles.size() == 4);  // The peak, and the end.
  CHECK(profiles[0].heap == "heap");
  CHECK(profiles[0].at_ns == 2'000'000);
  CHECK(profiles[0].samples ==
        std::vector<Sample>{{"[unknown stack]", 7, 0, 1, 0}, {"main;load", 105, 5, 2, 1}});
  CHECK(profiles[1].heap == "anon");
  CHECK(profiles[1].samples == std::vector<Sample>{{"main;load", 4096, 0, 1, 0}});
  CHECK(profiles[2].at_ns == 4'000'000);
  CHECK(profiles[2].samples ==
        std::vector<Sample>{{"[unknown stack]", 7, 0, 1, 0}, {"main;load", 145, 105, 3, 2}});
  CHECK(profiles[3].samples == std::vector<Sample>{{"main;load", 4096, 4096, 1, 1}});
}

TEST_CASE("perfetto: a frame has its module, its place and each inlined function", "[export]") {
  TraceBuilder trace;
  const auto module =
      trace.writer().add_module({.path = "/lib/x.so", .build_id = "abc123", .base = 0x7f0000});
  const auto frame = trace.writer().add_frame({.module = module, .offset = 0x5010});
  trace.writer().set_locations(frame, {{"inner", "/src/a.hpp", 7}, {"outer", "/src/a.cpp", 9}});
  trace.allocate(100, trace.writer().add_stack({.parent = trace::kNoStack, .frame = frame}));

  const auto read = perfetto_of(trace);

  CHECK(profiles_of(read)[0].samples == std::vector<Sample>{{"outer;inner", 100, 0, 1, 0}});
  const auto packet = std::ranges::find_if(read.trace.packet(), &TracePacket::has_profile_packet);
  const auto& interned = packet->interned_data();
  REQUIRE(interned.frames_size() == 2);
  CHECK(interned.frames(0).rel_pc() == 0x500f);  // In the call, not where it returns to.
  CHECK(interned.frames(0).line_number() == 7);
  CHECK(interned.frames(1).rel_pc() == 0x500f);
  CHECK(interned.source_paths(1).str() == "/src/a.cpp");
  CHECK(interned.mapping_paths(0).str() == "/lib/x.so");
  CHECK(interned.build_ids(0).str() == "\xab\xc1\x23");
}

TEST_CASE("perfetto: a range holds nothing from outside it", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).begin_phase("early");
  trace.at_ms(2).end_phase("early");
  trace.begin_phase("late");
  trace.at_ms(9).allocate(100);
  trace.end_phase("late");

  const auto read =
      perfetto_of(trace, exports::TimeSpan{.begin_ns = 5'000'000, .end_ns = 9'000'000});

  const auto begins = read.events(TrackEvent::TYPE_SLICE_BEGIN);
  REQUIRE(begins.size() == 1);
  CHECK(begins[0].event.name() == "late");
  for (const TracePacket& packet : read.trace.packet()) {
    if (!packet.has_clock_snapshot() && packet.has_timestamp()) {
      CHECK(packet.timestamp() >= 5'000'000);
    }
  }
}

TEST_CASE("perfetto: a trace of nothing has no peak and no stacks", "[export]") {
  TraceBuilder trace;

  const auto read = perfetto_of(trace);

  CHECK(read.events(TrackEvent::TYPE_INSTANT).size() == 1);
  CHECK(profiles_of(read).empty());
}
