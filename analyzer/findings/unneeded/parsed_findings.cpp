// A document that was built out of small objects, or of an array of values for each tensor, while
// the file was parsed, and was gone when the model was made of it: of JSON, XML, protobuf text, or
// a table read line by line.
//
// `parsed`, of objects: a thousand small heap blocks (1 KiB on the average at most) of one place,
// together a fifth of W, are alive at the peak.
// - A tenth of them or less was when the model was opened, and is at an instant after the peak. At
//   that instant an eighth of W is alive that came with the load, and still is half as long
//   afterwards as they took to go (as long as they took to come, if they are less than W, which may
//   be the model itself).
// - Larger blocks of the place, into which no read or copy of the model was seen, count with them
//   if they came and went so, too.
//
// `parsed`, of arrays: four such blocks of 64 KiB or more, if the file is text (of bytes, arrays
// may be the model itself).
// - They came in step with the reading (at a quarter, at half, at three quarters) or grew in three
//   steps, and went before they had been there for as long as they took to come.
// - What stays (an eighth of W) was not read or copied from the file.
//
// What stays is of other places. Not told of places that another finding names, nor with sampled
// stacks.

#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/unneeded/documents.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/load/reading_progress.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

constexpr std::uint32_t kMinSteps = 3;    // A buffer that grew.
constexpr std::uint64_t kMaxPacking = 8;  // 4 bits of a float32.

/// Instants after the peak, the earliest first, at which what was made of the model is there. Close
/// to the end everything goes.
std::vector<Later> look_later(const Evidence& evidence, Documents& documents) {
  constexpr std::array<std::uint64_t, 7> kParts{2, 4, 8, 16, 32, 48, 60};
  constexpr std::uint64_t kAllParts = 64;
  const std::uint64_t peak_ns = evidence.load.peak.at.at_ns;
  std::vector<Later> found;
  for (const std::uint64_t part : kParts) {
    found.push_back(
        documents.at(peak_ns + (evidence.load.duration_ns - peak_ns) / kAllParts * part));
    if (found.back().staying_bytes < evidence.load.model.bytes / kMaxPacking) {
      found.pop_back();
    }
  }
  return found;
}

/// The instant at which nearly all of a place's document is gone that ever goes while the model
/// stays.
const Later* going_of(std::uint32_t place, const std::vector<Later>& later) {
  const auto bytes_at = [place](const Later& instant) {
    const auto known = instant.documents.find(place);
    return known == instant.documents.end() ? 0 : known->second.bytes;
  };
  std::uint64_t most = 0;
  for (const Later& instant : later) {
    most = std::max(most, bytes_at(instant));
  }
  const auto first = std::ranges::find_if(
      later, [&](const Later& instant) { return bytes_at(instant) >= most - most / kLeftPart; });
  return first == later.end() ? nullptr : &*first;
}

/// Whether at a quarter, at half and at three quarters of the reading, the same part of the
/// document was there as had been read of the model; to an eighth, and a block that is not full
/// yet, or is just moving.
bool came_as_it_was_read(const Evidence& evidence, Documents& documents, const Document& document) {
  constexpr std::uint64_t kParts = 8;
  for (std::uint64_t part = 2; part < kParts; part += 2) {
    const auto ns = when_model_bytes(evidence.load, evidence.load.model.bytes / kParts * part);
    if (!ns) {
      return false;
    }
    const std::uint64_t eighths = documents.bytes_at(document, *ns) / (document.bytes / kParts);
    if (eighths + 1 < part || eighths > part + 2) {
      return false;
    }
  }
  return true;
}

/// Whether the blocks grew step by step, as arrays of unknown length do.
bool are_grown(const Evidence& evidence, const std::vector<std::uint32_t>& lives) {
  std::uint64_t all = 0;
  std::uint64_t grown = 0;
  for (const std::uint32_t index : lives) {
    const BlockLife& life = evidence.flow.lives()[index];
    all += life.size;
    grown += life.growth_steps >= kMinSteps ? life.size : 0;
  }
  return is_most_of(grown, all);
}

