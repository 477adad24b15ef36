#include "collector/drain/assembler.hpp"

#include "collector/process/process_names.hpp"
#include "collector/session/record_text.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tidemark {

using trace::Event;
using trace::EventKind;
using trace::Lane;
using wire::RecordKind;

Assembler::Assembler(const wire::SessionMap& session,
                     trace::TraceWriter& writer,
                     Descendants* family)
    : session_(session), writer_(writer), family_(family), stacks_(writer) {}

void Assembler::add(std::uint32_t ring,
                    const RawRecord& record,
                    Payload payload,
                    std::uint64_t at_ns,
                    std::span<const RawRecord> following) {
  now_ns_ = at_ns;
  if (record.kind == RecordKind::kThreadBegin) {
    begin_thread(ring, record, payload, at_ns);
    return;
  }
  if (ring >= sources_.size() || sources_[ring].host == nullptr)
    return;
  Source& source = sources_[ring];
  switch (record.kind) {
    case RecordKind::kAllocate:
    case RecordKind::kFree:
    case RecordKind::kReallocBegin:
    case RecordKind::kReallocEnd:
    case RecordKind::kReallocFailed:
    case RecordKind::kAllocationFailed:
      add_heap(source, record, following);
      break;
    case RecordKind::kMap:
    case RecordKind::kMapFailed:
    case RecordKind::kUnmap:
    case RecordKind::kUnmapFailed:
    case RecordKind::kRemapBegin:
    case RecordKind::kRemapEnd:
    case RecordKind::kRemapFailed:
    case RecordKind::kProtect:
    case RecordKind::kAdvise:
    case RecordKind::kBreak:
      add_mapping(source, record, payload);
      break;
    case RecordKind::kOpen:
    case RecordKind::kClose:
    case RecordKind::kDuplicate:
    case RecordKind::kRead:
    case RecordKind::kFileAdvise:
      add_file(source, record, payload);
      break;
    case RecordKind::kDeviceBegin:
    case RecordKind::kDeviceAllocate:
    case RecordKind::kDeviceFailed:
    case RecordKind::kDeviceFree:
    case RecordKind::kDeviceMap:
    case RecordKind::kDeviceUnmap:
      add_device(source, record);
      break;
    case RecordKind::kCopy:
    case RecordKind::kFill:
      add_touch(source, record, payload);
      break;
    default:
      add_life(source, record, payload);
      break;
  }
}

// ---- events ----

void Assembler::emit(const Source& source, Event& event) {
  event.at_ns = now_ns_;
  event.thread = source.thread;
  writer_.append(event);
}

void Assembler::emit_simple(
    Source& source, EventKind kind, std::uint64_t size, std::uint64_t extra, std::uint32_t node) {
  Event event;
  event.kind = kind;
  event.size = size;
  event.extra = extra;
  event.stack = source.host->stacks.stack(node);
  emit(source, event);
}

std::uint64_t Assembler::emit_allocation(
    Source& source, Lane lane, std::uint64_t size, std::uint32_t node, std::uint64_t extra) {
  Event event;
  event.kind = EventKind::kAllocate;
  event.lane = lane;
  event.size = size;
  event.stack = source.host->stacks.stack(node);
  event.extra = extra;
  event.at_ns = now_ns_;
  event.thread = source.thread;
  return emit_growth(*source.host, event);
}

/// Appends an allocation, and keeps the peaks: of its host, and of the whole session.
std::uint64_t Assembler::emit_growth(Host& host, const Event& event) {
  host.note(event.lane, event.size, now_ns_);
  const std::uint64_t number = writer_.append(event);
  note_peak(writer_.totals().footprint());
  return number;
}

/// @param footprint of the whole session, right now.
void Assembler::note_peak(std::uint64_t footprint) {
  if (footprint <= peak_footprint_)
    return;
  peak_footprint_ = footprint;
  peak_at_ns_ = now_ns_;
}

