#include "analyzer/query/pass/excerpt.hpp"
#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/report/facts/lives_text.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tidemark::analyzer {
namespace {

/// `The findings explain 28.0 MiB of the 238.1 MiB beyond W`.
std::string what_is_explained(const Report& report) {
  const auto& [saved, accounted] = report.anatomy.explained;
  const std::uint64_t beyond =
      report.peak.footprint_bytes - std::min(report.peak.footprint_bytes, report.model.bytes);
  const auto findings = std::ranges::count_if(report.anatomy.findings, [](const Finding& finding) {
    return finding.kind != FindingKind::kRefused;
  });
  // What was there before the load may be among what is saved.
  return fmt::format("The {} {}{} of the {} beyond W",
                     findings == 1 ? "finding explains" : "findings explain",
                     accounted == 0 ? "" : "at most ",
                     format_size(std::min(beyond, saved + accounted)), format_size(beyond));
}

/// Which part of the peak its findings leave open, in words.
std::string what_is_open(const Report& report) {
  if (const auto first_use_ns = first_use_after_peak(report)) {
    return fmt::format("The peak came before the model was first {}, at {}",
                       report.files[report.model.files.front()].bytes_read == 0 ? "mapped" : "read",
                       format_time(*first_use_ns));
  }
  const std::vector<Finding>& findings = report.anatomy.findings;
  if (report.anatomy.explained.saved_bytes != 0) {
    return what_is_explained(report);
  }
  const auto has = [&](auto is_one) { return std::ranges::any_of(findings, is_one); };
  if (has([](const Finding& finding) {
        return finding.kind == FindingKind::kBeforeLoad || finding.kind == FindingKind::kImported ||
               finding.kind == FindingKind::kPythonArenas || finding.kind == FindingKind::kRegions;
      })) {
    return "No finding explains the rest of this peak";
  }
  return has([](const Finding& finding) { return finding.kind != FindingKind::kRefused; })
             ? "None of these findings explains this peak"
             : "No finding explains this peak";
}

/// `, freed by 900 ms`; if the last tenth is freed later than the others, `, most of it freed by
/// 1.3 s, the last by 1.7 s`.
std::string freed_text(const PeakGroup& group) {
  const std::string most = format_time(group.most_freed_ns);
  const std::string last = format_time(group.last_freed_ns);
  return group.most_freed_ns == 0 || most == last
             ? ", freed by " + last
             : fmt::format(", most of it freed by {}, the last by {}", most, last);
}

/// `allocated from 10 ms to 400 ms, freed by 900 ms`. A small block that stays beside large ones
/// that go is not mentioned.
std::string life_text(const PeakGroup& group) {
  const std::string text =
      when_text("allocated", group.first_allocated_ns, group.last_allocated_ns);
  constexpr std::uint64_t kNotableBytes = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kNotablePart = 16;
  const std::uint64_t notable = std::min(kNotableBytes, group.bytes / kNotablePart);
  if (group.end_bytes < notable || group.end_blocks == 0) {
    return text + freed_text(group);
  }
  return text + (group.end_bytes > group.bytes - notable
                     ? std::string(", alive at the end")
                     : fmt::format(", {} alive at the end", format_size(group.end_bytes)));
}

/// Reads and copies of small pieces are not shown with the block. If much of the model came in such
/// pieces, "none seen" does not mean that nothing came.
std::string none_seen_text(const Report& report) {
  constexpr std::uint64_t kNotablePart = 10;
  const bool is_part_unseen =
      report.anatomy.chain.unseen_read_bytes > report.model.bytes / kNotablePart;
  return fmt::format("; no read or copy of {}the model into it was seen",
                     is_part_unseen ? format_size(kLargeBlockBytes) + " or more of " : "");
}

/// `12.0 MiB of the model read into it, 3.0 MiB copied`; empty if nothing was seen.
std::string seen_text(std::uint64_t read_bytes, std::uint64_t copied_bytes) {
  const std::string copied = format_size(copied_bytes);
  if (read_bytes > 0) {
    return fmt::format("; {} of the model read into it", format_size(read_bytes)) +
           (copied_bytes > 0 ? fmt::format(", {} copied", copied) : std::string());
  }
  return copied_bytes > 0 ? fmt::format("; {} of the model copied into it", copied) : std::string();
}

/// What came into it, as far as that is known. "Nothing was seen to come" would mislead if its
/// values show that something did.
std::string arrivals_text(const Report& report, const PeakGroup& group) {
  if (first_use_after_peak(report)) {
    return {};
  }
  const bool is_known = group.read_bytes && group.copied_bytes;
  const std::string text =
      (is_known ? seen_text(*group.read_bytes, *group.copied_bytes) : std::string()) +
      (group.values_held.empty() ? std::string() : "; " + group.values_held);
  return is_known && text.empty() ? none_seen_text(report) : text;
}

/// Whether the peak falls by less than the group has of it, because another instant is the highest
/// then.
bool leaves_another_peak(const Report& report, const PeakGroup& group) {
  constexpr std::uint64_t kNotableBytes = std::uint64_t{1} << 20U;
  const std::uint64_t notable = std::max(kNotableBytes, group.peak_without_bytes / 100);
  return group.peak_without_bytes + group.bytes > report.peak.footprint_bytes + notable;
}

/// The peak without a group. At another instant the same memory may be used by others.
std::string without_text(const Report& report, const PeakGroup& group) {
  const std::string without =
      format_size(group.peak_without_bytes) + times_model_of(report, group.peak_without_bytes);
  if (format_size(group.peak_without_bytes) == format_size(report.peak.footprint_bytes)) {
    return "Without it another instant is as high: " + without;
  }
  return (leaves_another_peak(report, group) ? "Without it another peak is left: " : "Without: ") +
         without;
}

}  // namespace

std::string unexplained_text(const Report& report) {
  if (!report.at_peak || !report.anatomy.is_unexplained) {
    return {};
  }
  const std::string sentence = what_is_open(report);
  const std::size_t groups = report.anatomy.groups.size();
  return groups == 0 ? sentence + '.'
                     : fmt::format("{}. The peak's largest {}:", sentence,
                                   groups == 1 ? "group" : "groups");
}

std::string none_lowers_text(const Report& report) {
  std::size_t told = 0;
  for (const Finding& finding : report.anatomy.findings) {
    if (finding.peak_without_bytes || finding.peak_with_one_bytes) {
      return {};
    }
    told += finding.kind == FindingKind::kRefused ? 0 : 1;
  }
  return told == 0 || !unexplained_text(report).empty() ? std::string()
                                                        : "No finding here lowers the peak.";
}

std::string group_text(const Report& report, const PeakGroup& group) {
  return fmt::format("{} ({}) in {} {} of {}: {}{}. {}.", format_size(group.bytes),
                     share(group.bytes, report.peak.footprint_bytes), format_count(group.blocks),
                     group.blocks == 1 ? "block" : "blocks", group.place, life_text(group),
                     arrivals_text(report, group), without_text(report, group));
}

}  // namespace tidemark::analyzer
