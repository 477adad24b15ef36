/// The columns that all text tables are made of.
#pragma once

#include "analyzer/text/text_style.hpp"
#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

constexpr std::size_t kNumberWidth = 11;  ///< A size with its unit, and a gap before it.

/// A heading, followed by `note` as far as there is space.
std::string title(const TextStyle& style, std::string_view text, std::string_view note = "");

/// One column.
std::string number_column(std::string_view text);
std::string size_column(std::uint64_t bytes);

/// `50.0%`, `<0.01%`; empty for a part of nothing.
std::string share(std::uint64_t part, std::uint64_t whole);

/// `  (device)`, `  (anon)`: after a stack; empty for the heap.
std::string_view lane_suffix(trace::Lane lane);

/// The lanes that the footprint is made of, as `heap + anon`.
std::string footprint_text();

/// `   12 more files`, or nothing when all are shown.
std::string more_line(std::size_t all, std::size_t shown, const std::string& what);

}  // namespace tidemark::analyzer
