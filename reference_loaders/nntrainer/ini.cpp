#include "reference_loaders/nntrainer/ini.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace tidemark::loaders::nntrainer {
namespace {

constexpr std::string_view kBlanks = " \t\r";
// Each is looked for among those before it: without a bound that would take a hostile file hours.
constexpr std::size_t kMaxSections = 4096;
constexpr std::size_t kMaxValues = 64;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// In ASCII alone, whatever the locale.
std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

class IniParser {
 public:
  explicit IniParser(const std::string& source) : source_(source) {}

  Ini parse(std::string_view text);

 private:
  void add_line(std::string_view line);
  void add_section(std::string_view line);
  void add_value(std::string_view line);
  [[noreturn]] void refuse(const std::string& what) const {
    throw BadInput(source_, offset_, what);
  }

  const std::string& source_;
  std::uint64_t offset_ = 0;  ///< Where the line being read begins.
  Ini ini_;
};

Ini IniParser::parse(std::string_view text) {
  while (offset_ < text.size()) {
    const std::string_view rest = text.substr(offset_);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    add_line(trimmed(line.substr(0, line.find_first_of("#;"))));
    offset_ += line.size() + 1;
  }
  return std::move(ini_);
}

void IniParser::add_line(std::string_view line) {
  if (line.empty()) {
    return;
  }
  if (line.front() == '[') {
    add_section(line);
  } else {
    add_value(line);
  }
}

void IniParser::add_section(std::string_view line) {
  if (line.back() != ']' || trimmed(line.substr(1, line.size() - 2)).empty()) {
    refuse(fmt::format("'{}' is not the name of a section", printable(std::string(line))));
  }
  std::string name = lower_case(trimmed(line.substr(1, line.size() - 2)));
  if (ini_.find(name) != nullptr) {
    refuse(fmt::format("the section '{}' is there twice", printable(name)));
  }
  if (ini_.sections.size() == kMaxSections) {
    refuse(fmt::format("more than {} sections", kMaxSections));
  }
  ini_.sections.push_back({.name = std::move(name), .offset = offset_});
}

void IniParser::add_value(std::string_view line) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos || trimmed(line.substr(0, equals)).empty()) {
    refuse(
        fmt::format("'{}' is neither a section nor 'key = value'", printable(std::string(line))));
  }
  if (ini_.sections.empty()) {
    refuse("a value comes before the first section");
  }
  IniSection& section = ini_.sections.back();
  std::string key = lower_case(trimmed(line.substr(0, equals)));
  if (section.find(key) != nullptr) {
    refuse(fmt::format("the section '{}' has the key '{}' twice", printable(section.name),
                       printable(key)));
  }
  if (section.values.size() == kMaxValues) {
    refuse(fmt::format("the section '{}' has more than {} values", printable(section.name),
                       kMaxValues));
  }
  section.values.push_back(
      {std::move(key), std::string(trimmed(line.substr(equals + 1))), offset_});
}

}  // namespace

const IniValue* IniSection::find(std::string_view key) const {
  const auto found = std::ranges::find(values, key, &IniValue::key);
  return found == values.end() ? nullptr : &*found;
}

const IniSection* Ini::find(std::string_view name) const {
  const auto found = std::ranges::find(sections, name, &IniSection::name);
  return found == sections.end() ? nullptr : &*found;
}

Ini parse_ini(std::string_view text, const std::string& source) {
  if (text.size() > kMaxIniBytes) {
    throw BadInput(
        source, fmt::format("{} bytes are too many for the description of a network", text.size()));
  }
  return IniParser(source).parse(text);
}

Ini read_ini_file(const std::filesystem::path& file) {
  const std::uint64_t size = model_file_bytes(file);
  if (size > kMaxIniBytes) {
    throw BadInput(file.string(),
                   fmt::format("{} bytes are too many for the description of a network", size));
  }
  std::string text(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(size));
  if (!stream) {
    throw BadInput(file.string(), "cannot be read");
  }
  return parse_ini(text, file.string());
}

std::string ini_text(const Ini& ini) {
  std::string text;
  for (const IniSection& section : ini.sections) {
    text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section.name);
    for (const IniValue& value : section.values) {
      text += fmt::format("{} = {}\n", value.key, value.text);
    }
  }
  return text;
}

}  // namespace tidemark::loaders::nntrainer
