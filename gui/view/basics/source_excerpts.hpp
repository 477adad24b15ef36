/// The source lines around a line, if the file is on this machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

struct SourceLine {
  std::uint32_t number = 0;
  std::string text;
};

/// The lines around `line`, itself included. Empty if there is no such line, or `path` is not a
/// regular file of at most 8 MiB: a trace may name anything.
std::vector<SourceLine> source_around(const std::string& path, std::uint32_t line);

/// Caches what it has read, since it is asked in every frame.
class SourceExcerpts {
 public:
  const std::vector<SourceLine>& of(const std::string& path, std::uint32_t line);

 private:
  std::map<std::pair<std::string, std::uint32_t>, std::vector<SourceLine>> known_;
};

}  // namespace tidemark::gui
