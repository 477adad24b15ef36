#include "collector/trace/reader.hpp"

#include "collector/trace/file/block_list.hpp"
#include "collector/trace/file/event_blocks.hpp"
#include "collector/trace/file/file_header.hpp"
#include "collector/trace/file/file_map.hpp"
#include "collector/trace/file/tables.hpp"

#include <utility>

namespace tidemark::trace {
namespace {

ByteView view_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace

struct TraceReader::Body {
  EventBlocks blocks;
  Tables tables;
  std::vector<bool> damaged;  ///< Counted already.
  std::vector<bool> decoded;
  std::uint64_t event_count = 0;
  Loss damage;  ///< Found while events are decoded.
  BlockReader reader{blocks};
  std::vector<Event> events;  ///< For `for_each`.

  static Result<std::unique_ptr<Body>> open(FileMap map, ByteView file, const std::string& name);
  void add_events_block(const IndexEntry& entry);
  [[nodiscard]] IdLimits limits() const;
  bool decode(std::size_t block, std::vector<Event>& into);
  bool digest(std::size_t block, BlockDigest& into);
  void count(std::size_t block, const DecodeOutcome& outcome);
};

Result<std::unique_ptr<TraceReader::Body>> TraceReader::Body::open(FileMap map,
                                                                   ByteView file,
                                                                   const std::string& name) {
  const auto header = read_file_header(file, name);
  if (!header.ok())
    return header.error();
  auto body = std::make_unique<Body>();
  body->blocks.map = std::move(map);
  body->blocks.file = file;
  body->blocks.header = header.value();
  const auto list = list_blocks(file);
  for (const auto& entry : list.blocks) {
    if (entry.is(BlockType::kEvents))
      body->add_events_block(entry);
  }
  const auto& summaries = body->blocks.summaries;
  const auto event_end =
      summaries.empty() ? 0 : summaries.back().first_event + summaries.back().event_count;
  body->tables = read_tables(file, list, event_end);
  body->blocks.limits = body->limits();
  body->damaged.resize(summaries.size());
  body->decoded.resize(summaries.size());
  // Gives back pages read to find the blocks, and those that the kernel mapped around them.
  body->blocks.map.forget(0, file.size());
  return body;
}

void TraceReader::Body::add_events_block(const IndexEntry& entry) {
  blocks.summaries.push_back(entry.summary);
  blocks.offsets.push_back(entry.offset);
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
  if (block >= blocks.summaries.size()) {
    into.clear();
    return false;
  }
  reader.enter(block);
  const bool is_intact = reader.decode(into);
  reader.leave();
  count(block, reader.outcome());
  return is_intact;
}

bool TraceReader::Body::digest(std::size_t block, BlockDigest& into) {
  const bool is_intact = reader.enter(block) && reader.digest(into);
  reader.leave();
  return is_intact;
}

void TraceReader::Body::count(std::size_t block, const DecodeOutcome& outcome) {
  if (outcome.is_intact && !decoded[block]) {
    decoded[block] = true;
    damage.events_unknown += outcome.unknown_events;
  } else if (!outcome.is_intact && !damaged[block]) {
    damaged[block] = true;
    ++damage.blocks_damaged;
    damage.events_damaged += blocks.summaries[block].event_count;
    damage.bytes_damaged += outcome.damaged_bytes;
  }
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
void TraceReader::set_stacks(std::vector<StackNode> stacks) {
  body_->tables.definitions.stacks = std::move(stacks);
}
void TraceReader::change_texts(const std::function<void(std::string&)>& change) {
  visit_texts(body_->tables.definitions, change);
}
std::span<const BlockSummary> TraceReader::blocks() const {
  return body_->blocks.summaries;
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

void TraceReader::rest() {
  body_->reader.rest();
}

bool TraceReader::digest(std::size_t block, BlockDigest& digest) {
  return body_->digest(block, digest);
}

bool TraceReader::decode(std::size_t block, std::vector<Event>& events) {
  return body_->decode(block, events);
}

std::unique_ptr<BlockReader> TraceReader::block_reader() const {
  return std::make_unique<BlockReader>(body_->blocks);
}

void TraceReader::count(std::size_t block, const DecodeOutcome& outcome) {
  body_->count(block, outcome);
}

void TraceReader::for_each(const std::function<bool(const Event&)>& visit,
                           std::size_t first_block) {
  for (auto block = first_block; block < body_->blocks.summaries.size(); ++block) {
    body_->decode(block, body_->events);
    for (const auto& event : body_->events) {
      if (!visit(event))
        return;
    }
  }
}

}  // namespace tidemark::trace
