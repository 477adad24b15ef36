/// The source around a line, where the file is on this machine.
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

/// The lines around `line`, it among them. Empty where there is no such file or line, and for what
/// is no regular file of at most 8 MiB: a trace may name anything.
std::vector<SourceLine> source_around(const std::string& path, std::uint32_t line);

/// Remembers what it has read: asked for in every frame.
class SourceExcerpts {
 public:
  const std::vector<SourceLine>& of(const std::string& path, std::uint32_t line);

 private:
  std::map<std::pair<std::string, std::uint32_t>, std::vector<SourceLine>> known_;
};

}  // namespace tidemark::gui
