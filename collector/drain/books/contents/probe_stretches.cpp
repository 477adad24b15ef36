#include "collector/drain/books/contents/probe_stretches.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace tidemark {
namespace {

constexpr std::uint64_t kProbeBytes = sizeof(weights::Probe);

/// Where in the file the part ends.
std::uint64_t file_end(const trace::PackedMatch& part) {
  const bool is_converted = !part.type.empty();
  return part.offset + (is_converted ? part.bytes / trace::float_bytes(part.type) *
                                           trace::value_bytes(part.file_type)
                                     : part.bytes);
}

bool are_twice(const trace::PackedMatch& one, const trace::PackedMatch& other) {
  constexpr std::uint64_t kMinOverlapBytes = std::uint64_t{1} << 20U;
  const std::uint64_t begin = std::max(one.offset, other.offset);
  const std::uint64_t end = std::min(file_end(one), file_end(other));
  return one.file == other.file && one.at_ns <= other.until_ns && other.at_ns <= one.until_ns &&
         end >= begin + kMinOverlapBytes;
}

}  // namespace

auto ProbeStretches::Known::array() const -> std::
    tuple<trace::AllocationNumber, std::size_t, std::string_view, std::string_view, std::uint64_t> {
  return {place.allocation, in_file.file, in_file.conversion.type, in_file.conversion.file_type,
          place.begin - in_file.offset * in_file.times()};
}

/// Neighbouring places that held one array at one time.
class ProbeStretches::Stretch {
 public:
  explicit Stretch(const Known& known)
      : first_(known),
        last_(known),
        step_(known.place.step),
        at_ns_(known.place.at_ns),
        from_ns_(known.place.from_ns),
        until_ns_(known.place.until_ns()),
        left_ns_(known.place.is_left ? known.place.last_ns : 0),
        are_left_(known.place.is_left) {}

  [[nodiscard]] std::size_t file() const { return first_.in_file.file; }
  [[nodiscard]] bool goes_on_with(const Known& next) const {
    // Between them there may be zeros, which are not kept.
    constexpr std::uint64_t kMaxSteps = 4;
    return next.array() == last_.array() &&
           next.place.begin - last_.place.begin <= kMaxSteps * std::max(step_, next.place.step) &&
           next.place.from_ns <= until_ns_ && from_ns_ <= next.place.until_ns();
  }
  void add(const Known& next) {
    last_ = next;
    step_ = std::max(step_, next.place.step);
    at_ns_ = std::max(at_ns_, next.place.at_ns);
    from_ns_ = std::max(from_ns_, next.place.from_ns);
    until_ns_ = std::min(until_ns_, next.place.until_ns());
    left_ns_ = std::max(left_ns_, next.place.is_left ? next.place.last_ns : 0);
    are_left_ = are_left_ && next.place.is_left;
  }
  /// Beyond its first and last places, the array extends to where a tensor or the file begins or
  /// ends, if that is within a step, else by half a step. None for a single place outside of a
  /// tensor of at least half a step: it is no array, or a small one that was met by chance.
  [[nodiscard]] std::optional<trace::PackedMatch> match(const weights::PlainFile& file) const {
    const std::uint64_t times = first_.in_file.times();
    const std::uint64_t around = step_ / times;
    const std::uint64_t first_offset = first_.in_file.offset;
    const std::uint64_t last_end = last_.in_file.offset + kProbeBytes / times;
    const auto border_before = file.border_before(first_offset, around);
    const auto border_behind = file.border_behind(last_end, around);
    const std::uint64_t begin = border_before.value_or(first_offset - around / 2);
    const std::uint64_t end = border_behind.value_or(last_end + around / 2);
    const bool is_tensor = border_before && border_behind && end - begin >= around / 2;
    if (first_.place.begin == last_.place.begin && !is_tensor)
      return std::nullopt;
    const std::uint64_t before = std::min((first_offset - begin) * times, first_.place.begin);
    return trace::PackedMatch{.allocation = first_.place.allocation,
                              .file = file.id,
                              .offset = first_offset - before / times,
                              .distance = 0,
                              .at_ns = at_ns_,
                              .from_ns = from_ns_,
                              .until_ns = are_left_ ? std::min(until_ns_, left_ns_) : until_ns_,
                              .type = std::string(first_.in_file.conversion.type),
                              .file_type = std::string(first_.in_file.conversion.file_type),
                              .begin = first_.place.begin - before,
                              .bytes = last_.place.begin - first_.place.begin + before +
                                       (end - last_.in_file.offset) * times};
  }

