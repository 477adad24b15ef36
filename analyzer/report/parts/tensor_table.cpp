#include "analyzer/report/parts/tensor_table.hpp"

#include "analyzer/flow/model_chain.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/markdown.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"
#include "analyzer/text/wrapped_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// As wide as the rows need it.
std::size_t kind_width(const ReportTensors& tensors) {
  std::size_t width = tensors.by == TensorGrouping::kTensor ? 8 : 15;
  for (const TensorRow& row : tensors.rows) {
    width = std::max(width, width_of(tensor_kind_of(tensors.by, row)) + 2);
  }
  constexpr std::size_t kMaxKindWidth = 30;
  return std::min(width, kMaxKindWidth);
}

constexpr std::string_view kBySizeNote =
    "~: by the sizes of blocks; what came into them was not seen";

/// `2.00 x`: how often its bytes are there.
std::string times_of(const TensorRow& row) {
  return row.bytes == 0 || row.file_bytes == 0
             ? std::string()
             : fmt::format("{:.2f} x",
                           static_cast<double>(row.bytes) / static_cast<double>(row.file_bytes));
}

std::string held_text(const TensorRow& row) {
  return row.bytes == 0 ? "mapped" : format_size(row.bytes);
}

bool has_sized_rows(const Report& report) {
  return std::ranges::any_of(report.tensors.rows, &TensorRow::is_by_size);
}

std::string rest_text(const Report& report) {
  const std::size_t rest = report.tensors.row_count - report.tensors.rows.size();
  switch (report.tensors.by) {
    case TensorGrouping::kLayer:
      return fmt::format("{} more {}", format_count(rest), rest == 1 ? "layer" : "layers");
    case TensorGrouping::kType:
      return fmt::format("{} more {}", format_count(rest), rest == 1 ? "type" : "types");
    default:
      return fmt::format("{} more {}", format_count(rest), rest == 1 ? "tensor" : "tensors");
  }
}

/// @param width of the kind.
std::string table_row(const Report& report,
                      const TensorRow& row,
                      const TextStyle& style,
                      std::size_t width) {
  return number_column(held_text(row)) + right(times_of(row), kNumberWidth) +
         size_column(row.file_bytes) +
         right(fit(style, printable(style, tensor_kind_of(report.tensors.by, row)), width), width) +
         "  ";
}

/// The name, and who asked for the memory as far as there is room.
std::string name_and_place(const Report& report,
                           std::size_t rank,
                           const TextStyle& style,
                           std::size_t room) {
  const TensorRow& row = report.tensors.rows[rank];
  const std::string name = fit_middle(style, printable(style, row.name), room);
  constexpr std::size_t kMinPlaceWidth = 24;
  const std::size_t left_over = room - width_of(name);
  // If there are many tensors, one place would not be the place of all.
  if (row.tensors != 1 || row.bytes == 0 || left_over < kMinPlaceWidth) {
    return painted(style, Paint::kBold, name);
  }
  const std::string place = asking_text(style, report.tensors.frames[rank], left_over - 2);
  return painted(style, Paint::kBold, name) + "  " + painted(style, Paint::kDim, place);
}

/// `ir.bin`, `model-1.bin and 15 more`; empty if no file is the model.
std::string model_name(const Report& report) {
  const auto& files = report.model.files;
  if (files.empty()) {
    return {};
  }
  const std::string name = telling_file_name(report.files[files.front()].path);
  return files.size() == 1 ? name
                           : fmt::format("{} and {} more", name, format_count(files.size() - 1));
}

std::string none_known_text(const Report& report,
                            const ReportTensors& tensors,
                            std::string_view when) {
  const std::string name = model_name(report);
  if (name.empty()) {
    return fmt::format(
        "no tensors are known {}: no file of a model is, and none that was read lists any", when);
  }
  const bool is_one = report.model.files.size() == 1;
  if (tensors.listed_of_model == 0) {
    return fmt::format("no tensors of {} are known: {} format lists none that tidemark can read",
                       name, is_one ? "its" : "their");
  }
  return fmt::format(
      "no tensors of {} are known {}: {} {}, but none is there then, or {} bytes came in pieces "
      "below 64 KiB or through loops of the program's own",
      name, when, is_one ? "it lists" : "they list", format_count(tensors.listed_of_model),
      is_one ? "its" : "their");
}

}  // namespace

