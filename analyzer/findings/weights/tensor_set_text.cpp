#include "analyzer/findings/weights/tensor_set_text.hpp"

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/query/excerpt.hpp"
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

std::string set_text(const Evidence& evidence, const TensorSet& set) {
  return fmt::format("{} blocks of {}, {}", format_count(set.lives.size()),
                     asking_place(evidence, set.lives).text, format_size(set.bytes));
}

}  // namespace tidemark::analyzer
