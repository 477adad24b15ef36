#include "analyzer/export/parts/perfetto_heap.hpp"

#include "analyzer/export/stacks/frame_names.hpp"
#include "analyzer/text/shown_text.hpp"

#include <charconv>
#include <string_view>
#include <vector>

namespace tidemark::exports {
namespace {

namespace protos = perfetto_protos;

/// Sequence 1 is that of the tracks.
constexpr std::uint32_t kFirstSequence = 2;

/// The bytes of hexadecimal digits, as a trace has a build id; nothing for other text.
std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (; digits.size() >= 2; digits.remove_prefix(2)) {
    unsigned byte = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
    if (read.ec != std::errc() || read.ptr != digits.data() + 2) {
      return {};
    }
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::uint64_t callstack_id(trace::StackId stack) {
  return std::uint64_t{trace::index(stack)} + 1;  // 0 says "none".
}

}  // namespace

PerfettoHeap::PerfettoHeap(const trace::Definitions& definitions,
                           std::uint32_t pid,
                           trace::Lane lane,
                           PerfettoPackets& packets)
    : definitions_(definitions),
      pid_(pid),
      lane_(lane),
      sequence_(kFirstSequence + static_cast<std::uint32_t>(lane)),
      packets_(packets) {}

void PerfettoHeap::add(const StackTable& table) {
  protos::TracePacket& packet = packets_.packet(sequence_);
  packet.set_timestamp(table.at_ns);
  std::uint32_t flags = protos::TracePacket::SEQ_NEEDS_INCREMENTAL_STATE;
  if (profiles_ == 0) {
    flags |= protos::TracePacket::SEQ_INCREMENTAL_STATE_CLEARED;
  }
  packet.set_sequence_flags(flags);
  interned_ = packet.mutable_interned_data();
  protos::ProfilePacket& profile = *packet.mutable_profile_packet();
  profile.set_index(profiles_++);
  auto& dump = *profile.add_process_dumps();
  dump.set_pid(pid_);
  dump.set_from_startup(true);
  dump.set_timestamp(table.at_ns);
  dump.set_heap_name(trace::key_of(lane_));
  dump.set_sampling_interval_bytes(1);  // Every byte was counted; nothing is sampled.
  for (const StackRow& row : table.rows) {
    if (row.lane != lane_) {
      continue;
    }
    callstack(row.stack);
    auto& sample = *dump.add_samples();
    sample.set_callstack_id(callstack_id(row.stack));
    sample.set_self_allocated(row.values.allocated_bytes);
    sample.set_self_freed(row.values.freed_bytes());
    sample.set_alloc_count(row.values.allocated_blocks);
    sample.set_free_count(row.values.freed_blocks());
  }
}

std::uint64_t PerfettoHeap::text(std::map<std::string, std::uint64_t>& known,
                                 google::protobuf::RepeatedPtrField<protos::InternedString>& texts,
                                 const std::string& text) {
  const auto [entry, is_new] = known.try_emplace(text, known.size() + 1);
  if (is_new) {
    protos::InternedString& added = *texts.Add();
    added.set_iid(entry->second);
    added.set_str(text);
  }
  return entry->second;
}

std::uint64_t PerfettoHeap::mapping(const std::string& path, const std::string& build_id) {
  const auto [entry, is_new] =
      mappings_.try_emplace(std::pair(path, build_id), mappings_.size() + 1);
  if (is_new) {
    const std::string id = bytes_of_hex(build_id);
    const std::uint64_t build =
        id.empty() ? 0 : text(build_ids_, *interned_->mutable_build_ids(), id);
    const std::uint64_t name = text(paths_, *interned_->mutable_mapping_paths(), path);
    protos::Mapping& added = *interned_->add_mappings();
    added.set_iid(entry->second);
    if (build != 0) {
      added.set_build_id(build);
    }
    added.add_path_string_ids(name);
  }
  return entry->second;
}

/// trace_processor identifies frames by their mapping, their place in it and their function. A
/// Python function's mapping is its file, and its place the line.
std::uint64_t PerfettoHeap::frame(const analyzer::NamedFrame& named, trace::FrameId recorded) {
  const trace::Frame& place = definitions_.frames.at(trace::index(recorded));
  const std::size_t module = trace::index(place.module);
  const bool has_module = !named.is_python && module < definitions_.modules.size();
  const std::string path = named.is_python ? named.file : named.module;
  const std::uint64_t in =
      mapping(analyzer::shown_text(path),
              has_module ? definitions_.modules[module].build_id : std::string());
  // The address of the call itself: frames hold the return address, which is one byte too far.
  const std::uint64_t at = named.is_python ? named.line : place.offset - 1;
  const std::uint64_t function =
      text(functions_, *interned_->mutable_function_names(), analyzer::shown_text(named.function));
  const auto [entry, is_new] = frames_.try_emplace({in, at, function}, frames_.size() + 1);
  if (is_new) {
    const std::uint64_t source =
        named.file.empty()
            ? 0
            : text(sources_, *interned_->mutable_source_paths(), analyzer::shown_text(named.file));
    protos::Frame& added = *interned_->add_frames();
    added.set_iid(entry->second);
    added.set_function_name_id(function);
    added.set_mapping_id(in);
    added.set_rel_pc(at);
    added.set_kind(named.is_python ? protos::Frame::KIND_INTERPRETED : protos::Frame::KIND_NATIVE);
    if (source != 0) {
      added.set_source_path_iid(source);
      added.set_line_number(named.line);
    }
  }
  return entry->second;
}

std::uint64_t PerfettoHeap::unknown_frame() {
  const std::uint64_t in = mapping("", "");
  const std::uint64_t function =
      text(functions_, *interned_->mutable_function_names(), kUnknownStack);
  const auto [entry, is_new] = frames_.try_emplace({in, 0, function}, frames_.size() + 1);
  if (is_new) {
    protos::Frame& added = *interned_->add_frames();
    added.set_iid(entry->second);
    added.set_function_name_id(function);
    added.set_mapping_id(in);
    added.set_rel_pc(0);
  }
  return entry->second;
}

void PerfettoHeap::callstack(trace::StackId stack) {
  if (!callstacks_.insert(stack).second) {
    return;
  }
  std::vector<std::uint64_t> frames;  // Innermost first.
  for (const trace::FrameId recorded : analyzer::recorded_frames(definitions_, stack)) {
    for (const analyzer::NamedFrame& named : analyzer::named_frame(definitions_, recorded)) {
      frames.push_back(frame(named, recorded));
    }
  }
  if (frames.empty()) {
    frames.push_back(unknown_frame());
  }
  protos::Callstack& added = *interned_->add_callstacks();
  added.set_iid(callstack_id(stack));
  for (auto id = frames.rbegin(); id != frames.rend(); ++id) {
    added.add_frame_ids(*id);
  }
}

}  // namespace tidemark::exports
