#include "analyzer/report/anatomy_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <string>

namespace tidemark::analyzer {

std::string unexplained_text(const Report& report) {
  if (!report.is_high() || report.is_explained()) {
    return {};
  }
  const ReportPlace& place = report.largest_place;
  const double ratio = static_cast<double>(place.bytes) / static_cast<double>(report.model.bytes);
  constexpr double kMoreThanTheModel = 1.25;
  if (ratio < kMoreThanTheModel) {
    return "No finding explains this peak.";
  }
  return fmt::format("No finding explains this peak. {} of it, {:.2f} x the model, in {} {} of {}.",
                     format_size(place.bytes), ratio, format_count(place.blocks),
                     place.blocks == 1 ? "block" : "blocks", place.name);
}

}  // namespace tidemark::analyzer