/// Memory that a program works with stays longer than it took to come.
bool went_soon(const Evidence& evidence,
               const std::vector<std::uint32_t>& lives,
               std::uint64_t begin_ns) {
  std::uint64_t whole_ns = begin_ns;
  std::uint64_t gone_ns = 0;
  for (const std::uint32_t index : lives) {
    const BlockLife& life = evidence.flow.lives()[index];
    whole_ns = std::max(whole_ns, life.born_ns);
    gone_ns = std::max(gone_ns, life.died_ns);
  }
  return gone_ns - whole_ns <= whole_ns - begin_ns;
}

/// The bytes that stay and can have been made of the document. Leaves out the list that the
/// document's own line asked for, which goes after its parts, and what of the file was read or
/// copied. A buffer from before the first read does not count anyway.
std::uint64_t made_bytes(const Evidence& evidence,
                         Documents& documents,
                         const Document& document,
                         const Later& going,
                         std::uint64_t begin_ns) {
  std::uint64_t other = documents.bytes_at(document, going.at_ns);
  for (const BlockLife& life : evidence.flow.lives()) {
    const bool counts = life.born_ns > begin_ns && life.born_ns <= going.at_ns && !life.is_mapping;
    other += counts && life.holds_model() && life.died_ns > going.at_ns ? life.size : 0;
  }
  return going.staying_bytes - std::min(going.staying_bytes, other);
}

/// The last of some instants in [from_ns, until_ns] at which `holds` is true; it is at `from_ns`.
std::uint64_t last_of(std::uint64_t from_ns,
                      std::uint64_t until_ns,
                      const std::function<bool(std::uint64_t ns)>& holds) {
  constexpr int kSteps = 7;
  for (int step = 0; step < kSteps; ++step) {
    const std::uint64_t middle = from_ns + (until_ns - from_ns) / 2;
    (holds(middle) ? from_ns : until_ns) = middle;
  }
  return from_ns;
}

/// Whether most of what stays are objects that were there before the document: then it was made of
/// them. An array may be allocated before what it is filled from.
/// @param made the part that can have been made of the document.
bool came_after_what_stays(const Evidence& evidence,
                           Documents& documents,
                           const Document& document,
                           std::uint64_t made,
                           std::uint64_t begin_ns,
                           const Later& going) {
  const std::uint64_t half_ns = last_of(
      begin_ns, evidence.load.peak.at.at_ns,
      [&](std::uint64_t ns) { return documents.bytes_at(document, ns) < document.bytes / 2; });
  return documents.objects_before(document, half_ns, going.at_ns) > made / 2;
}

/// When a program frees everything, what is left for a moment was not made of a document: that
/// stays while nothing else goes. A document that is smaller than the file may be the model itself;
/// what was made of it has to stay for as long as it took to come.
/// @param going when the document is found gone, and `made` with it.
bool outlives(const Evidence& evidence,
              Documents& documents,
              const Document& document,
              std::uint64_t made,
              std::uint64_t begin_ns,
              const Later& going) {
  const std::uint64_t peak_ns = evidence.load.peak.at.at_ns;
  const std::uint64_t left = document.bytes / kLeftPart;
  const auto last_with = [&](std::uint64_t bytes, std::uint64_t from_ns) {
    return last_of(from_ns, going.at_ns,
                   [&](std::uint64_t ns) { return documents.bytes_at(document, ns) >= bytes; });
  };
  const std::uint64_t began_ns = last_with(document.bytes - left, peak_ns);
  const std::uint64_t gone_ns = last_with(left, began_ns);
  const bool may_be_model = document.bytes < evidence.load.model.bytes;
  const std::uint64_t until_ns =
      gone_ns + (may_be_model ? peak_ns - begin_ns : (gone_ns - began_ns) / 2);
  return until_ns < evidence.load.duration_ns &&
         documents.at(until_ns).staying_bytes >= made - made / 4;
}

