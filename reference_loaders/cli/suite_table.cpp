#include "reference_loaders/cli/suite_table.hpp"

#include "reference_loaders/cli/text_columns.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::loaders {
namespace {

/// Published numbers have a column if they are short, else lines of their own below the rows.
bool is_column(const std::vector<ModelResult>& models) {
  constexpr std::size_t kMaxPublishedColumns = 16;
  for (const ModelResult& model : models) {
    for (const RowResult& row : model.rows) {
      if (text_width(row.row.published) > kMaxPublishedColumns) {
        return false;
      }
    }
  }
  return true;
}

std::vector<Column> columns(bool with_published) {
  std::vector<Column> all = {{.title = "variant", .is_text = true},
                             {.title = "predicted"},
                             {.title = "formula", .is_text = true},
                             {.title = "measured"},
                             {.title = "diff"},
                             {.title = "ratio"},
                             {.title = "time"},
                             {.title = "GB/s"},
                             {.title = "of dd"}};
  if (with_published) {
    all.push_back({.title = "published", .is_text = true});
  }
  return all;
}

std::string formula(const RowResult& row) {
  const std::string& numbers = row.run.load->predicted.numbers;
  return numbers.empty() || numbers == row.peak_formula ? row.peak_formula
                                                        : row.peak_formula + " = " + numbers;
}

/// Only where it makes sense: a cold file is read from the disk, and what is mapped is not read.
std::string share_of_dd(const ModelResult& model, const RowResult& row) {
  const RecordedLoad& load = *row.run.load;
  if (row.row.cold || load.predicted.mapped_bytes > 0 || load.seconds <= 0) {
    return "-";
  }
  return fmt::format("{:.0f}%", 100 * model.seconds_to_read / load.seconds);
}

std::vector<std::string> cells(const ModelResult& model, const RowResult& row) {
  const RecordedLoad& load = *row.run.load;
  return {row_name(row.row),
          format_size(load.predicted_bytes()),
          formula(row),
          format_size(load.measured_bytes()),
          fmt::format("{:+.2f}%", 100 * difference(load)),
          load.peak_ratio ? fmt::format("{:.2f}", *load.peak_ratio) : "-",
          fmt::format("{:.{}f} s", load.seconds, load.seconds < 10 ? 3 : 1),
          fmt::format("{:.2f}", load.gigabytes_per_second),
          share_of_dd(model, row)};
}

std::string model_line(const ModelResult& model) {
  const double speed = static_cast<double>(model.file_bytes) / model.seconds_to_read / 1e9;
  return fmt::format("{}, {} (dd bs=4M reads it at {:.2f} GB/s)", model.model,
                     format_size(model.file_bytes), speed);
}

/// Lines of text under each other, the first after `lead` and the others further in.
std::string paragraph(const std::string& lead, const std::string& text) {
  const std::string further(lead.size() + 4, ' ');
  std::string all;
  for (const std::string& line : wrapped(text, kWindowColumns - further.size())) {
    if (all.empty()) {
      all = lead;
    } else {
      all.append("\n").append(further);
    }
    all += line;
  }
  return all;
}

std::string failure_line(const RowResult& row, bool holds) {
  const std::string what =
      row_name(row.row) + (holds ? "  fails, as it must, with " : "  failed with ") +
      ending(row.run.process) +
      (row.row.published.empty() ? "" : " (published: " + row.row.published + ")");
  return paragraph(holds ? "  " : "! ", what);
}

void add_load(TextColumns* table, const ModelResult& model, const RowResult& row, bool in_column) {
  std::vector<std::string> all = cells(model, row);
  if (in_column) {
    all.push_back(row.row.published);
  }
  table->add_row(objections(model, row).empty() ? ' ' : '!', std::move(all));
  if (!in_column && !row.row.published.empty()) {
    table->add_line(paragraph("      ", "published: " + row.row.published));
  }
}

void add_model(TextColumns* table, const ModelResult& model, bool in_column) {
  table->add_line(model_line(model));
  for (const RowResult& row : model.rows) {
    if (row.run.load) {
      add_load(table, model, row, in_column);
    } else {
      table->add_line(failure_line(row, objections(model, row).empty()));
    }
  }
}

std::string notes_of(const RowResult& row) {
  std::string all;
  for (const Note& note : row.run.load ? row.run.load->notes : std::vector<Note>{}) {
    all += fmt::format("{}{} {}", all.empty() ? "" : "; ", note.name, note.value);
  }
  return all;
}

std::string notes(const std::vector<ModelResult>& models) {
  std::string all;
  for (const ModelResult& model : models) {
    for (const RowResult& row : model.rows) {
      if (const std::string own = notes_of(row); !own.empty()) {
        all += paragraph("  ", row_name(row.row) + ": " + own) + "\n";
      }
    }
  }
  return all.empty() ? "" : "\nnotes\n" + all;
}

std::string closing_line(const System& system, const std::vector<ModelResult>& models) {
  std::size_t rows = 0;
  std::size_t failing = 0;
  for (const ModelResult& model : models) {
    rows += model.rows.size();
    failing += static_cast<std::size_t>(std::ranges::count_if(
        model.rows, [&](const RowResult& row) { return !objections(model, row).empty(); }));
  }
  return failing == 0 ? fmt::format("\n{}: all {} rows hold\n", system.name, rows)
                      : fmt::format("\n{}: {} of {} rows {} not hold\n", system.name, failing, rows,
                                    failing == 1 ? "does" : "do");
}

}  // namespace

std::string suite_table(const System& system, const std::vector<ModelResult>& models) {
  const bool in_column = is_column(models);
  TextColumns table(columns(in_column));
  for (const ModelResult& model : models) {
    add_model(&table, model, in_column);
  }
  return paragraph("", system.name + ": " + system.summary) + "\n" +
         paragraph("", system.published) + "\n\n" + table.text() + notes(models) +
         closing_line(system, models);
}

}  // namespace tidemark::loaders
