// Tensors that a program keeps in a wider type than their file has, by their values.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/block_contents.hpp"
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

std::map<Conversion, Converted> wider_blocks(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  const BlockContents contents(definitions);
  std::map<Conversion, Converted> found;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    if (!contents.is_by_values(life.allocation) || !life.is_alive_after(evidence.peak)) {
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

}  // namespace

void find_converted(Evidence& evidence, std::vector<Finding>& findings) {
  for (const auto& [conversion, blocks] : wider_blocks(evidence)) {
    Savings savings;
    const double kept = static_cast<double>(blocks.in_file) / static_cast<double>(blocks.bytes);
    for (const std::uint32_t life : blocks.lives) {
      evidence.flow.save_part(life, 1 - std::min(kept, 1.0), savings);
    }
    const auto narrow = evidence.lower_peak(savings);
    if (!narrow) {
      continue;
    }
    const AskingPlace place = asking_place(evidence, blocks.lives);
    Finding finding{.kind = FindingKind::kWidened};
    finding.title = "more bytes an element than in the file";
    finding.sentence = fmt::format(
        "{} hold {} {} as {}, by their values: {} bytes an element; the file has {} bytes an "
        "element.",
        blocks_text(blocks.bytes, blocks.lives.size(), place.text),
        format_count(blocks.lives.size()),
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
}

}  // namespace tidemark::analyzer
