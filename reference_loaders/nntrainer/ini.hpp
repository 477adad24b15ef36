#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The text that nntrainer describes a network in, as iniparser reads it.
namespace tidemark::loaders::nntrainer {

struct IniValue {
  std::string key;  ///< Lower case.
  std::string text;
  std::uint64_t offset = 0;  ///< Where its line begins in the file.
};

struct IniSection {
  std::string name;  ///< Lower case.
  std::uint64_t offset = 0;
  std::vector<IniValue> values = {};

  /// Null where the section has no such key.
  [[nodiscard]] const IniValue* find(std::string_view key) const;
};

struct Ini {
  std::vector<IniSection> sections;

  [[nodiscard]] const IniSection* find(std::string_view name) const;
};

/// No network that is written by people or by programs is as long as this.
inline constexpr std::uint64_t kMaxIniBytes = std::uint64_t{1} << 20;

/// Sections in their order, which is the order of layers. Names and keys are the same in upper and
/// lower case; `#` and `;` begin a comment; a section or a key that comes twice is refused, as
/// iniparser would silently join or replace it.
/// @throws BadInput with `source` and the offset of the line.
Ini parse_ini(std::string_view text, const std::string& source);

/// @throws BadInput when there is no such file, or not a regular one, or one that is too long
Ini read_ini_file(const std::filesystem::path& file);

/// What `parse_ini` reads back as it was, offsets aside.
std::string ini_text(const Ini& ini);

}  // namespace tidemark::loaders::nntrainer
