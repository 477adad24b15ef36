#include "collector/drain/books/file_book.hpp"

#include "collector/drain/books/contents/contents.hpp"
#include "collector/os/content/file_content.hpp"
#include "collector/session/record_text.hpp"
#include "collector/weights/tensor_reader.hpp"
#include "collector/weights/unpacked_arrays.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace tidemark {

using trace::Event;
using trace::EventKind;

namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

/// Smaller files are not weights, and mostly only their beginning is used.
constexpr std::uint64_t kWorthALook = std::uint64_t{1} << 20;

bool is_same(const struct stat& file, const wire::FileIdentity& identity) {
  return static_cast<std::uint64_t>(file.st_dev) == identity.device &&
         static_cast<std::uint64_t>(file.st_ino) == identity.inode;
}

/// The clock of file time stamps lags by some milliseconds: a change just after `unix_ns` may be
/// missed, but no earlier one counts.
bool has_changed_since(const struct stat& file, std::uint64_t unix_ns) {
  const std::uint64_t changed = static_cast<std::uint64_t>(file.st_mtim.tv_sec) * kNsPerSecond +
                                static_cast<std::uint64_t>(file.st_mtim.tv_nsec);
  return changed >= unix_ns;
}

struct NamedFile {
  std::string path;
  std::uint64_t size = 0;
  std::pair<std::uint64_t, std::uint64_t> inode;  ///< With its device in front.
};

