#include "collector/drain/books/unseen_read_book.hpp"

#include "collector/os/clocks.hpp"
#include "collector/process/process_io.hpp"

#include <algorithm>
#include <ctime>

namespace tidemark {
namespace {

constexpr std::uint64_t kPauseNs = 10'000'000;
constexpr std::uint64_t kLookParts = 300;

bool is_same(const OpenFile& one, const OpenFile& other) {
  return one.device == other.device && one.inode == other.inode;
}

}  // namespace

/// What the kernel counts beyond what was recorded: children that were waited for are in it, too.
std::uint64_t UnseenReadBook::unseen_bytes(const Host& host) const {
  const auto all = bytes_read_by(host.process()->pid());
  const auto recorded = static_cast<std::int64_t>(session_.process(host.slot()).bytes_read.load());
  const auto seen = static_cast<std::uint64_t>(std::max(recorded, std::int64_t{0}));
  return all && *all > seen ? *all - seen : 0;
}

void UnseenReadBook::look(Host& host, std::size_t hosts) {
  UnseenReads& reads = host.tables.unseen_reads;
  if (host.process() == nullptr || sink_.now_ns() < reads.next_look_ns || sink_.has_dropped())
    return;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  // Also where nothing is missing: one call may read a whole file, and count at its end.
  const auto open = files_open_to_read(host.process()->pid(), kLeastBytes);
  if (!reads.files.empty())
    tell_all(host, open);
  reads.files = still_to_tell(host, open);
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  reads.next_look_ns = sink_.now_ns() + std::max(kPauseNs, kLookParts * hosts * cost_ns);
}

/// Those that are open and no record tells of.
std::vector<UnseenReads::File> UnseenReadBook::still_to_tell(const Host& host,
                                                             const std::vector<OpenFile>& open) {
  const UnseenReads& reads = host.tables.unseen_reads;
  std::vector<UnseenReads::File> files;
  for (const OpenFile& file : open) {
    if (files_.is_recorded(file.path))
      continue;
    const auto known = std::ranges::find_if(
        reads.files, [&](const UnseenReads::File& it) { return is_same(it.facts, file); });
    files.push_back(known != reads.files.end() ? *known : UnseenReads::File{.facts = file});
  }
  return files;
}

void UnseenReadBook::tell_all(Host& host, const std::vector<OpenFile>& open) {
  std::erase_if(host.tables.unseen_reads.files, [this](const UnseenReads::File& file) {
    return files_.is_recorded(file.facts.path);
  });
  const std::uint64_t unseen = unseen_bytes(host);
  tell_positions(host, open, unseen);
  tell_rest(host, unseen);
}

void UnseenReadBook::end(Host& host) {
  // Until somebody waits for it the kernel still tells.
  if (host.process() != nullptr && !host.tables.unseen_reads.files.empty())
    tell_all(host, {});
  host.tables.unseen_reads = {};
}

/// Of those that were there at the look before. One that was being read then and is closed now is
/// taken to have been read to its end, as far as there are reads that nobody saw.
void UnseenReadBook::tell_positions(Host& host,
                                    const std::vector<OpenFile>& open,
                                    std::uint64_t unseen) {
  UnseenReads& reads = host.tables.unseen_reads;
  for (UnseenReads::File& file : reads.files) {
    const auto now = std::ranges::find_if(
        open, [&](const OpenFile& other) { return is_same(other, file.facts); });
    if (now != open.end())
      file.facts.position = std::max(file.facts.position, now->position);
    else if (file.facts.position >= kLeastBytes)
      file.facts.position = file.facts.size;
    // Of a library the dynamic loader reads the beginning.
    if (file.facts.position < kLeastBytes)
      continue;
    const std::uint64_t read = std::min(file.facts.position, file.facts.size);
    const std::uint64_t left = unseen - std::min(unseen, reads.told_bytes);
    tell(host, file, std::min(read - std::min(read, file.told_bytes), left));
  }
}

/// What moved no position, where there is one file of weights alone that it can be of.
void UnseenReadBook::tell_rest(Host& host, std::uint64_t unseen) {
  UnseenReads& reads = host.tables.unseen_reads;
  const std::uint64_t left = unseen - std::min(unseen, reads.told_bytes);
  if (left < kLeastBytes)
    return;
  UnseenReads::File* only = nullptr;
  for (UnseenReads::File& file : reads.files) {
    if (!file.holds_weights)
      file.holds_weights = FileBook::holds_weights(file.facts);
    if (!*file.holds_weights)
      continue;
    if (only != nullptr)
      return;
    only = &file;
  }
  if (only != nullptr)
    tell(host, *only, std::min(left, only->facts.size - only->told_bytes));
}

void UnseenReadBook::tell(Host& host, UnseenReads::File& file, std::uint64_t bytes) {
  if (bytes == 0)
    return;
  files_.note_unseen_read(host, file.facts, bytes);
  file.told_bytes += bytes;
  host.tables.unseen_reads.told_bytes += bytes;
}

}  // namespace tidemark
