// What the values in blocks tell: tensors in a wider type than their file has, or there more than
// once.
//
// `widened`: blocks at the peak were seen to hold tensors in a wider type of float than their file
// has; or are in a row of such blocks and were not looked into in time (tensors/place_rule). How
// many of these there are is said, and is `inferred_blocks` in JSON.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/weights/duplicate_findings.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/place_rule.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Blocks of one process at the peak that hold tensors of one type as another one.
struct Converted {
  std::vector<std::uint32_t> lives;
  std::set<trace::TensorId> tensors;  ///< Several blocks may hold the same one.
  std::uint64_t bytes = 0;
  std::uint64_t inferred = 0;  ///< Blocks whose values were not seen.
  double file_bytes_each = 0;  ///< Bytes of an element in the file; packed ones have a fraction.
  Savings savings;             ///< With the file's type.
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
    const std::uint64_t size = evidence.flow.size_after(i, evidence.peak - 1);
    if (!contents.fits(life.allocation, size)) {
      continue;
    }
    for (const TensorPart& part : contents.parts_of(life.allocation, size)) {
      if (part.bytes > part.in_file) {
        const trace::Tensor& tensor = definitions.tensors[trace::index(part.tensor)];
        Converted& sum = found[{trace::index(life.process), tensor.type, std::string(part.type)}];
        sum.file_bytes_each =
            static_cast<double>(tensor.bytes) / static_cast<double>(tensor.elements);
        sum.tensors.insert(part.tensor);
        if (sum.lives.empty() || sum.lives.back() != i) {
          sum.lives.push_back(i);
          sum.bytes += size;
        }
        sum.inferred += part.is_inferred ? 1U : 0U;
        evidence.flow.save_part(
            i, static_cast<double>(part.bytes - part.in_file) / static_cast<double>(size),
            sum.savings);
      }
    }
  }
  return found;
}

void tell_wider(Evidence& evidence,
                const Conversion& conversion,
                const Converted& blocks,
                std::vector<Finding>& findings) {
  const auto narrow = evidence.lower_peak(blocks.savings);
  if (!narrow) {
    return;
  }
  const AskingPlace place = asking_place(evidence, blocks.lives);
  const std::string file_bytes_each = fmt::format("{:.3g}", blocks.file_bytes_each);
  Finding finding{.kind = FindingKind::kWidened};
  finding.title = "more bytes an element than in the file";
  finding.sentence = fmt::format(
      "{} hold {} {} as {}, {}: {} bytes an element; the file has {} bytes an element.",
      blocks_text(blocks.bytes, blocks.lives.size(), place.text),
      format_count(blocks.tensors.size()),
      (blocks.tensors.size() == 1 ? "tensor of " : "tensors of ") + conversion.from, conversion.to,
      by_their_values_text(blocks.lives.size() - blocks.inferred, blocks.inferred),
      trace::float_bytes(conversion.to), file_bytes_each);
  finding.bytes = blocks.bytes;
  finding.inferred_blocks = blocks.inferred;
  finding.remedy = fmt::format("With {} bytes an element", file_bytes_each);
  add_finding(evidence, *narrow, place.stack, std::move(finding), findings);
  evidence.explain(blocks.lives);
}

void tell_by_values(Evidence& evidence,
                    const BlockContents& contents,
                    std::vector<Finding>& findings) {
  // Those that are there twice may be wider, too: both findings name them.
  const auto wider = wider_blocks(evidence, contents);
  for (std::uint32_t i = 0; i < evidence.flow.lives().size(); ++i) {
    const trace::AllocationNumber allocation = evidence.flow.lives()[i].allocation;
    if (contents.is_inferred(allocation) &&
        evidence.flow.lives()[i].is_alive_after(evidence.peak)) {
      evidence.name(i, contents.parts_of(allocation).front().tensor);
    }
  }
  tell_duplicates(evidence, contents, KnownBy::kAny, findings);
  for (const auto& [conversion, blocks] : wider) {
    tell_wider(evidence, conversion, blocks, findings);
  }
}

BlockContents contents_at_peak(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  BlockContents contents(definitions, {.since_ns = evidence.high_since_ns(),
                                       .at_ns = evidence.load.peak.at.at_ns,
                                       .until_ns = made_at_once_until_ns(evidence.load)});
  for (const InferredPart& inferred :
       infer_parts(definitions, contents, evidence.flow, evidence.peak)) {
    contents.infer(evidence.flow.lives()[inferred.life].allocation, inferred.part);
  }
  return contents;
}

/// Whether blocks at the peak are known by their values to hold nine tenths of the model.
bool are_most(const Evidence& evidence, const BlockContents& contents) {
  std::map<std::uint32_t, bool> is_known;  // By TensorId.
  std::uint64_t listed_bytes = 0;
  for (const WeightTensor& tensor : model_tensors(evidence.trace.definitions(), evidence.load)) {
    listed_bytes += tensor.bytes;
    is_known[trace::index(tensor.id)] = false;
  }
  std::uint64_t known_bytes = 0;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    if (!contents.is_by_values(life.allocation) || !life.is_alive_after(evidence.peak)) {
      continue;
    }
    for (const TensorPart& part : contents.parts_of(life.allocation, evidence.room_at_peak(i))) {
      const auto tensor = is_known.find(trace::index(part.tensor));
      if (tensor != is_known.end() && !std::exchange(tensor->second, true)) {
        known_bytes += part.in_file;
      }
    }
  }
  return listed_bytes != 0 && is_most_of(known_bytes, listed_bytes);
}

}  // namespace

void find_most_by_values(Evidence& evidence, std::vector<Finding>& findings) {
  const BlockContents contents = contents_at_peak(evidence);
  if (are_most(evidence, contents)) {
    tell_by_values(evidence, contents, findings);
  }
}

void find_others_by_values(Evidence& evidence, std::vector<Finding>& findings) {
  const BlockContents contents = contents_at_peak(evidence);
  if (!are_most(evidence, contents)) {
    tell_by_values(evidence, contents, findings);
  }
}

}  // namespace tidemark::analyzer