/// The file at `path`, or all below that folder; none where there is neither.
std::vector<NamedFile> regular_files_at(const std::string& path) {
  constexpr std::size_t kMaxEntries = 4096;
  namespace fs = std::filesystem;
  std::vector<NamedFile> files;
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  const auto add = [&files](const fs::path& at) {
    struct stat status {};
    if (::stat(at.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      files.push_back({at.string(),
                       static_cast<std::uint64_t>(status.st_size),
                       {status.st_dev, status.st_ino}});
  };
  if (path.empty() || error)
    return files;
  add(whole);
  std::size_t entries = 0;
  for (fs::recursive_directory_iterator at(whole, error), end;
       !error && at != end && entries < kMaxEntries; at.increment(error), ++entries)
    add(at->path());
  return files;
}

/// Without what the kernel puts behind the name of a file that has none any more.
std::string path_of(const OpenFile& open) {
  constexpr std::string_view kDeleted = " (deleted)";
  const bool is_marked = open.is_unlinked && open.path.ends_with(kDeleted);
  return is_marked ? open.path.substr(0, open.path.size() - kDeleted.size()) : open.path;
}

FileDescriptor again(const FileDescriptor& file) {
  return FileDescriptor(::fcntl(file.number(), F_DUPFD_CLOEXEC, 0));
}

}  // namespace

trace::FileId FileBook::file(trace::File facts) {
  const auto [place, is_new] = files_.try_emplace(facts.path);
  if (is_new) {
    place->second = sink_.writer().add_file(facts);
    known_.push_back({.facts = std::move(facts)});
    return place->second;
  }
  trace::File& known = known_[trace::index(place->second)].facts;
  const trace::File before = known;
  known.size = std::max(known.size, facts.size);
  known.writable = known.writable || facts.writable;
  known.written = known.written || facts.written;
  known.unlinked = known.unlinked || facts.unlinked;
  known.in_memory = known.in_memory || facts.in_memory;
  if (known.size != before.size || known.writable != before.writable ||
      known.written != before.written || known.unlinked != before.unlinked ||
      known.in_memory != before.in_memory)
    sink_.writer().update_file(place->second, known);
  return place->second;
}

const std::string& FileBook::first_name_of(const std::string& path,
                                           const wire::FileIdentity& identity,
                                           std::uint64_t bytes) const {
  constexpr std::uint32_t kMayBeAnother =
      wire::kFileWritable | wire::kFileChanged | wire::kFileUnlinked;
  const auto found = by_inode_.find({identity.device, identity.inode});
  if (bytes < kWorthALook || (identity.flags & kMayBeAnother) != 0 || found == by_inode_.end() ||
      files_.contains(path))
    return path;
  const Known& known = known_[trace::index(found->second)];
  const bool is_it = known.identity.device == identity.device &&
                     known.identity.inode == identity.inode && known.facts.size == bytes &&
                     !known.facts.written && !known.facts.unlinked;
  return is_it ? known.facts.path : path;
}

trace::FileId FileBook::mapped_file(const Host& host, std::uint32_t descriptor) {
  const auto known = host.tables.descriptors.find(descriptor);
  return known != host.tables.descriptors.end() ? known->second
                                                : file({.path = "(not a regular file)"});
}

bool FileBook::may_have_tensors(trace::FileId file) const {
  return known_[trace::index(file)].facts.size >= kWorthALook;
}

void FileBook::note_use(trace::FileId file, std::uint64_t bytes) {
  known_[trace::index(file)].used_bytes += bytes;
}

const FileBook::Known* FileBook::find(const OpenFile& open) const {
  const auto found = by_inode_.find({open.device, open.inode});
  return found == by_inode_.end() ? nullptr : &known_[trace::index(found->second)];
}

void FileBook::note_open(Host& host, const OpenFile& open) {
  values_.expect_weights(host);
  if (find(open) != nullptr)
    return;
  const trace::FileId id = file({.path = path_of(open),
                                 .size = open.size,
                                 .writable = open.is_writable,
                                 .written = open.is_writable,
                                 .unlinked = open.is_unlinked,
                                 .in_memory = shared_.is_memory(host, open.device)});
  Known& known = known_[trace::index(id)];
  known.identity.device = open.device;
  known.identity.inode = open.inode;
  known.is_identified = true;
  by_inode_.insert_or_assign({open.device, open.inode}, id);
  sink_.emit_simple({&host, host.first_thread()}, EventKind::kOpen, 0, trace::index(id));
}

std::uint64_t FileBook::seen_uses_of(const OpenFile& open) const {
  const Known* const known = find(open);
  return known == nullptr ? 0 : known->used_bytes - known->unseen_bytes;
}

bool FileBook::was_read_unseen(const OpenFile& open) const {
  const Known* const known = find(open);
  return known != nullptr && known->unseen_bytes != 0;
}

void FileBook::read_unseen(Host& host, const OpenFile& open, std::uint64_t bytes) {
  note_open(host, open);
  const trace::FileId id = by_inode_.at({open.device, open.inode});
  note_use(id, bytes);
  known_[trace::index(id)].unseen_bytes += bytes;
  sink_.emit_simple({&host, host.first_thread()}, EventKind::kRead, bytes, trace::index(id));
}

void FileBook::note_model(const std::string& path) {
  const std::vector<NamedFile> files = regular_files_at(path);
  const bool was_used = std::ranges::any_of(files, [this](const NamedFile& file) {
    const auto known = by_inode_.find(file.inode);
    return known != by_inode_.end() &&
           known_[trace::index(known->second)].used_bytes >= kWorthALook;
  });
  if (was_used)
    return;
  for (const NamedFile& named : files) {
    const auto opened = by_inode_.find(named.inode);
    const bool is_known = opened != by_inode_.end();
    if (named.size < kWorthALook || (!is_known && files_.contains(named.path)))
      continue;
    // Until a look at it says that it has not changed.
    const trace::FileId id =
        is_known ? opened->second : file({.path = named.path, .size = named.size, .written = true});
    Known& known = known_[trace::index(id)];
    std::tie(known.identity.device, known.identity.inode) = named.inode;
    known.is_identified = true;
    known.facts.named = true;
    known.used_bytes = named.size;
  }
}

void FileBook::look_into_files(std::uint64_t began_unix_ns) {
  weights::ValueIndex index;
  std::vector<weights::PlainFile> plain;
  std::uint64_t budget = weights::UnpackedArrays::kMaxBytes;
  bool has_loaded = false;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (known_[i].used_bytes >= kWorthALook && known_[i].is_identified) {
      has_loaded = true;
      Opened opened = look_into(known_[i], began_unix_ns);
      const trace::FileId id{static_cast<std::uint32_t>(i)};
      const bool is_plain = unpack(known_[i], opened, budget) || may_hold_plain_values(known_[i]);
      sink_.writer().update_file(id, known_[i].facts);
      for (trace::Tensor& tensor : opened.tensors) {
        tensor.file = id;
        if (const std::string& path = known_[i].facts.path; tensor.name.empty())
          tensor.name = path.substr(path.find_last_of('/') + 1);
        sink_.writer().add_tensor(tensor);
      }
      if (is_plain)
        plain.push_back({id, again(opened.file), opened.size, weights::shifts_of(opened.tensors),
                         weights::floats_of(opened.tensors, opened.size), !opened.tensors.empty(),
                         weights::borders_of(opened.tensors)});
      if (!opened.tensors.empty())
        index.add(id, std::move(opened.file), opened.tensors);
    }
  }
  // Files of a known format first, since the total that is read is limited.
  std::stable_partition(plain.begin(), plain.end(), [this](const weights::PlainFile& file) {
    return !known_[trace::index(file.id)].facts.content.empty();
  });
  values_.tell({index, plain, has_loaded});
}

