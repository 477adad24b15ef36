#include "collector/trace/writer.hpp"

#include "collector/trace/coding/compression.hpp"
#include "collector/trace/coding/definitions_coding.hpp"
#include "collector/trace/coding/event_encoder.hpp"
#include "collector/trace/coding/samples_coding.hpp"
#include "collector/trace/coding/session_json.hpp"
#include "collector/trace/file/file_header.hpp"
#include "collector/trace/file/summary_tracker.hpp"
#include "collector/trace/file/trace_index.hpp"
#include "collector/trace/output/output_file.hpp"
#include "collector/trace/output/output_target.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tidemark::trace {
namespace {

constexpr std::size_t kTableBlockBytes = std::size_t{256}
                                         << 10;  ///< Pending tables are written from here on.

/// How much the session's text may grow until its end: more than all numbers at their longest.
constexpr std::size_t kSessionRoom = 1024;

class FileTraceWriter final : public TraceWriter {
 public:
  FileTraceWriter() = default;
  FileTraceWriter(const FileTraceWriter&) = delete;
  FileTraceWriter& operator=(const FileTraceWriter&) = delete;
  FileTraceWriter(FileTraceWriter&&) = delete;
  FileTraceWriter& operator=(FileTraceWriter&&) = delete;
  ~FileTraceWriter() override;

  /// All other functions require an open file.
  void begin(std::unique_ptr<OutputFile> file);

  AllocationNumber append(const Event& event) override;
  void append_heap(ThreadId thread,
                   std::span<const HeapEvent> events,
                   const HeapChange& change) override;
  void append(const Sample& sample) override;

  NameId add_name(std::string_view name) override;
  ProcessId add_process(const Process& process) override {
    return define<ProcessId>(processes_, process);
  }
  ThreadId add_thread(const Thread& thread) override { return define<ThreadId>(threads_, thread); }
  ModuleId add_module(const Module& module) override { return define<ModuleId>(modules_, module); }
  FrameId add_frame(const Frame& frame) override { return define<FrameId>(frames_, frame); }
  StackId add_stack(const StackNode& node) override { return define<StackId>(stacks_, node); }
  FileId add_file(const File& file) override { return define<FileId>(files_, file); }
  TensorId add_tensor(const Tensor& tensor) override { return define<TensorId>(tensors_, tensor); }
  LookId add_look(const Look& look) override { return define<LookId>(looks_, look); }
  OriginId add_origin(const Origin& origin) override { return define<OriginId>(origins_, origin); }
  MatchId add_match(const ValueMatch& match) override { return define<MatchId>(matches_, match); }
  MismatchId add_mismatch(const ValueMismatch& mismatch) override {
    return define<MismatchId>(mismatches_, mismatch);
  }
  PackedId add_packed(const PackedMatch& packed) override {
    return define<PackedId>(packed_, packed);
  }
  HeapLookId add_heap_look(const HeapLook& look) override {
    return define<HeapLookId>(heap_looks_, look);
  }
  AlikeId add_alike(const Alike& alike) override { return define<AlikeId>(alike_, alike); }
  JoinedId add_joined(const Joined& joined) override { return define<JoinedId>(joined_, joined); }
  void update_process(ProcessId id, const Process& process) override { redefine(id, process); }
  void update_thread(ThreadId id, const Thread& thread) override { redefine(id, thread); }
  void update_file(FileId id, const File& file) override { redefine(id, file); }
  void set_locations(FrameId id, const std::vector<Location>& locations) override {
    redefine(id, locations);
  }
  void set_session(const Session& session) override;

  void flush() override {
    const std::uint64_t size = file_->size();
    write_pending();
    if (file_->size() == size)
      file_->touch();
  }
  Status finish(const Session& session) override;
  void discard() override {
    file_->discard();
    abandon();
  }
  void abandon() noexcept override { is_abandoned_ = true; }

