#include "collector/trace/coding/definitions_coding.hpp"

#include <algorithm>

namespace tidemark::trace {
namespace {

void write_lanes(const LaneTotals& lanes, ByteWriter& out) {
  for (const auto bytes : lanes.bytes)
    out.varint(bytes);
}

std::uint64_t flags_of(const File& file) {
  std::uint64_t flags = 0;
  for (const FileFlag& flag : kFileFlags)
    flags |= file.*flag.member ? flag.bit : 0;
  return flags;
}

}  // namespace

void DefinitionsEncoder::add_entry(DefinitionKind kind, std::uint32_t id) {
  auto& expected = expected_ids_[static_cast<std::size_t>(kind)];
  const std::uint64_t coded_id = zigzag(std::uint64_t{id} - expected);
  expected = id + 1;
  std::array<std::uint8_t, 3 * kMaxVarintBytes> head{};
  auto* end = write_varint(head.data(), static_cast<std::uint64_t>(kind));
  end = write_varint(end, varint_bytes(coded_id) + fields_.size());
  end = write_varint(end, coded_id);
  ByteWriter out(entries_);
  out.bytes(ByteView(head.data(), end));
  out.bytes(fields_);
  fields_.clear();
}

void DefinitionsEncoder::add(NameId id, std::string_view name) {
  ByteWriter(fields_).string(name);
  add_entry(DefinitionKind::kName, index(id));
}

void DefinitionsEncoder::add(ProcessId id, const Process& process) {
  ByteWriter out(fields_);
  out.varint(process.pid);
  out.varint(process.parent_pid);
  out.varint(process.parent + 1);  // kNoParent wraps to 0.
  out.varint(process.begin_ns);
  out.varint(process.end_ns);
  out.string(process.command);
  out.string(process.executable);
  write_lanes(process.peak, out);
  out.varint(process.peak_at_ns);
  write_lanes(process.lane_peaks, out);
  out.varint(process.kernel_peak_rss_bytes);
  out.varint(process.own_bytes);
  if (process.rss_at_most_bytes != 0)
    out.varint(process.rss_at_most_bytes);
  add_entry(DefinitionKind::kProcess, index(id));
}

void DefinitionsEncoder::add(ThreadId id, const Thread& thread) {
  ByteWriter out(fields_);
  out.varint(index(thread.process));
  out.varint(thread.tid);
  out.string(thread.name);
  add_entry(DefinitionKind::kThread, index(id));
}

void DefinitionsEncoder::add(ModuleId id, const Module& module) {
  ByteWriter out(fields_);
  out.string(module.path);
  out.string(module.build_id);
  out.varint(module.base);
  add_entry(DefinitionKind::kModule, index(id));
}

void DefinitionsEncoder::add(FrameId id, const Frame& frame) {
  ByteWriter out(fields_);
  out.varint(index(frame.module));
  out.varint(frame.offset);
  if (frame.language != FrameLanguage::kNative)
    out.varint(static_cast<std::uint64_t>(frame.language));
  add_entry(DefinitionKind::kFrame, index(id));
}

void DefinitionsEncoder::add(StackId id, const StackNode& node) {
  ByteWriter out(fields_);
  out.varint(index(id) - index(node.parent));
  out.varint(index(node.frame));
  add_entry(DefinitionKind::kStack, index(id));
}

void DefinitionsEncoder::add(FileId id, const File& file) {
  ByteWriter out(fields_);
  out.string(file.path);
  out.varint(file.size);
  out.varint(flags_of(file));
  out.string(file.content);
  out.varint(file.unpacked_bytes);
  add_entry(DefinitionKind::kFile, index(id));
}

void DefinitionsEncoder::add(TensorId id, const Tensor& tensor) {
  ByteWriter out(fields_);
  out.varint(index(tensor.file));
  out.string(tensor.name);
  out.string(tensor.type);
  out.varint(tensor.elements);
  out.varint(tensor.begin);
  out.varint(tensor.bytes);
  out.varint(tensor.shape.size());
  for (const std::uint64_t dimension : tensor.shape)
    out.varint(dimension);
  add_entry(DefinitionKind::kTensor, index(id));
}

void DefinitionsEncoder::add(LookId id, const Look& look) {
  ByteWriter out(fields_);
  out.varint(look.allocation);
  out.varint(look.at_ns);
  out.varint(look.bytes);
  add_entry(DefinitionKind::kLook, index(id));
}

void DefinitionsEncoder::add(OriginId id, const Origin& origin) {
  ByteWriter out(fields_);
  out.varint(origin.allocation);
  out.varint(origin.begin);
  out.varint(index(origin.file));
  out.varint(origin.offset);
  out.varint(origin.bytes);
  out.varint(origin.at_ns);
  add_entry(DefinitionKind::kOrigin, index(id));
}

void DefinitionsEncoder::add(MatchId id, const ValueMatch& match) {
  ByteWriter out(fields_);
  out.varint(match.allocation);
  out.varint(match.begin);
  out.varint(index(match.file));
  out.varint(match.offset);
  out.string(match.type);
  out.varint(match.at_ns);
  out.varint(match.is_transposed ? 1 : 0);
  out.varint(match.from_ns);
  out.varint(match.until_ns + 1);  // 0: kNever
  add_entry(DefinitionKind::kMatch, index(id));
}

void DefinitionsEncoder::add(MismatchId id, const ValueMismatch& mismatch) {
  ByteWriter out(fields_);
  out.varint(mismatch.allocation);
  out.varint(mismatch.at_ns);
  add_entry(DefinitionKind::kMismatch, index(id));
}

void DefinitionsEncoder::add(HeapLookId id, const HeapLook& look) {
  ByteWriter out(fields_);
  out.varint(index(look.process));
  out.varint(look.at_ns);
  out.varint(look.bytes);
  out.varint(look.blocks);
  add_entry(DefinitionKind::kHeapLook, index(id));
}

void DefinitionsEncoder::add(AlikeId id, const Alike& alike) {
  ByteWriter out(fields_);
  out.varint(alike.allocation);
  out.varint(alike.of);
  out.varint(alike.at_ns);
  out.varint(alike.from_ns);
  out.varint(alike.until_ns + 1);  // 0: kNever
  out.string(alike.type);
  out.string(alike.of_type);
  out.varint(alike.is_rounded ? 1 : 0);
  add_entry(DefinitionKind::kAlike, index(id));
}

void DefinitionsEncoder::add(JoinedId id, const Joined& joined) {
  ByteWriter out(fields_);
  out.varint(joined.allocation);
  out.varint(joined.of);
  out.varint(joined.begin);
  out.varint(joined.bytes);
  out.varint(joined.rows);
  out.varint(joined.at_ns);
  out.varint(joined.from_ns);
  out.varint(joined.until_ns + 1);  // 0: kNever
  add_entry(DefinitionKind::kJoined, index(id));
}

void DefinitionsEncoder::add(PackedId id, const PackedMatch& packed) {
  ByteWriter out(fields_);
  out.varint(packed.allocation);
  out.varint(index(packed.file));
  out.varint(packed.offset);
  out.varint(zigzag(static_cast<std::uint64_t>(packed.distance)));
  out.varint(packed.at_ns);
  out.varint(packed.from_ns);
  out.varint(packed.until_ns + 1);  // 0: kNever
  out.string(packed.type);
  out.string(packed.file_type);
  out.varint(packed.begin);
  out.varint(packed.bytes);
  out.varint(packed.node_bytes);
  add_entry(DefinitionKind::kPacked, index(id));
}

void DefinitionsEncoder::add(FrameId id, const std::vector<Location>& locations) {
  ByteWriter out(fields_);
  const auto count = std::min(locations.size(), kMaxLocations);
  out.varint(count);
  for (std::size_t i = 0; i < count; ++i) {
    out.string(locations[i].function);
    out.string(locations[i].file);
    out.varint(locations[i].line);
  }
  add_entry(DefinitionKind::kLocations, index(id));
}

void DefinitionsEncoder::clear() {
  entries_.clear();
  expected_ids_.fill(0);
}

}  // namespace tidemark::trace