/// For a file of unknown format: true if it was used like weights, at least half of it.
bool FileBook::may_hold_plain_values(const Known& known) {
  const trace::File& facts = known.facts;
  const bool may_be = !facts.content.empty() ||
                      (!facts.executable && !facts.written && known.used_bytes >= facts.size / 2);
  return may_be && !facts.compressed && weights::is_plain(facts.content);
}

/// Only if blocks were looked into that may hold its content.
/// @param budget  for what is unpacked.
/// @return whether `opened` is the unpacked content now.
bool FileBook::unpack(const Known& known, Opened& opened, std::uint64_t& budget) const {
  if (!known.facts.compressed || known.facts.content != "npz" || !opened.file.is_open() ||
      !values_.has_seen_large() || budget == 0)
    return false;
  auto arrays = weights::unpack_arrays(opened.file, opened.size, budget);
  if (!arrays)
    return false;
  budget -= std::min(budget, arrays->size);
  opened = {std::move(arrays->file), arrays->size, std::move(arrays->tensors)};
  return true;
}

/// Its name may lead to another file by now, or to one under another root: then only what the hosts
/// recorded is known of it.
FileBook::Opened FileBook::look_into(Known& known, std::uint64_t began_unix_ns) {
  FileDescriptor opened = open_regular_file(known.facts.path);
  struct stat status {};
  if (!opened.is_open() || ::fstat(opened.number(), &status) != 0 ||
      !is_same(status, known.identity))
    return {};
  known.facts.written = known.facts.written && has_changed_since(status, began_unix_ns);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const FileContent content = tidemark::look_into(opened, size);
  auto tensors = weights::read_tensors(opened, size, content.word);
  // Their arrays are found in the unpacked data, or not at all.
  if (content.is_compressed && content.word == "npz")
    tensors.clear();
  known.facts.content = content.word;
  known.facts.compressed = content.is_compressed;
  known.facts.unpacked_bytes = content.unpacked_bytes;
  return {std::move(opened), size, std::move(tensors)};
}

void FileBook::note_executable(trace::FileId file) {
  trace::File& facts = known_[trace::index(file)].facts;
  if (facts.executable)
    return;
  facts.executable = true;
  sink_.writer().update_file(file, facts);
}

void FileBook::see(Source& source, const wire::Open& open, const Behind& behind) {
  wire::FileIdentity identity{};
  if (behind.payload.size() < sizeof identity)
    return;
  std::memcpy(&identity, behind.payload.data(), sizeof identity);
  const std::string path = text_of(identity.path_bytes, behind.payload, sizeof identity);
  shared_.close(source, open.descriptor);  // whatever it was
  const bool in_memory = shared_.open(source, open, identity, path);
  const bool writable = (identity.flags & wire::kFileWritable) != 0;
  const trace::FileId id = file({.path = first_name_of(path, identity, open.file_bytes),
                                 .size = open.file_bytes,
                                 .writable = writable,
                                 .written = writable || (identity.flags & wire::kFileChanged) != 0,
                                 .unlinked = (identity.flags & wire::kFileUnlinked) != 0,
                                 .in_memory = in_memory});
  Known& known = known_[trace::index(id)];
  known.identity = identity;
  known.is_identified = true;
  by_inode_.insert_or_assign({identity.device, identity.inode}, id);
  source.host->tables.descriptors[open.descriptor] = id;
  if (may_have_tensors(id)) {
    values_.expect_weights(*source.host);
    source.host->sampling.rings.expected_ns = sink_.now_ns();
  }
  // A file that was open before is announced at its first use, which is not an open event.
  if ((identity.flags & wire::kFileWasOpen) == 0)
    sink_.emit_simple(source, EventKind::kOpen, 0, trace::index(id), open.stack);
}

