#include "collector/drain/books/unseen_read_book.hpp"

#include "collector/os/clocks.hpp"
#include "collector/process/process_facts.hpp"
#include "collector/process/process_io.hpp"
#include "collector/trace/types/less.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tidemark {

using trace::less;

namespace {

/// Smaller files are not weights.
constexpr std::uint64_t kMinFileBytes = std::uint64_t{1} << 20U;

/// Takes what is known of an open file out of a list.
std::optional<FileAtLook> take(std::vector<FileAtLook>& files, const OpenFile& file) {
  const auto found = std::ranges::find_if(files, [&file](const FileAtLook& one) {
    return one.file.descriptor == file.descriptor && one.file.is_same_file(file);
  });
  if (found == files.end())
    return std::nullopt;
  std::optional<FileAtLook> taken = std::move(*found);
  files.erase(found);
  return taken;
}

/// A position goes back where somebody seeks.
std::uint64_t moved(const FileAtLook& before, std::uint64_t now) {
  return now >= before.file.position ? before.moved_bytes + (now - before.file.position) : now;
}

}  // namespace

void UnseenReadBook::look(Host& host, std::uint64_t at_ns) {
  constexpr std::uint64_t kLookParts = 100;
  HostSampling::ReadLooks& looks = host.sampling.reads;
  if (at_ns < looks.next_ns || host.process() == nullptr)
    return;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  // Counted after the look at the positions: the count then includes all that these show.
  auto open = open_files_of(host.process()->pid(), kMinFileBytes);
  if (const auto now = count(host, false)) {
    tell(host, *now);
    move_on(host, std::move(open));
  }
  looks.next_ns = at_ns + kLookParts * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
}

void UnseenReadBook::end(Host& host) {
  HostSampling::ReadLooks& looks = host.sampling.reads;
  if (looks.files.empty())
    return;
  const Count last{looks.unseen_bytes, looks.reaped_faults};
  const Count now = count(host, true).value_or(last);
  tell(host, now);
  move_on(host, {});
  tell(host, now);
}

/// What is open now, and what was closed since the last look.
void UnseenReadBook::move_on(Host& host, std::vector<OpenFile> open) {
  std::vector<FileAtLook> before = std::exchange(host.sampling.reads.files, {});
  std::vector<FileAtLook>& now = host.sampling.reads.files;
  std::erase_if(before, [](const FileAtLook& one) { return one.is_closed; });
  for (OpenFile& file : open) {
    FileAtLook one{.file = std::move(file)};
    if (const auto known = take(before, one.file)) {
      one.moved_bytes = moved(*known, one.file.position);
      one.seen_uses = known->seen_uses;
      one.untold_before = known->untold_before;
    } else {
      files_.note_open(host, one.file);
      one.moved_bytes = one.file.position;
      one.untold_before = host.sampling.reads.untold_bytes;
    }
    now.push_back(std::move(one));
  }
  for (FileAtLook& closed : before) {
    closed.is_closed = true;
    closed.moved_bytes += less(closed.file.size, closed.file.position);
    now.push_back(std::move(closed));
  }
}

/// @param has_ended no thread is in a read any more.
/// @return none if the kernel does not say.
std::optional<UnseenReadBook::Count> UnseenReadBook::count(const Host& host, bool has_ended) const {
  if (host.process() == nullptr)
    return std::nullopt;
  const auto counted = bytes_read_by(host.process()->pid());
  // Checked afterwards: another process may have got its number.
  const auto stat = read_process_stat(host.process()->pid());
  if (!counted || !stat || stat->start_ticks != host.process()->start_ticks())
    return std::nullopt;
  const wire::ProcessSlot& slot = session_.process(host.slot());
  const std::uint64_t in_progress = slot.bytes_being_read.load(std::memory_order_acquire);
  std::uint64_t seen = slot.bytes_read.load(std::memory_order_relaxed);
  if (!has_ended)
    seen += in_progress;
  return Count{less(*counted, seen), stat->reaped_faults};
}