 private:
  Known first_;
  Known last_;
  std::uint64_t step_;  ///< The widest.
  std::uint64_t at_ns_;
  std::uint64_t from_ns_;
  std::uint64_t until_ns_;
  std::uint64_t left_ns_;  ///< When places that were left were last seen.
  bool are_left_;          ///< All of them.
};

/// A place of the same array, one of the last that came.
const ProbeStretches::Known* ProbeStretches::before(const Known& known) const {
  constexpr std::ptrdiff_t kMaxBack = 64;
  const auto begin = known_.end() - std::min(kMaxBack, std::ssize(known_));
  const auto found = std::find_if(begin, known_.end(),
                                  [&](const Known& it) { return it.array() == known.array(); });
  return found == known_.end() ? nullptr : &*found;
}

/// Whether a known place already has bytes near these in the file.
bool ProbeStretches::is_taken(const Known& known) const {
  const auto offsets = offsets_.find(known.in_file.file);
  if (offsets == offsets_.end())
    return false;
  const std::uint64_t around = known.place.step / known.in_file.times();
  const std::uint64_t offset = known.in_file.offset;
  const auto near = offsets->second.lower_bound(offset - std::min(offset, around));
  return near != offsets->second.end() && *near <= offset + around;
}

void ProbeStretches::add(const ProbedPlace& place,
                         std::span<const weights::PartSearch::Place> in_file) {
  if (in_file.empty())
    return;
  Known known{place, in_file.front()};
  bool goes_on = false;
  for (std::size_t i = 0; i < in_file.size() && !goes_on; ++i) {
    const Known candidate{place, in_file[i]};
    goes_on = before(candidate) != nullptr;
    if (goes_on || (is_taken(known) && !is_taken(candidate)))
      known = candidate;
  }
  // Overwritten in between, it is there again; or another process has the same shared memory.
  const auto same = std::find_if(known_.rbegin(), known_.rend(), [&](const Known& it) {
    return it.place.begin != place.begin || it.array() == known.array();
  });
  if (same != known_.rend() && same->place.begin == place.begin &&
      same->place.allocation == place.allocation) {
    if (place.last_ns >= same->place.last_ns) {
      same->place.last_ns = place.last_ns;
      same->place.has_ended = place.has_ended;
    }
    return;
  }
  offsets_[known.in_file.file].insert(known.in_file.offset);
  known_.push_back(known);
}

/// @param known in order of their arrays, and of their places in these.
std::vector<ProbeStretches::Stretch> ProbeStretches::join(std::span<const Known> known) {
  std::vector<Stretch> stretches;
  for (const Known& it : known) {
    if (!stretches.empty() && stretches.back().goes_on_with(it))
      stretches.back().add(it);
    else
      stretches.emplace_back(it);
  }
  return stretches;
}

std::vector<trace::PackedMatch> ProbeStretches::take(std::span<const weights::PlainFile> files) {
  std::ranges::sort(known_, {}, [](const Known& it) {
    return std::tuple(it.array(), it.place.begin, it.place.at_ns);
  });
  std::vector<trace::PackedMatch> matches;
  for (const Stretch& stretch : join(known_)) {
    if (auto match = stretch.match(files[stretch.file()]))
      matches.push_back(std::move(*match));
  }
  known_.clear();
  offsets_.clear();
  return matches;
}

std::unordered_set<trace::AllocationNumber> with_files_held_twice(
    std::span<const trace::PackedMatch> parts) {
  std::map<trace::AllocationNumber, std::vector<const trace::PackedMatch*>> by_allocation;
  std::set<trace::FileId> twice;
  for (const trace::PackedMatch& part : parts) {
    auto& before = by_allocation[part.allocation];
    if (std::any_of(before.begin(), before.end(),
                    [&part](const trace::PackedMatch* it) { return are_twice(*it, part); }))
      twice.insert(part.file);
    before.push_back(&part);
  }
  std::unordered_set<trace::AllocationNumber> allocations;
  for (const trace::PackedMatch& part : parts) {
    if (twice.contains(part.file))
      allocations.insert(part.allocation);
  }
  return allocations;
}

}  // namespace tidemark
