/// Reads a page as its own script does.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::tests {

/// The data that a page carries; fails the test when there is not exactly one such element.
nlohmann::json page_data(const std::string& html);

/// The page with its data as a browser's script has it, in place of the deflated text.
std::string page_text(const std::string& html);

/// What html::packed wrote.
std::vector<std::int64_t> unpacked(const std::string& text);

}  // namespace tidemark::tests
