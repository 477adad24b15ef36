#include "analyzer/findings/weights/tensor_set_text.hpp"

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/query/pass/excerpt.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

namespace tidemark::analyzer {

std::string tensors_text(const TensorSet& set) {
  const std::size_t count = set.match.pairs.size();
  const std::string which =
      count == set.match.tensors
          ? "all " + format_count(count)
          : fmt::format("{} of the {}", format_count(count), format_count(set.match.tensors));
  return fmt::format("{} tensors of {} or more", which, format_size(kLargeBlockBytes));
}

std::vector<std::string> set_texts(const Evidence& evidence, std::span<const TensorSet> sets) {
  std::vector<std::span<const std::uint32_t>> lives;
  for (const TensorSet& set : sets) {
    lives.emplace_back(set.lives);
  }
  const auto places = asking_places(evidence, lives);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    texts.push_back(fmt::format("{} blocks of {}, {}", format_count(sets[i].lives.size()),
                                places[i].text, format_size(sets[i].bytes)));
  }
  return texts;
}

}  // namespace tidemark::analyzer