  [[nodiscard]] const LaneTotals& totals() const override { return tracker_.totals(); }
  [[nodiscard]] std::uint64_t event_count() const override { return event_count_; }
  [[nodiscard]] AllocationNumber next_allocation() const override { return next_allocation_; }
  [[nodiscard]] std::uint64_t events_unwritten() const override { return events_unwritten_; }
  [[nodiscard]] std::uint64_t bytes_written() const override { return file_->size(); }
  [[nodiscard]] const std::string& write_error() const override { return file_->error(); }
  [[nodiscard]] const std::string& begun_path() const override { return file_->begun_path(); }
  [[nodiscard]] bool is_kept() const override { return file_->is_kept(); }

 private:
  template <typename Id, typename Definition>
  Id define(std::uint32_t& next, const Definition& definition) {
    const Id id{next++};
    redefine(id, definition);
    return id;
  }
  template <typename Id, typename Definition>
  void redefine(Id id, const Definition& definition) {
    definitions_.add(id, definition);
    if (definitions_.entries().size() >= kTableBlockBytes)
      write_definitions();
  }
  void move_on_to(std::uint64_t at_ns);
  void begin_events(std::uint64_t at_units);
  void write_events();
  void write_definitions();
  void write_samples();
  void write_session();
  void write_pending();
  void make_stored_session(const std::string& json);
  void write_first_session();
  void rewrite_first_session(Session session);
  void write_table(BlockType type, ByteView raw);
  bool write_block(const IndexEntry& entry);
  Error write_failure(bool is_whole) const;

  std::unique_ptr<OutputFile> file_;
  const ByteBuffer header_ = file_header_bytes({});
  Compressor columns_{Compressor::For::kColumns};
  Compressor tables_{Compressor::For::kTables};
  EventEncoder encoder_;
  SummaryTracker tracker_;
  DefinitionsEncoder definitions_;
  SamplesEncoder samples_;
  std::optional<Session> session_;  ///< Not written yet.
  std::vector<IndexEntry> index_;
  ByteBuffer block_;  ///< The block being made.
  std::unordered_map<std::string, NameId> names_{{"", NameId{0}}};

  std::uint32_t processes_ = 0;
  std::uint32_t threads_ = 0;
  std::uint32_t modules_ = 1;
  std::uint32_t frames_ = 0;
  std::uint32_t stacks_ = 1;
  std::uint32_t files_ = 0;
  std::uint32_t tensors_ = 0;
  std::uint32_t looks_ = 0;
  std::uint32_t origins_ = 0;
  std::uint32_t matches_ = 0;
  std::uint32_t mismatches_ = 0;
  std::uint32_t packed_ = 0;
  std::uint32_t heap_looks_ = 0;
  std::uint32_t alike_ = 0;
  std::uint32_t joined_ = 0;

