#pragma once

#include "reference_loaders/nntrainer/ini.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::loaders::nntrainer {

/// Takes the values of one section, and refuses what cannot be one. Borrows the section and the
/// name of the file. Every function throws BadInput with the offset of the value, or of the section
/// where the value is missing.
class SectionReader {
 public:
  SectionReader(const IniSection& section, const std::string& source)
      : section_(section), source_(source) {}

  [[nodiscard]] const std::string& name() const { return section_.name; }

  /// In lower case, except `save_path`, which is a file.
  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] std::uint64_t number(std::string_view key,
                                     std::uint64_t low,
                                     std::uint64_t high) const;
  /// Between 0 and 1.
  [[nodiscard]] float fraction(std::string_view key) const;
  /// Exactly `count` numbers with `separator` between them.
  [[nodiscard]] std::vector<std::uint64_t> numbers(std::string_view key,
                                                   char separator,
                                                   std::size_t count,
                                                   std::uint64_t low,
                                                   std::uint64_t high) const;
  /// The number of "3,3": both must be the same.
  [[nodiscard]] std::uint64_t square(std::string_view key,
                                     std::uint64_t low,
                                     std::uint64_t high) const;
  /// "a, b" as its names.
  [[nodiscard]] std::vector<std::string> names(std::string_view key) const;

  [[noreturn]] void refuse(std::string_view key, const std::string& what) const;

 private:
  [[nodiscard]] const std::string& value(std::string_view key) const;

  const IniSection& section_;
  const std::string& source_;
};

}  // namespace tidemark::loaders::nntrainer
