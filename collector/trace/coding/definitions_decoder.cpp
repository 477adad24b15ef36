#include "collector/trace/coding/definitions_coding.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::trace {
namespace {

LaneTotals read_lanes(ByteReader& in) {
  LaneTotals lanes;
  for (auto& bytes : lanes.bytes)
    bytes = in.varint();
  return lanes;
}

Process read_process(ByteReader& in) {
  Process process;
  process.pid = in.varint32();
  process.parent_pid = in.varint32();
  process.parent = in.varint32() - 1;
  process.begin_ns = in.varint();
  process.end_ns = in.varint();
  process.command = in.string();
  process.executable = in.string();
  process.peak = read_lanes(in);
  process.peak_at_ns = in.varint();
  process.lane_peaks = read_lanes(in);
  process.kernel_peak_rss_bytes = in.varint();
  process.own_bytes = in.varint();
  process.rss_at_most_bytes = in.at_end() ? 0 : in.varint();
  return process;
}

Thread read_thread(ByteReader& in) {
  const ProcessId process{in.varint32()};
  const auto tid = in.varint32();
  return {.process = process, .tid = tid, .name = in.string()};
}

Module read_module(ByteReader& in) {
  auto path = in.string();
  auto build_id = in.string();
  return {.path = std::move(path), .build_id = std::move(build_id), .base = in.varint()};
}

Frame read_frame(ByteReader& in) {
  const ModuleId module{in.varint32()};
  const std::uint64_t offset = in.varint();
  const bool is_python = !in.at_end() && in.varint() == 1;
  return {.module = module,
          .offset = offset,
          .language = is_python ? FrameLanguage::kPython : FrameLanguage::kNative};
}

StackNode read_stack(ByteReader& in, std::uint32_t id) {
  const StackId parent{id - in.varint32()};
  return {.parent = parent, .frame = FrameId{in.varint32()}};
}

File read_file(ByteReader& in) {
  File file;
  file.path = in.string();
  file.size = in.varint();
  const std::uint64_t flags = in.varint();
  for (const FileFlag& flag : kFileFlags)
    file.*flag.member = (flags & flag.bit) != 0;
  if (in.at_end())
    return file;  // written before version 1.4
  file.content = in.string();
  file.unpacked_bytes = in.varint();
  return file;
}

Tensor read_tensor(ByteReader& in) {
  Tensor tensor;
  tensor.file = FileId{in.varint32()};
  tensor.name = in.string();
  tensor.type = in.string();
  tensor.elements = in.varint();
  tensor.begin = in.varint();
  tensor.bytes = in.varint();
  if (in.at_end())
    return tensor;  // written without
  const std::uint64_t dimensions = in.varint();
  if (dimensions > Tensor::kMaxDimensions)
    in.fail();
  for (std::uint64_t i = 0; i < dimensions && !in.failed(); ++i)
    tensor.shape.push_back(in.varint());
  return tensor;
}

Look read_look(ByteReader& in) {
  Look look;
  look.allocation = in.varint();
  look.at_ns = in.varint();
  look.bytes = in.varint();
  return look;
}

Origin read_origin(ByteReader& in) {
  Origin origin;
  origin.allocation = in.varint();
  origin.begin = in.varint();
  origin.file = FileId{in.varint32()};
  origin.offset = in.varint();
  origin.bytes = in.varint();
  origin.at_ns = in.varint();
  return origin;
}

ValueMatch read_match(ByteReader& in) {
  ValueMatch match;
  match.allocation = in.varint();
  match.begin = in.varint();
  match.file = FileId{in.varint32()};
  match.offset = in.varint();
  match.type = in.string();
  match.at_ns = in.varint();
  match.is_transposed = in.varint() != 0;
  match.from_ns = in.varint();
  match.until_ns = in.varint() - 1;  // 0: kNever
  return match;
}

ValueMismatch read_mismatch(ByteReader& in) {
  ValueMismatch mismatch;
  mismatch.allocation = in.varint();
  mismatch.at_ns = in.varint();
  return mismatch;
}

HeapLook read_heap_look(ByteReader& in) {
  HeapLook look;
  look.process = ProcessId{in.varint32()};
  look.at_ns = in.varint();
  look.bytes = in.varint();
  look.blocks = in.varint();
  return look;
}

Alike read_alike(ByteReader& in) {
  Alike alike;
  alike.allocation = in.varint();
  alike.of = in.varint();
  alike.at_ns = in.varint();
  alike.from_ns = in.varint();
  alike.until_ns = in.varint() - 1;  // 0: kNever
  alike.type = in.string();
  alike.of_type = in.string();
  alike.is_rounded = in.varint() != 0;
  return alike;
}

Joined read_joined(ByteReader& in) {
  Joined joined;
  joined.allocation = in.varint();
  joined.of = in.varint();
  joined.begin = in.varint();
  joined.bytes = in.varint();
  joined.rows = in.varint();
  joined.at_ns = in.varint();
  joined.from_ns = in.varint();
  joined.until_ns = in.varint() - 1;  // 0: kNever
  return joined;
}

PackedMatch read_packed(ByteReader& in) {
  PackedMatch packed;
  packed.allocation = in.varint();
  packed.file = FileId{in.varint32()};
  packed.offset = in.varint();
  packed.distance = static_cast<std::int64_t>(unzigzag(in.varint()));
  packed.at_ns = in.varint();
  packed.from_ns = in.varint();
  packed.until_ns = in.varint() - 1;  // 0: kNever
  if (in.at_end())
    return packed;  // written without
  packed.type = in.string();
  packed.file_type = in.string();
  if (in.at_end())
    return packed;  // written without
  packed.begin = in.varint();
  packed.bytes = in.varint();
  if (!in.at_end())  // written with it
    packed.node_bytes = in.varint();
  return packed;
}

std::vector<Location> read_locations(ByteReader& in) {
  std::vector<Location> locations;
  const auto count = in.varint();
  if (count > kMaxLocations)
    in.fail();
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    auto function = in.string();
    auto file = in.string();
    locations.push_back({std::move(function), std::move(file), in.varint32()});
  }
  return locations;
}

