#include "analyzer/export/parts/perfetto_packets.hpp"

#include <array>

namespace tidemark::exports {
namespace {

namespace protos = perfetto_protos;
using protos::TrackEvent;

constexpr std::uint32_t kSequence = 1;

// Uuids of tracks are of our choice: the upper half says of what kind.
constexpr unsigned kKindShift = 32;
constexpr std::uint64_t kProcessTracks = 1ULL << kKindShift;
constexpr std::uint64_t kThreadTracks = 2ULL << kKindShift;
constexpr std::uint64_t kOtherTracks = 3ULL << kKindShift;

std::uint64_t track_of_process(std::uint32_t pid) {
  return kProcessTracks + pid;
}

std::uint64_t track_of_thread(std::uint32_t tid) {
  return kThreadTracks + tid;
}

/// Perfetto's numbers of the clocks that all begin with the recording: packets have BOOTTIME, heap
/// profiles MONOTONIC_COARSE.
constexpr std::uint32_t kRealtime = 1;
constexpr std::array<std::uint32_t, 3> kRecordingClocks{3, 4, 6};

}  // namespace

PerfettoPackets::PerfettoPackets(std::uint64_t started_unix_ns) {
  protos::TracePacket& first = packet(kSequence);
  first.set_timestamp(0);
  // Without it, times of different clocks could not be distinguished.
  protos::ClockSnapshot& clocks = *first.mutable_clock_snapshot();
  for (const std::uint32_t id : kRecordingClocks) {
    protos::ClockSnapshot::Clock& clock = *clocks.add_clocks();
    clock.set_clock_id(id);
    clock.set_timestamp(0);
  }
  protos::ClockSnapshot::Clock& clock = *clocks.add_clocks();
  clock.set_clock_id(kRealtime);
  clock.set_timestamp(started_unix_ns);
}

protos::TracePacket& PerfettoPackets::packet(std::uint32_t sequence) {
  protos::TracePacket& added = *trace_.add_packet();
  added.set_trusted_packet_sequence_id(sequence);
  return added;
}

protos::TrackDescriptor& PerfettoPackets::track(std::uint64_t uuid) {
  protos::TrackDescriptor& added = *packet(kSequence).mutable_track_descriptor();
  added.set_uuid(uuid);
  return added;
}

TrackEvent& PerfettoPackets::event(std::uint64_t at_ns, std::uint64_t track) {
  protos::TracePacket& added = packet(kSequence);
  added.set_timestamp(at_ns);
  added.mutable_track_event()->set_track_uuid(track);
  return *added.mutable_track_event();
}

void PerfettoPackets::name_process(std::uint32_t pid, const std::string& name) {
  protos::ProcessDescriptor& process = *track(track_of_process(pid)).mutable_process();
  process.set_pid(static_cast<std::int32_t>(pid));
  process.set_process_name(name);
}

void PerfettoPackets::name_thread(const PerfettoThread& thread, const std::string& name) {
  protos::ThreadDescriptor& descriptor = *track(track_of_thread(thread.tid)).mutable_thread();
  descriptor.set_pid(static_cast<std::int32_t>(thread.pid));
  descriptor.set_tid(static_cast<std::int32_t>(thread.tid));
  descriptor.set_thread_name(name);
}

void PerfettoPackets::counter(std::uint32_t pid,
                              const std::string& name,
                              const std::vector<CounterPoint>& points) {
  const std::uint64_t uuid = kOtherTracks + tracks_++;
  protos::TrackDescriptor& descriptor = track(uuid);
  descriptor.set_parent_uuid(track_of_process(pid));
  descriptor.set_name(name);
  descriptor.mutable_counter()->set_unit(protos::CounterDescriptor::UNIT_SIZE_BYTES);
  for (const CounterPoint& point : points) {
    TrackEvent& value = event(point.at_ns, uuid);
    value.set_type(TrackEvent::TYPE_COUNTER);
    value.set_counter_value(static_cast<std::int64_t>(point.value));
  }
}

void PerfettoPackets::slice_on(std::uint64_t track, const PerfettoSlice& slice) {
  TrackEvent& begin = event(slice.begin_ns, track);
  begin.set_type(TrackEvent::TYPE_SLICE_BEGIN);
  begin.add_categories("phase");
  begin.set_name(slice.name);
  protos::DebugAnnotation& peak = *begin.add_debug_annotations();
  peak.set_name("peak bytes");
  peak.set_uint_value(slice.peak_bytes);
  event(slice.end_ns, track).set_type(TrackEvent::TYPE_SLICE_END);
}

void PerfettoPackets::slice(const PerfettoThread& thread, const PerfettoSlice& slice) {
  slice_on(track_of_thread(thread.tid), slice);
}

void PerfettoPackets::free_slice(std::uint32_t pid, const PerfettoSlice& slice) {
  const std::uint64_t uuid = kOtherTracks + tracks_++;
  protos::TrackDescriptor& descriptor = track(uuid);
  descriptor.set_parent_uuid(track_of_process(pid));
  descriptor.set_name(slice.name);
  slice_on(uuid, slice);
}

void PerfettoPackets::instant(std::uint32_t pid,
                              std::uint64_t at_ns,
                              const std::string& name,
                              const std::vector<Annotation>& annotations) {
  TrackEvent& instant = event(at_ns, track_of_process(pid));
  instant.set_type(TrackEvent::TYPE_INSTANT);
  instant.set_name(name);
  for (const Annotation& annotation : annotations) {
    protos::DebugAnnotation& added = *instant.add_debug_annotations();
    added.set_name(annotation.name);
    added.set_string_value(annotation.text);
  }
}

}  // namespace tidemark::exports