std::string tensor_title_of(const Report& report, const ReportTensors& tensors) {
  const std::string when = report.at_peak ? "at the peak" : "at " + format_time(report.live_at_ns);
  const HeldTensors& held = tensors.held;
  if (held.tensors.empty()) {
    return none_known_text(report, tensors, when);
  }
  return fmt::format("weights {}, by {}: {} of {} hold {} of {} tensors", when,
                     grouping_word(tensors.by), format_size(held.bytes),
                     format_size(report.live_bytes), format_count(held.tensors.size()),
                     format_count(held.listed));
}

std::string tensor_kind_of(TensorGrouping by, const TensorRow& row) {
  const std::string kind = by == TensorGrouping::kTensor
                               ? row.type
                               : fmt::format("{} {}", format_count(row.tensors),
                                             row.tensors == 1 ? "tensor" : "tensors");
  return (row.is_by_size ? "~ " + kind : kind) + row.types.text();
}

std::string tensor_table(const Report& report, const TextStyle& style) {
  if (report.tensors.by == TensorGrouping::kNone) {
    return {};
  }
  std::string text;
  for (const std::string& line :
       wrapped(style, tensor_title_of(report, report.tensors), style.width)) {
    text += title(style, line);
  }
  if (report.tensors.rows.empty()) {
    return text;
  }
  const std::size_t width = kind_width(report.tensors);
  text += painted(style, Paint::kDim,
                  number_column("in memory") + number_column("") + number_column("in file") +
                      std::string(width + 2, ' ') + std::string(grouping_word(report.tensors.by))) +
          '\n';
  for (std::size_t rank = 0; rank < report.tensors.rows.size(); ++rank) {
    const std::string row = table_row(report, report.tensors.rows[rank], style, width);
    text +=
        row +
        name_and_place(report, rank, style, style.width - std::min(style.width, width_of(row))) +
        '\n';
  }
  if (report.tensors.row_count > report.tensors.rows.size()) {
    text += table_row(report, report.tensors.rest, style, width) + rest_text(report) + '\n';
  }
  if (has_sized_rows(report)) {
    text += "  " + std::string(kBySizeNote) + '\n';
  }
  return text;
}

std::string tensor_markdown(const Report& report) {
  if (report.tensors.by == TensorGrouping::kNone) {
    return {};
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t rank = 0; rank < report.tensors.rows.size(); ++rank) {
    const TensorRow& row = report.tensors.rows[rank];
    rows.push_back(
        {held_text(row), times_of(row), format_size(row.file_bytes),
         md_text(tensor_kind_of(report.tensors.by, row)), md_code(row.name),
         row.bytes == 0 ? std::string() : md_text(place_text(report.tensors.frames[rank]))});
  }
  if (report.tensors.row_count > report.tensors.rows.size()) {
    const TensorRow& rest = report.tensors.rest;
    rows.push_back(
        {held_text(rest), times_of(rest), format_size(rest.file_bytes), {}, rest_text(report), {}});
  }
  const std::string note = has_sized_rows(report) ? std::string(kBySizeNote) + "\n\n" : "";
  const std::string title = "**" + md_text(tensor_title_of(report, report.tensors)) + "**\n\n";
  return rows.empty() ? title
                      : title +
                            md_table({{"in memory", true},
                                      {"", true},
                                      {"in file", true},
                                      {"", true},
                                      {std::string(grouping_word(report.tensors.by)), false},
                                      {"made by", false}},
                                     rows) +
                            note;
}

Json tensor_json(const Report& report) {
  Json rows = Json::array();
  for (std::size_t rank = 0; rank < report.tensors.rows.size(); ++rank) {
    const TensorRow& row = report.tensors.rows[rank];
    rows.push_back({{"name", row.name},
                    {"dtype", row.type.empty() ? Json() : Json(row.type)},
                    {"converted_to", row.types.converted},
                    {"as_in_file", row.types.as_in_file},
                    {"tensors", row.tensors},
                    {"file_bytes", row.file_bytes},
                    {"bytes", row.bytes},
                    {"mapped_bytes", row.mapped_bytes},
                    {"by_size", row.is_by_size},
                    {"stack", stack_document(report.tensors.frames[rank])}});
  }
  const TensorRow& rest = report.tensors.rest;
  return {{"by", grouping_word(report.tensors.by)},
          {"listed", report.tensors.held.listed},
          {"listed_bytes", report.tensors.held.listed_bytes},
          {"held", report.tensors.held.tensors.size()},
          {"held_bytes", report.tensors.held.bytes},
          {"rows", std::move(rows)},
          {"rest",
           {{"rows", report.tensors.row_count - report.tensors.rows.size()},
            {"file_bytes", rest.file_bytes},
            {"bytes", rest.bytes},
            {"mapped_bytes", rest.mapped_bytes}}}};
}

}  // namespace tidemark::analyzer