/// Bytes may be the model itself, whatever arrays they are in; text is made into numbers first.
bool is_of_text(const LoadFacts& load) {
  return std::ranges::all_of(
      load.model.files, [&](std::size_t number) { return load.files[number].content == "text"; });
}

/// Describes how large blocks came that are the arrays of a document: this, and when they went,
/// distinguishes them from others. Empty for other blocks.
std::string coming_of_arrays(const Evidence& evidence,
                             Documents& documents,
                             const Document& document,
                             std::uint64_t begin_ns) {
  const std::vector<std::uint32_t> lives = documents.lives_of(document);
  if (!documents.may_be_arrays(document) || !is_of_text(evidence.load) ||
      !went_soon(evidence, lives, begin_ns)) {
    return {};
  }
  if (came_as_it_was_read(evidence, documents, document)) {
    return "came as it was read";
  }
  return are_grown(evidence, lives) ? "grew step by step since it was first read" : "";
}

void tell_document(Evidence& evidence,
                   const Documents& documents,
                   const Document& document,
                   const Later& going,
                   std::uint64_t made,
                   const std::string& coming,
                   std::vector<Finding>& findings) {
  const auto frames = named_stack(evidence.trace.definitions(), document.stacks.front());
  const std::string place = place_text(frames);
  const LowerPeak without = evidence.peak_without_stacks(document.stacks);
  if (without.bytes + evidence.worth_saying() > evidence.load.peak.footprint_bytes) {
    return;
  }
  Finding finding{.kind = FindingKind::kParsed, .title = "a document of small objects"};
  const char* seen = "";
  if (!documents.is_of_objects(document)) {
    finding.title = "a document of arrays";
    seen = " No read of the file, nor a copy from it, into them was seen.";
  }
  finding.sentence = fmt::format(
      "{}, {:.1f} bytes for each byte of the model, {} and were gone by {}, while {} that had come "
      "with them stayed.{}",
      blocks_text(document.bytes, document.blocks, place),
      static_cast<double>(document.bytes) / static_cast<double>(evidence.load.model.bytes), coming,
      format_time(going.at_ns), format_size(made), seen);
  finding.bytes = document.bytes;
  finding.stacks = document.stacks;
  evidence.explain(documents.lives_of(document));
  add_finding(evidence, without, document.stacks.front(), std::move(finding), findings);
}

}  // namespace

void find_parsed(Evidence& evidence, std::vector<Finding>& findings) {
  const std::uint64_t begin_ns = model_first_use_ns(evidence.load);
  // A sample does not say which place small blocks belong to.
  if (evidence.load.session.sample_bytes != 0 || begin_ns >= evidence.load.peak.at.at_ns) {
    return;
  }
  Documents documents(evidence, begin_ns);
  if (!documents.may_be_some()) {
    return;
  }
  const std::vector<Later> later = look_later(evidence, documents);
  for (const Later& instant : later) {
    for (const auto& [place, document] : instant.documents) {
      if (going_of(place, later) != &instant) {
        continue;
      }
      const std::string coming = documents.is_of_objects(document)
                                     ? "came since it was first read"
                                     : coming_of_arrays(evidence, documents, document, begin_ns);
      const std::uint64_t made =
          coming.empty() ? 0 : made_bytes(evidence, documents, document, instant, begin_ns);
      if (made >= std::max<std::uint64_t>(evidence.load.model.bytes / kMaxPacking, 1) &&
          !is_told_of(findings, place_text(named_stack(evidence.trace.definitions(),
                                                       document.stacks.front()))) &&
          !came_after_what_stays(evidence, documents, document, made, begin_ns, instant) &&
          outlives(evidence, documents, document, made, begin_ns, instant)) {
        tell_document(evidence, documents, document, instant, made, coming, findings);
      }
    }
  }
}

}  // namespace tidemark::analyzer