/// Puts `entry` at `id`; empty entries for skipped ids are charged to `missing_bytes`.
template <typename Entry>
bool put(std::vector<Entry>& table, std::uint32_t id, Entry entry, std::size_t& missing_bytes) {
  if (id > table.size()) {
    const auto cost = (id - table.size()) * sizeof(Entry);
    if (cost > missing_bytes)
      return false;
    missing_bytes -= cost;
  }
  if (id >= table.size())
    table.resize(std::size_t{id} + 1);
  table[id] = std::move(entry);
  return true;
}

}  // namespace

DefinitionsDecoder::DefinitionsDecoder(Definitions& tables) : tables_(tables) {
  tables_.names.resize(1);
  tables_.modules.resize(1);
  tables_.stacks.resize(1);
}

bool DefinitionsDecoder::decode(ByteView entries, std::size_t& missing_bytes) {
  ByteReader reader(entries);
  std::array<std::uint32_t, kDefinitionKindCount> expected_ids{};
  while (!reader.at_end()) {
    const auto kind = reader.varint();
    ByteReader fields(reader.bytes(reader.varint()));
    if (reader.failed())
      return false;
    if (kind == 0 || kind >= kDefinitionKindCount)
      continue;
    const auto id = expected_ids[kind] + unzigzag(fields.varint());
    if (fields.failed() || id >= 0xffffffff)
      return false;
    expected_ids[kind] = static_cast<std::uint32_t>(id) + 1;
    if (!decode_entry(static_cast<DefinitionKind>(kind), static_cast<std::uint32_t>(id), fields,
                      missing_bytes))
      return false;
  }
  return !reader.failed();
}

bool DefinitionsDecoder::decode_entry(DefinitionKind kind,
                                      std::uint32_t id,
                                      ByteReader& fields,
                                      std::size_t& missing_bytes) {
  const auto take = [&](auto& table, auto entry) {
    return !fields.failed() && put(table, id, std::move(entry), missing_bytes);
  };
  switch (kind) {
    case DefinitionKind::kName:
      return take(tables_.names, fields.string());
    case DefinitionKind::kProcess:
      return take(tables_.processes, read_process(fields));
    case DefinitionKind::kThread:
      return take(tables_.threads, read_thread(fields));
    case DefinitionKind::kModule:
      return take(tables_.modules, read_module(fields));
    case DefinitionKind::kFrame:
      return take(tables_.frames, read_frame(fields));
    case DefinitionKind::kStack:
      return take(tables_.stacks, read_stack(fields, id));
    case DefinitionKind::kFile:
      return take(tables_.files, read_file(fields));
    case DefinitionKind::kTensor:
      return take(tables_.tensors, read_tensor(fields));
    case DefinitionKind::kLook:
      return take(tables_.looks, read_look(fields));
    case DefinitionKind::kOrigin:
      return take(tables_.origins, read_origin(fields));
    case DefinitionKind::kMatch:
      return take(tables_.matches, read_match(fields));
    case DefinitionKind::kMismatch:
      return take(tables_.mismatches, read_mismatch(fields));
    case DefinitionKind::kPacked:
      return take(tables_.packed, read_packed(fields));
    case DefinitionKind::kHeapLook:
      return take(tables_.heap_looks, read_heap_look(fields));
    case DefinitionKind::kAlike:
      return take(tables_.alike, read_alike(fields));
    case DefinitionKind::kJoined:
      return take(tables_.joined, read_joined(fields));
    case DefinitionKind::kLocations:
      // Locations of a frame without a definition are useless.
      if (id < tables_.frames.size())
        return take_locations(id, fields);
      return !fields.failed();
  }
  return true;
}

