/// The anatomy in a text report. Each section is empty where there is nothing to say.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// `Without: 512.2 MiB = 1.00 x W.`; empty for what does not change the footprint.
std::string remedy_text(const Report& report, const Finding& finding);

/// A finding as one text: its sentence, and the peak without it.
std::string finding_text(const Report& report, const Finding& finding);

/// `What helps: free each buffer as soon as ...`, for the first of the findings that the advice
/// helps; empty for the others.
std::string advice_text(const Report& report, const Finding& finding);

/// `If nothing stayed longer than it is needed: 5.1 GiB = 1.02 x W.`; empty if that is not below
/// the peak, or the findings predict less.
std::string floor_text(const Report& report);

/// `Without all that these findings name: 5.4 GiB = 1.08 x W.`; empty if one finding alone predicts
/// as much.
std::string together_text(const Report& report);

/// `This is about a part: ...`; empty if every block and every copy was followed, or if the peak
/// needs no explanation although small pieces were not followed.
std::string left_out_text(const Report& report);

/// `No finding explains this peak. The peak's largest groups:`, or `The findings explain 28.0 MiB
/// of the 238.1 MiB beyond W. The peak's ...`; empty if they explain half of it, or the peak is
/// hardly above the model. Placed after the findings, on which its wording depends.
std::string unexplained_text(const Report& report);

/// `No finding here lowers the peak.`; empty if one does, if there are no findings, or if
/// `unexplained_text` says more.
std::string none_lowers_text(const Report& report);

/// One of these groups: `1.1 GiB (80.0%) in 101 blocks of grow (v.hpp:9): allocated from 1.2 s to
/// 3.0 s, alive at the end; no read or copy of the model into it was seen. Without: 280.0 MiB =
/// 1.09 x W.`
std::string group_text(const Report& report, const PeakGroup& group);

/// The unfollowed bytes of a node of the chain: `61.7 MiB of it: copied by a loop or in small
/// pieces, or not copied`. Chain::leaves_rest tells when to mention them.
std::string unfollowed_text(const ChainNode& node);

/// What causes the peak, in a few words and in sentences, with the peak without it.
struct Reason {
  std::string title;
  std::string sentence;
};
/// The first finding, if it lowers the peak by a tenth, or explains most of it. Otherwise the
/// largest group of the peak, or the one that would save most, if that is more. If there is
/// neither, both texts are empty.
Reason main_reason(const Report& report);

/// The chain as a tree, one line a step.
std::string chain_picture(const Report& report, const TextStyle& style);

}  // namespace tidemark::analyzer
