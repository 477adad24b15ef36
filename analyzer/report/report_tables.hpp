/// The tables of the text report. Each is empty when it has nothing to say.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "analyzer/text/text_style.hpp"

#include <string>

namespace tidemark::analyzer {

std::string lane_table(const Report& report, const TextStyle& style);
std::string live_table(const Report& report, const TextStyle& style);
std::string device_table(const Report& report, const TextStyle& style);
std::string file_table(const Report& report, const TextStyle& style);
std::string phase_table(const Report& report, const TextStyle& style);
std::string process_table(const Report& report, const TextStyle& style);

}  // namespace tidemark::analyzer