bool DefinitionsDecoder::take_locations(std::uint32_t id, ByteReader& fields) {
  auto locations = read_locations(fields);
  if (fields.failed())
    return false;
  if (id >= tables_.locations.size())
    tables_.locations.resize(std::size_t{id} + 1);
  tables_.locations[id] = std::move(locations);
  return true;
}

void DefinitionsDecoder::make_safe(bool placeholders) {
  tables_.names[0].clear();
  tables_.modules[0] = {};
  make_processes_safe();
  make_stacks_safe();
  constexpr std::uint64_t kMaxPlausible = std::uint64_t{1} << 48U;
  std::erase_if(tables_.tensors, [this](const Tensor& tensor) {
    return index(tensor.file) >= tables_.files.size() || tensor.elements == 0 ||
           tensor.elements > kMaxPlausible || tensor.bytes > kMaxPlausible;
  });
  std::erase_if(tables_.looks, [](const Look& look) { return look.bytes > kMaxPlausible; });
  std::erase_if(tables_.origins, [this](const Origin& origin) {
    return index(origin.file) >= tables_.files.size() || origin.bytes == 0 ||
           origin.bytes > kMaxPlausible || origin.begin > kMaxPlausible ||
           origin.offset > kMaxPlausible;
  });
  std::erase_if(tables_.matches, [this](const ValueMatch& match) {
    return index(match.file) >= tables_.files.size() || match.begin > kMaxPlausible;
  });
  std::erase_if(tables_.packed, [this](const PackedMatch& packed) {
    return index(packed.file) >= tables_.files.size() || packed.offset > kMaxPlausible ||
           packed.begin > kMaxPlausible || packed.bytes > kMaxPlausible;
  });
  std::erase_if(tables_.heap_looks, [this](const HeapLook& look) {
    return index(look.process) >= tables_.processes.size() || look.bytes > kMaxPlausible ||
           look.blocks > kMaxPlausible;
  });
  std::erase_if(tables_.joined, [](const Joined& joined) {
    return joined.begin > kMaxPlausible || joined.bytes == 0 || joined.bytes > kMaxPlausible ||
           joined.rows == 0;
  });
  if (!placeholders)
    return;
  placeholder_process();
  tables_.threads.push_back({.process = placeholder_process(), .tid = 0, .name = {}});
  tables_.files.emplace_back();
}

ProcessId DefinitionsDecoder::placeholder_process() {
  if (!has_placeholder_process_)
    tables_.processes.emplace_back();
  has_placeholder_process_ = true;
  return ProcessId{static_cast<std::uint32_t>(tables_.processes.size() - 1)};
}

void DefinitionsDecoder::make_processes_safe() {
  auto& processes = tables_.processes;
  for (std::uint32_t i = 0; i < processes.size(); ++i) {
    if (processes[i].parent >= i)
      processes[i].parent = Process::kNoParent;
  }
  const auto known = processes.size();
  for (auto& thread : tables_.threads) {
    if (index(thread.process) >= known)
      thread.process = placeholder_process();
  }
}

void DefinitionsDecoder::make_stacks_safe() {
  auto& frames = tables_.frames;
  for (auto& frame : frames) {
    if (index(frame.module) >= tables_.modules.size())
      frame.module = kNoModule;
  }
  auto& stacks = tables_.stacks;
  stacks[0] = {};
  const auto known = static_cast<std::uint32_t>(frames.size());
  // Limits the length of every walk from a node to the root.
  std::vector<std::uint16_t> depths(stacks.size());
  static_assert(kMaxStackDepth <= UINT16_MAX);
  for (std::uint32_t i = 1; i < stacks.size(); ++i) {
    auto& node = stacks[i];
    if (index(node.parent) >= i || depths[index(node.parent)] == kMaxStackDepth)
      node.parent = kNoStack;
    depths[i] = static_cast<std::uint16_t>(depths[index(node.parent)] + 1);
    if (index(node.frame) < known)
      continue;
    frames.resize(std::size_t{known} + 1);
    node.frame = FrameId{known};
  }
}

}  // namespace tidemark::trace
