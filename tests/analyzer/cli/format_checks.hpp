/// The syntax of each format that the command writes, and that nothing in it moves a cursor or ends
/// a line, checked without the code under test.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tidemark::tests {

/// How the syntax of one format is checked.
using Check = std::function<void(const std::string&)>;

/// No control characters but line ends, nothing that turns text around, and UTF-8 alone.
void check_harmless(const std::string& text);
/// By the word of `--format`; one that nobody knows fails.
void check_format(const std::string& format, const std::string& text);
void check_json(const std::string& text);
void check_markdown(const std::string& text);
void check_csv(const std::string& text);
void check_xml(const std::string& text);
void check_text(const std::string& text);

std::vector<std::string> lines_of(const std::string& text);
std::size_t count_of(const std::string& text, const std::string& wanted);

}  // namespace tidemark::tests
