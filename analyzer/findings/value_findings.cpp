// What the values in blocks tell: tensors in a wider type than their file has, and such that are
// there more than once.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/duplicate_findings.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Blocks of one process at the peak that hold tensors of one type as another one.
struct Converted {
  std::vector<std::uint32_t> lives;
  std::uint64_t bytes = 0;
  std::uint64_t in_file = 0;  ///< Of their tensors.
};

struct Conversion {
  std::uint32_t process = 0;
  std::string from;
  std::string to;
  auto operator<=>(const Conversion&) const = default;
};

std::map<Conversion, Converted> wider_blocks(const Evidence& evidence,
                                             const BlockContents& contents) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::map<Conversion, Converted> found;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    if (!contents.is_by_values(life.allocation) || !life.is_alive_after(evidence.peak) ||
        evidence.explained[i]) {
      continue;
    }
    for (const TensorPart& part : contents.parts_of(life.allocation)) {
      if (part.bytes > part.in_file) {
        const std::string& type = definitions.tensors[trace::index(part.tensor)].type;
        Converted& sum = found[{trace::index(life.process), type, std::string(part.type)}];
        sum.lives.push_back(i);
        sum.bytes += evidence.flow.size_after(i, evidence.peak - 1);
        sum.in_file += part.in_file;
      }
    }
  }
  return found;
}

void tell_wider(Evidence& evidence,
                const Conversion& conversion,
                const Converted& blocks,
                std::vector<Finding>& findings) {
  Savings savings;
  const double kept = static_cast<double>(blocks.in_file) / static_cast<double>(blocks.bytes);
  for (const std::uint32_t life : blocks.lives) {
    evidence.flow.save_part(life, 1 - std::min(kept, 1.0), savings);
  }
  const auto narrow = evidence.lower_peak(savings);
  if (!narrow) {
    return;
  }
  const AskingPlace place = asking_place(evidence, blocks.lives);
  Finding finding{.kind = FindingKind::kWidened};
  finding.title = "more bytes an element than in the file";
  finding.sentence = fmt::format(
      "{} hold {} {} as {}, by their values: {} bytes an element; the file has {} bytes an "
      "element.",
      blocks_text(blocks.bytes, blocks.lives.size(), place.text), format_count(blocks.lives.size()),
      (blocks.lives.size() == 1 ? "tensor of " : "tensors of ") + conversion.from, conversion.to,
      trace::float_bytes(conversion.to), trace::float_bytes(conversion.from));
  finding.bytes = blocks.bytes;
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), place.stack);
  finding.peak_without_bytes = narrow;
  finding.remedy = fmt::format("With {} bytes an element", trace::float_bytes(conversion.from));
  findings.push_back(std::move(finding));
  evidence.explain(blocks.lives);
}

void tell_by_values(Evidence& evidence, std::vector<Finding>& findings) {
  const BlockContents contents(evidence.trace.definitions());
  const auto wider = wider_blocks(evidence, contents);
  tell_duplicates(evidence, contents, KnownBy::kAny, findings);
  for (const auto& [conversion, blocks] : wider) {
    tell_wider(evidence, conversion, blocks, findings);
  }
}

/// Whether blocks at the peak are known by their values to hold nine tenths of the model.
bool are_most(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::uint64_t listed_bytes = 0;
  for (const WeightTensor& tensor : model_tensors(definitions, evidence.load)) {
    listed_bytes += tensor.bytes;
  }
  const BlockContents contents(definitions);
  std::map<std::uint32_t, std::uint64_t> known;  // By TensorId: bytes in the file.
  for (const BlockLife& life : evidence.flow.lives()) {
    if (contents.is_by_values(life.allocation) && life.is_alive_after(evidence.peak)) {
      for (const TensorPart& part : contents.parts_of(life.allocation)) {
        known[trace::index(part.tensor)] = part.in_file;
      }
    }
  }
  std::uint64_t known_bytes = 0;
  for (const auto& [tensor, bytes] : known) {
    known_bytes += bytes;
  }
  return listed_bytes != 0 && is_most_of(known_bytes, listed_bytes);
}

}  // namespace

void find_most_by_values(Evidence& evidence, std::vector<Finding>& findings) {
  if (are_most(evidence)) {
    tell_by_values(evidence, findings);
  }
}

void find_others_by_values(Evidence& evidence, std::vector<Finding>& findings) {
  tell_by_values(evidence, findings);
}

}  // namespace tidemark::analyzer