  bool events_open_ = false;      ///< An events block has begun and holds at least one event.
  std::uint64_t last_units_ = 0;  ///< Time of the last event, in kTimeUnitNs.
  AllocationNumber next_allocation_ = 0;
  std::uint64_t event_count_ = 0;
  std::uint64_t events_unwritten_ = 0;
  bool tables_unwritten_ = false;       ///< Definitions or samples are missing from the file.
  bool is_abandoned_ = true;            ///< Nothing more is written.
  std::size_t first_session_room_ = 0;  ///< Payload bytes of the block behind the file header.
};

void FileTraceWriter::begin(std::unique_ptr<OutputFile> file) {
  file_ = std::move(file);
  file_->append(header_);
  is_abandoned_ = false;
}

FileTraceWriter::~FileTraceWriter() {
  if (is_abandoned_)
    return;
  try {
    write_pending();
  } catch (const std::bad_alloc&) {
    // What was written before stays: readers see a torn trace.
  }
}

AllocationNumber FileTraceWriter::append(const Event& event) {
  // The time is passed separately: copying the event would stall on the caller's stores to it.
  move_on_to(event.at_ns);
  encoder_.add(event, last_units_);
  tracker_.add(event, last_units_ * kTimeUnitNs);
  ++event_count_;
  const auto allocation = next_allocation_;
  next_allocation_ += is_allocation(event.kind) ? 1U : 0U;
  if (tracker_.summary().event_count == kMaxBlockEvents)
    write_events();
  return allocation;
}

void FileTraceWriter::append_heap(ThreadId thread,
                                  std::span<const HeapEvent> events,
                                  const HeapChange& change) {
  const std::size_t count = events.size();
  while (!events.empty()) {
    move_on_to(events.front().at_ns);
    // A run may be split between blocks at any event.
    const std::size_t room = kMaxBlockEvents - tracker_.summary().event_count;
    const auto part = events.first(std::min(events.size(), room));
    const std::uint64_t end_units = encoder_.add_heap(thread, part, last_units_);
    tracker_.add_heap(part, part.size() == count ? change : change_of(part),
                      last_units_ * kTimeUnitNs, end_units * kTimeUnitNs);
    last_units_ = end_units;
    event_count_ += part.size();
    next_allocation_ = encoder_.next_allocation();
    if (part.size() == room)
      write_events();
    events = events.subspan(part.size());
  }
}

/// Times never go back, and the first event of a block begins it.
void FileTraceWriter::move_on_to(std::uint64_t at_ns) {
  last_units_ = std::max(last_units_, at_ns / kTimeUnitNs);
  if (!events_open_)
    begin_events(last_units_);
}

void FileTraceWriter::append(const Sample& sample) {
  samples_.add(sample);
  if (samples_.rows().size() >= kTableBlockBytes) {
    write_definitions();
    write_samples();
  }
}

NameId FileTraceWriter::add_name(std::string_view name) {
  const NameId next{static_cast<std::uint32_t>(names_.size())};
  const auto [entry, is_new] = names_.try_emplace(std::string(name), next);
  if (is_new)
    redefine(next, name);
  return entry->second;
}

void FileTraceWriter::set_session(const Session& session) {
  session_ = session;
  session_->ended = false;
  if (index_.empty() && !events_open_)
    write_first_session();
}

Status FileTraceWriter::finish(const Session& session) {
  write_pending();
  session_ = session;
  session_->ended = true;
  session_->loss.events_unwritten += events_unwritten_;
  write_session();
  block_.clear();
  append_index_block(index_, file_->size(), block_);
  const bool is_whole = file_->append(block_) && file_->flush();
  if (is_whole && file_->publish())
    return success();
  if (!is_whole)
    rewrite_first_session(session);
  return write_failure(is_whole);
}

Error FileTraceWriter::write_failure(bool is_whole) const {
  const std::string& path = file_->begun_path();
  if (file_->error().empty())
    return {ErrorCode::kUsage, path + " was finished before"};
  if (!file_->is_there())
    return {ErrorCode::kIo, "the recording is lost: somebody removed or replaced " + path +
                                " while it was written"};
  if (is_whole)
    return {ErrorCode::kIo, "the whole recording stays in " + path +
                                ", which could not be given its name: " + file_->error()};
  return {ErrorCode::kIo,
          "cannot write " + path + ": " + file_->error() + "; what was written before can be read"};
}

void FileTraceWriter::make_stored_session(const std::string& json) {
  const Payload payload{.type = BlockType::kSession};
  block_.clear();
  const auto start = begin_block(payload, block_);
  block_.insert(block_.end(), json.begin(), json.end());
  end_block(payload, start, block_);
}

/// Padded, so that the facts known at the end fit in the same place: on a full disk there is no
/// other space.
void FileTraceWriter::write_first_session() {
  std::string json = to_json({.session = *session_, .events = 0});
  session_.reset();
  json.append(kSessionRoom, ' ');
  make_stored_session(json);
  const auto type = static_cast<std::uint8_t>(BlockType::kSession);
  if (write_block({.offset = 0, .type = type, .summary = {}}))
    first_session_room_ = json.size();
}

/// If the end of the file could not be written, notes in the first session block what is missing.
void FileTraceWriter::rewrite_first_session(Session session) {
  session.ended = true;
  session.loss.events_unwritten += events_unwritten_;
  session.loss.torn = events_unwritten_ == 0 && tables_unwritten_;
  std::string json = to_json({.session = session, .events = event_count_ - events_unwritten_});
  if (json.size() > first_session_room_)
    return;
  json.resize(first_session_room_, ' ');
  make_stored_session(json);
  file_->overwrite(kFileHeaderBytes, block_);
}

void FileTraceWriter::begin_events(std::uint64_t at_units) {
  events_open_ = true;
  tracker_.begin_block(at_units * kTimeUnitNs, next_allocation_);
  encoder_.begin_block(at_units, next_allocation_);
}

void FileTraceWriter::write_events() {
  if (!events_open_)
    return;
  write_definitions();
  events_open_ = false;
  const auto& summary = tracker_.summary();
  const Payload payload{.type = BlockType::kEvents, .summary = &summary};
  block_.clear();
  const auto start = begin_block(payload, block_);
  if (file_->usable())
    encoder_.finish(columns_, block_);
  end_block(payload, start, block_);
  if (!write_block(
          {.offset = 0, .type = static_cast<std::uint8_t>(payload.type), .summary = summary}))
    events_unwritten_ += summary.event_count;
}

void FileTraceWriter::write_definitions() {
  write_table(BlockType::kDefinitions, definitions_.entries());
  definitions_.clear();
}

void FileTraceWriter::write_samples() {
  write_table(BlockType::kSamples, samples_.rows());
  samples_.clear();
}

void FileTraceWriter::write_session() {
  if (!session_)
    return;
  const auto json = to_json({.session = *session_, .events = event_count_});
  session_.reset();
  write_table(BlockType::kSession,
              ByteView(reinterpret_cast<const std::uint8_t*>(json.data()), json.size()));
}

void FileTraceWriter::write_pending() {
  write_session();
  write_definitions();
  write_events();
  write_samples();
}

void FileTraceWriter::write_table(BlockType type, ByteView raw) {
  if (raw.empty())
    return;
  if (!file_->usable()) {
    tables_unwritten_ = true;
    return;
  }
  Payload payload{.type = type, .raw_bytes = raw.size()};
  block_.clear();
  const auto start = begin_block(payload, block_);
  if (tables_.append(raw, block_, kMaxPackRatio))
    payload.packing = Packing::kZstd;
  end_block(payload, start, block_);
  if (!write_block({.offset = 0, .type = static_cast<std::uint8_t>(type), .summary = {}}))
    tables_unwritten_ = true;
}

bool FileTraceWriter::write_block(const IndexEntry& entry) {
  const auto offset = file_->size();
  if (!file_->append(block_))
    return false;
  index_.push_back(entry);
  index_.back().offset = offset;
  return true;
}

/// A typing error must not overwrite a model or a program: only recordings and empty files are
/// replaced.
/// @return why that file may not be replaced; empty: it may be, or does not exist.
std::string why_kept(const std::string& path) {
  const auto untold = [](int error) {
    return "whether it is a recording cannot be told (" + std::generic_category().message(error) +
           ")";
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0)
    return errno == ENOENT ? "" : untold(errno);
  std::array<std::uint8_t, kFileMagic.size()> begin{};
  const ssize_t bytes = ::read(descriptor, begin.data(), begin.size());
  const int error = errno;
  ::close(descriptor);
  if (bytes < 0)
    return untold(error);
  const bool is_recording = static_cast<std::size_t>(bytes) == begin.size() && begin == kFileMagic;
  return bytes == 0 || is_recording ? "" : "it is there, and no recording";
}

}  // namespace

void TraceWriter::append_heap(ThreadId thread,
                              std::span<const HeapEvent> events,
                              const HeapChange& /*change*/) {
  for (const HeapEvent& event : events)
    append(event_of(event, thread));
}

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& path) {
  const auto target = find_output(path);
  if (target.ok() && target.value().kind == OutputTarget::Kind::kFile) {
    if (const std::string why = why_kept(target.value().path); !why.empty())
      return Error{ErrorCode::kUsage,
                   "cannot write " + path + ": " + why + "; name another file, or remove it"};
  }
  // Allocates memory before opening the file: a writer with a file can always be finished.
  auto writer = std::make_unique<FileTraceWriter>();
  auto file = OutputFile::create(path, OutputFile::Way::kUnderKnownName);
  if (!file.ok())
    return file.error();
  writer->begin(std::move(file.value()));
  if (!writer->write_error().empty()) {
    const Error error{ErrorCode::kIo,
                      "cannot write " + writer->begun_path() + ": " + writer->write_error()};
    writer->discard();
    return error;
  }
  return std::unique_ptr<TraceWriter>(std::move(writer));
}

}  // namespace tidemark::trace
