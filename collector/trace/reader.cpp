#include "collector/trace/reader.hpp"

#include "collector/trace/block.hpp"
#include "collector/trace/block_list.hpp"
#include "collector/trace/event_decoder.hpp"
#include "collector/trace/file_header.hpp"
#include "collector/trace/file_map.hpp"
#include "collector/trace/tables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::trace {
namespace {

bool same_summary(ByteView file, const BlockHeader& header, const BlockSummary& expected) {
  ByteBuffer bytes;
  ByteWriter out(bytes);
  write_summary(expected, out);
  return std::ranges::equal(file.subspan(header.offset + kBlockHeaderBytes, kSummaryBytes), bytes);
}

ByteView view_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace

struct TraceReader::Body {
  FileMap map;  ///< Empty when the bytes are borrowed.
  ByteView file;
  FileHeader header;
  Tables tables;
  std::vector<BlockSummary> summaries;
  std::vector<std::uint64_t> offsets;  ///< Of the events blocks, beside `summaries`.
  std::vector<bool> damaged;           ///< Counted already.
  std::vector<bool> decoded;
  std::uint64_t event_count = 0;
  Loss damage;  ///< Of events, while they are decoded.
  EventDecoder decoder;
  std::vector<Event> events;  ///< For `for_each`.

  static Result<std::unique_ptr<Body>> open(FileMap map, ByteView file, const std::string& name);
  void add_events_block(const IndexEntry& entry);
  [[nodiscard]] IdLimits limits() const;
  bool decode(std::size_t block, std::vector<Event>& into);
  bool decode_intact(std::size_t block, const BlockHeader& block_header, std::vector<Event>& into);
  bool digest(std::size_t block, BlockDigest& into);
  [[nodiscard]] bool numbers_join(std::size_t block) const;
  void count_damage(std::size_t block, const std::optional<BlockHeader>& block_header);
};

Result<std::unique_ptr<TraceReader::Body>> TraceReader::Body::open(FileMap map,
                                                                   ByteView file,
                                                                   const std::string& name) {
  const auto header = read_file_header(file, name);
  if (!header.ok())
    return header.error();
  auto body = std::make_unique<Body>();
  body->map = std::move(map);
  body->file = file;
  body->header = header.value();
  const auto list = list_blocks(file);
  for (const auto& entry : list.blocks) {
    if (entry.is(BlockType::kEvents))
      body->add_events_block(entry);
  }
  const auto event_end = body->summaries.empty() ? 0
                                                 : body->summaries.back().first_event +
                                                       body->summaries.back().event_count;
  body->tables = read_tables(file, list, event_end);
  body->damaged.resize(body->summaries.size());
  body->decoded.resize(body->summaries.size());
  return body;
}

void TraceReader::Body::add_events_block(const IndexEntry& entry) {
  summaries.push_back(entry.summary);
  offsets.push_back(entry.offset);
  event_count += entry.summary.event_count;
}

IdLimits TraceReader::Body::limits() const {
  const auto size = [](const auto& table) { return static_cast<std::uint32_t>(table.size()); };
  const auto& known = tables.definitions;
  return {.names = size(known.names),
          .processes = size(known.processes),
          .threads = size(known.threads),
          .stacks = size(known.stacks),
          .files = size(known.files),
          .placeholders = tables.placeholders};
}

bool TraceReader::Body::decode(std::size_t block, std::vector<Event>& into) {
  into.clear();
  if (block >= summaries.size())
    return false;
  const auto block_header = read_block_header(file, offsets[block]);
  if (!block_header || !decode_intact(block, *block_header, into)) {
    into.clear();
    count_damage(block, block_header);
    return false;
  }
  if (!decoded[block])
    damage.events_unknown += decoder.unknown_events();
  decoded[block] = true;
  return true;
}

bool TraceReader::Body::decode_intact(std::size_t block,
                                      const BlockHeader& block_header,
                                      std::vector<Event>& into) {
  if (!block_header.is(BlockType::kEvents) || !same_summary(file, block_header, summaries[block]))
    return false;
  const auto payload = read_payload(file, block_header);
  const bool intact =
      payload && decoder.decode(*payload, summaries[block], header.time_unit_ns, limits(), into);
  map.forget(block_header.offset, block_header.end_offset() - block_header.offset);
  return intact && numbers_join(block);
}

bool TraceReader::Body::digest(std::size_t block, BlockDigest& into) {
  if (block >= summaries.size())
    return false;
  const auto block_header = read_block_header(file, offsets[block]);
  if (!block_header || !block_header->is(BlockType::kEvents) ||
      !same_summary(file, *block_header, summaries[block]))
    return false;
  const auto payload = read_payload(file, *block_header);
  const bool intact = payload && decoder.decode_digest(*payload, summaries[block], limits(), into);
  map.forget(block_header->offset, block_header->end_offset() - block_header->offset);
  return intact;
}

/// An allocation's number must not be given twice.
bool TraceReader::Body::numbers_join(std::size_t block) const {
  return block + 1 == summaries.size() ||
         decoder.next_allocation() <= summaries[block + 1].first_allocation;
}

void TraceReader::Body::count_damage(std::size_t block,
                                     const std::optional<BlockHeader>& block_header) {
  if (damaged[block])
    return;
  damaged[block] = true;
  ++damage.blocks_damaged;
  damage.events_damaged += summaries[block].event_count;
  if (block_header)
    damage.bytes_damaged += block_header->end_offset() - block_header->offset;
}

Result<TraceReader> TraceReader::open(const std::string& path) {
  auto map = FileMap::open(path);
  if (!map.ok())
    return map.error();
  const auto bytes = map.value().bytes();
  auto body = Body::open(std::move(map.value()), bytes, path);
  if (!body.ok())
    return body.error();
  return TraceReader(std::move(body.value()));
}

Result<TraceReader> TraceReader::open(std::span<const std::byte> bytes) {
  auto body = Body::open({}, view_of(bytes), "The data");
  if (!body.ok())
    return body.error();
  return TraceReader(std::move(body.value()));
}

TraceReader::TraceReader(std::unique_ptr<Body> body) : body_(std::move(body)) {}
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;
TraceReader::~TraceReader() = default;

const Definitions& TraceReader::definitions() const {
  return body_->tables.definitions;
}

void TraceReader::set_locations(FrameId id, std::vector<Location> locations) {
  Definitions& definitions = body_->tables.definitions;
  if (index(id) >= definitions.frames.size()) {
    return;
  }
  if (definitions.locations.size() < definitions.frames.size()) {
    definitions.locations.resize(definitions.frames.size());
  }
  definitions.locations[index(id)] = std::move(locations);
}
std::span<const BlockSummary> TraceReader::blocks() const {
  return body_->summaries;
}
std::span<const Sample> TraceReader::samples() const {
  return body_->tables.samples;
}
std::uint64_t TraceReader::event_count() const {
  return body_->event_count;
}

Loss TraceReader::loss() const {
  auto loss = body_->tables.definitions.session.loss;
  for (const auto* damage : {&body_->tables.damage, &body_->damage}) {
    loss.blocks_damaged += damage->blocks_damaged;
    loss.events_damaged += damage->events_damaged;
    loss.bytes_damaged += damage->bytes_damaged;
    loss.blocks_unknown += damage->blocks_unknown;
    loss.events_unknown += damage->events_unknown;
    loss.torn = loss.torn || damage->torn;
  }
  return loss;
}

bool TraceReader::digest(std::size_t block, BlockDigest& digest) {
  return body_->digest(block, digest);
}

bool TraceReader::decode(std::size_t block, std::vector<Event>& events) {
  return body_->decode(block, events);
}

void TraceReader::for_each(const std::function<bool(const Event&)>& visit,
                           std::size_t first_block) {
  for (auto block = first_block; block < body_->summaries.size(); ++block) {
    body_->decode(block, body_->events);
    for (const auto& event : body_->events) {
      if (!visit(event))
        return;
    }
  }
}

}  // namespace tidemark::trace