void Assembler::update(Host& host) {
  processes_[trace::index(host.id)] = host.facts;
  writer_.update_process(host.id, host.facts);
}

void Assembler::set_kernel_peak(std::uint32_t pid, std::uint64_t rss_bytes) {
  for (std::size_t i = processes_.size(); i-- > 0;) {
    trace::Process& facts = processes_[i];
    if (facts.pid != pid)
      continue;
    facts.kernel_peak_rss_bytes = std::max(facts.kernel_peak_rss_bytes, rss_bytes);
    writer_.update_process(trace::ProcessId{static_cast<std::uint32_t>(i)}, facts);
    for (const auto& host : hosts_) {
      if (trace::index(host->id) == i)
        host->facts.kernel_peak_rss_bytes = facts.kernel_peak_rss_bytes;
    }
    return;
  }
}

void Assembler::emit_release(Source& source, const LiveBlock& block) {
  if (block.allocation == trace::kNoAllocation)
    return;
  Event event;
  event.kind = EventKind::kRelease;
  event.lane = Lane::kHeap;
  event.allocation = block.allocation;
  event.size = block.size;
  source.host->totals[Lane::kHeap] -= block.size;
  emit(source, event);
}

void Assembler::emit_release(Source& source, const Mapping& mapping) {
  if (!mapping.counts())
    return;
  Event event;
  event.kind = mapping.whole ? EventKind::kRelease : EventKind::kReleasePart;
  event.lane = mapping.kind == Mapping::Kind::kFile ? Lane::kFile : Lane::kAnon;
  event.allocation = mapping.allocation;
  event.size = mapping.bytes();
  source.host->totals[event.lane] -= event.size;
  emit(source, event);
}

PendingCall& Assembler::pending(Source& source) {
  return source.host->pending[trace::index(source.thread)];
}

/// A call whose second record will not come: dropped, or left by longjmp. What it held aside is
/// gone.
void Assembler::give_up(Source& source, PendingCall& call) {
  if (call.block)
    emit_release(source, *std::exchange(call.block, std::nullopt));
  for (const Mapping& mapping : std::exchange(call.moving, {}))
    emit_release(source, mapping);
}

// ---- files ----

trace::FileId Assembler::file(const std::string& path, std::uint64_t size) {
  const auto [place, is_new] = files_.try_emplace(path);
  if (is_new) {
    place->second = writer_.add_file({path, size, false});
    file_facts_.push_back({path, size, false});
    return place->second;
  }
  trace::File& facts = file_facts_[trace::index(place->second)];
  if (size > facts.size) {
    facts.size = size;
    writer_.update_file(place->second, facts);
  }
  return place->second;
}

void Assembler::add_file(Source& source, const RawRecord& record, Payload payload) {
  auto& descriptors = source.host->descriptors;
  const auto known = descriptors.find(record.extra);
  switch (record.kind) {
    case RecordKind::kOpen: {
      wire::FileIdentity identity{};
      if (payload.size() < sizeof identity)
        return;
      std::memcpy(&identity, payload.data(), sizeof identity);
      RawRecord sized = record;
      sized.size = identity.path_bytes;
      const trace::FileId id = file(text_of(sized, payload, sizeof identity), record.size);
      descriptors[record.extra] = id;
      emit_simple(source, EventKind::kOpen, 0, trace::index(id), record.stack);
      break;
    }
    case RecordKind::kDuplicate:
      if (known != descriptors.end())
        descriptors[record.address] = trace::FileId{known->second};
      break;
    case RecordKind::kClose:
      if (known == descriptors.end())
        return;
      emit_simple(source, EventKind::kClose, 0, trace::index(known->second));
      descriptors.erase(known);
      break;
    case RecordKind::kRead:
      if (known != descriptors.end())
        add_read(source, record, known->second);
      break;
    default:  // kFileAdvise, whose advice travels in the stack's place
      emit_simple(source, EventKind::kAdvise, record.size, record.stack);
      break;
  }
}

}  // namespace tidemark