/// What a hook is just about to count may be unseen for a moment, so only what is still unseen at
/// the next look is reported. Skipped if the kernel has added the reads of a child meanwhile.
void UnseenReadBook::tell(Host& host, const Count& now) {
  // What a stream reads ahead is in the kernel's count before it is in a hook's.
  constexpr std::uint64_t kWorthTelling = std::uint64_t{64} << 10U;
  HostSampling::ReadLooks& looks = host.sampling.reads;
  const std::uint64_t certain = std::min(looks.unseen_bytes, now.unseen_bytes);
  const std::uint64_t fresh = less(certain, looks.told_up_to);
  // The count of the first look, reported at the second, includes the image before an exec.
  const bool is_of_first_look = ++looks.count <= 2;
  looks.unseen_bytes = now.unseen_bytes;
  // A position and the count that goes with it may be seen by two looks.
  const std::uint64_t limit = fresh + looks.left_bytes;
  const bool is_little = fresh < kWorthTelling;
  const std::uint64_t left = limit - tell_files(host, limit, is_little);
  if (is_little) {
    looks.told_up_to += fresh - std::min(fresh, left);
    looks.left_bytes = less(left, fresh);
  } else {
    looks.told_up_to = certain;
    looks.left_bytes = is_of_first_look ? 0 : std::min(fresh, left);
  }
  if (tell_whole_file(host, certain)) {
    looks.told_up_to = certain;
    looks.left_bytes = 0;
  }
  looks.untold_bytes = less(certain, looks.told_bytes);
  if (std::exchange(looks.reaped_faults, now.reaped_faults) != now.reaped_faults) {
    looks.told_up_to = std::max(looks.told_up_to, now.unseen_bytes);
    looks.left_bytes = 0;
    looks.untold_bytes = less(now.unseen_bytes, looks.told_bytes);
    for (FileAtLook& file : looks.files)
      file.untold_before = FileAtLook::kNotKnown;
  }
}

/// Reports a file that was read at offsets over many looks, so that its position did not move: as
/// many bytes as it has were read while it was open, but for an archive's padding, and no other
/// file can be meant.
/// @param certain what was read that no hook saw.
bool UnseenReadBook::tell_whole_file(Host& host, std::uint64_t certain) {
  constexpr std::uint64_t kTolerance = 50;  // 2 %
  HostSampling::ReadLooks& looks = host.sampling.reads;
  const auto may_be_meant = [this](const FileAtLook& one) {
    return files_.seen_uses_of(one.file) == 0 && !files_.was_read_unseen(one.file);
  };
  if (std::ranges::count_if(looks.files, may_be_meant) != 1)
    return false;
  const FileAtLook& only = *std::ranges::find_if(looks.files, may_be_meant);
  const std::uint64_t size = only.file.size;
  const std::uint64_t read = less(less(certain, looks.told_bytes), only.untold_before);
  if (!only.is_closed || read < size - size / kTolerance || read > size + size / kTolerance)
    return false;
  const std::uint64_t bytes = std::min(read, size);
  files_.read_unseen(host, only.file, bytes);
  looks.told_bytes += bytes;
  told_bytes_ += bytes;
  return true;
}

/// @param only_known leaves out files without such a read so far.
/// @return the bytes reported, at most `limit`.
std::uint64_t UnseenReadBook::tell_files(Host& host, std::uint64_t limit, bool only_known) {
  std::uint64_t told = 0;
  const auto tell_one = [&](const OpenFile& file, std::uint64_t bytes) {
    bytes = std::min(bytes, limit - told);
    if (bytes != 0)
      files_.read_unseen(host, file, bytes);
    told += bytes;
  };
  std::vector<std::pair<const OpenFile*, std::uint64_t>> closed;
  std::uint64_t closed_bytes = 0;
  for (FileAtLook& one : host.sampling.reads.files) {
    const bool is_known = files_.was_read_unseen(one.file);
    if (only_known && !is_known)
      continue;
    const std::uint64_t seen = files_.seen_uses_of(one.file);
    const std::uint64_t unseen = less(std::exchange(one.moved_bytes, 0), less(seen, one.seen_uses));
    one.seen_uses = seen;
    if (!one.is_closed || is_known) {
      tell_one(one.file, unseen);
    } else {
      closed.emplace_back(&one.file, unseen);
      closed_bytes += unseen;
    }
  }
  // Read to the end and closed at once, if as much was read that no hook saw.
  if (limit - told >= closed_bytes - closed_bytes / 10) {
    for (const auto& [file, bytes] : closed)
      tell_one(*file, bytes);
  }
  told_bytes_ += told;
  host.sampling.reads.told_bytes += told;
  return told;
}

}  // namespace tidemark