void FileBook::see(Source& source, const wire::Close& close, const Behind&) {
  shared_.close(source, close.descriptor);
  auto& descriptors = source.host->tables.descriptors;
  const auto known = descriptors.find(close.descriptor);
  if (known == descriptors.end())
    return;
  sink_.emit_simple(source, EventKind::kClose, 0, trace::index(known->second));
  descriptors.erase(known);
}

void FileBook::see(Source& source, const wire::Duplicate& duplicate, const Behind&) {
  shared_.duplicate(source, duplicate.from, duplicate.to);
  auto& descriptors = source.host->tables.descriptors;
  if (const auto known = descriptors.find(duplicate.from); known != descriptors.end())
    descriptors[duplicate.to] = trace::FileId{known->second};
}

void FileBook::see(Source& source, const wire::Read& read, const Behind&) {
  take_read(source, read, std::nullopt);
}

void FileBook::see(Source& source, const wire::ReadAt& read, const Behind& behind) {
  std::optional<std::uint64_t> offset;
  if (std::uint64_t said = 0; behind.payload.size() >= sizeof said) {
    std::memcpy(&said, behind.payload.data(), sizeof said);
    offset = said;
  }
  take_read(source, wire::Read::decode(read.encode()), offset);
}

FileBook::ThreadReads& FileBook::reads_of(const Source& source) {
  const std::size_t thread = trace::index(source.thread);
  if (thread >= threads_.size())
    threads_.resize(thread + 1);
  return threads_[thread];
}

void FileBook::see(Source& source, const wire::GatheredReads& reads, const Behind&) {
  ThreadReads& known = reads_of(source);
  const std::uint64_t before = std::exchange(known.gathered_bytes, reads.total_bytes);
  if (reads.total_bytes <= before)
    return;
  constexpr std::uint64_t kMaxBytes = (std::uint64_t{1} << wire::kReadSizeBits) - 1;
  take_bytes(
      source, known.last,
      {.destination = reads.destination, .bytes = std::min(reads.total_bytes - before, kMaxBytes)},
      std::nullopt);
}

void FileBook::end_reads(Source& source, std::uint64_t total_bytes) {
  see(source, wire::GatheredReads{.total_bytes = total_bytes}, {});
}

void FileBook::take_read(Source& source,
                         const wire::Read& read,
                         std::optional<std::uint64_t> offset) {
  const auto known = source.host->tables.descriptors.find(read.descriptor);
  std::optional<trace::FileId> file;
  if (known != source.host->tables.descriptors.end())
    file = known->second;
  reads_of(source).last = file;
  take_bytes(source, file, read, offset);
}

void FileBook::take_bytes(Source& source,
                          std::optional<trace::FileId> file,
                          const wire::Read& read,
                          std::optional<std::uint64_t> offset) {
  pages_.touch(source, read.destination, read.bytes);
  if (file && may_have_tensors(*file))
    values_.expect_weights(*source.host);
  if (file) {
    note_use(*file, read.bytes);
    sink_.emit_simple(source, EventKind::kRead, read.bytes, trace::index(*file), read.stack);
  }
  std::uint64_t done = 0;
  for (std::size_t parts = 0; done < read.bytes && parts < kMaxPartsOfRange; ++parts) {
    const PlacedBytes part = part_at(*source.host, read.destination + done, read.bytes - done);
    if (!part.place.is_known())
      return;
    if (file && offset && may_have_tensors(*file))
      origins_.was_read(*source.host, part.place, *file, *offset + done, part.bytes);
    else
      OriginBook::was_written(*source.host, part.place, part.bytes);
    if (file)
      tell_destination(source, read, part);
    done += part.bytes;
  }
}

void FileBook::tell_destination(Source& source, const wire::Read& read, const PlacedBytes& part) {
  Event event;
  event.kind = EventKind::kReadInto;
  event.size = part.bytes;
  event.allocation = part.place.allocation;
  event.extra = read.resident_share;
  event.stack = source.host->tables.stacks.stack(read.stack);
  sink_.emit(source, event);
}

void FileBook::see(Source& source, const wire::FileAdvise& advice, const Behind&) {
  sink_.emit_simple(source, EventKind::kAdvise, advice.bytes, advice.advice);
}

}  // namespace tidemark
