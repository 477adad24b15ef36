#include "analyzer/findings/weights/sets_of_load.hpp"

#include <algorithm>
#include <cstdint>

namespace tidemark::analyzer {
namespace {

/// Whether the second set was made from the first, in whatever order: it was begun as soon as the
/// first was there, and has other bytes an element. Gradients have the same as their weights, and
/// an optimizer's state comes after them.
bool was_converted_at_once(const TensorSet& from, const TensorSet& set) {
  const double narrower = std::min(from.bytes_an_element(), set.bytes_an_element());
  const double wider = std::max(from.bytes_an_element(), set.bytes_an_element());
  const std::uint64_t made_ns = from.last_born_ns - from.first_born_ns;
  return from.was_filled() && !set.was_filled() && from.process == set.process &&
         wider >= kNotableWidth * narrower && set.first_born_ns >= from.first_born_ns &&
         set.first_born_ns <= from.last_born_ns + std::max(made_ns, kMinWaitNs);
}

/// Both kinds stay in their order.
void put_filled_first(std::vector<TensorSet>& sets) {
  std::stable_partition(sets.begin(), sets.end(),
                        [](const TensorSet& set) { return set.was_filled(); });
}

}  // namespace

bool was_unpacked_at_once(const Evidence& evidence, const TensorSet& set) {
  std::uint64_t first_ns = UINT64_MAX;
  for (const std::size_t file : evidence.load.model.files) {
    first_ns = std::min(first_ns, evidence.load.files[file].first_use_ns);
  }
  return set.first_born_ns >= first_ns && set.first_born_ns <= made_at_once_until_ns(evidence.load);
}

/// Gradients begin with the last layer, and an optimizer's state comes after them.
void keep_those_of_the_load(const Evidence& evidence, std::vector<TensorSet>& sets) {
  const bool are_of_load = (sets.size() == 1 && was_unpacked_at_once(evidence, sets.front())) ||
                           (sets.size() == 2 && (was_converted_at_once(sets[0], sets[1]) ||
                                                 was_converted_at_once(sets[1], sets[0])));
  if (are_of_load) {
    put_filled_first(sets);
    return;
  }
  std::uint64_t gradients_ns = UINT64_MAX;
  for (const TensorSet& set : sets) {
    if (!set.was_filled() && !set.match.is_in_order) {
      gradients_ns = std::min(gradients_ns, set.first_born_ns);
    }
  }
  std::erase_if(sets, [&](const TensorSet& set) {
    return !set.was_filled() && (!set.match.is_in_order || set.first_born_ns >= gradients_ns);
  });
  put_filled_first(sets);
}

}  // namespace tidemark::analyzer
