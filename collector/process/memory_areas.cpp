#include "collector/process/memory_areas.hpp"

#include "collector/process/proc_file.hpp"
#include "collector/process/process_tree.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <sys/sysmacros.h>

namespace tidemark {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20U;

/// "00001000 08:01 1234": the offset, the device in two hexadecimal parts, the inode.
AreaFile parse_file(std::string_view fields) {
  const char* const end = fields.data() + fields.size();
  unsigned major = 0;
  unsigned minor = 0;
  AreaFile file;
  const char* at = std::find(fields.data(), end, ' ');
  at = at == end ? end : std::from_chars(at + 1, end, major, 16).ptr;
  at = at == end ? end : std::from_chars(at + 1, end, minor, 16).ptr;
  if (at != end)
    std::from_chars(at + 1, end, file.inode);
  file.device = makedev(major, minor);
  return file;
}

/// "7f00-7f10 rw-p 00000000 08:01 1234      /usr/lib/libc.so.6"
std::optional<MemoryArea> parse_line(std::string_view line) {
  MemoryArea area;
  const char* end = line.data() + line.size();
  const auto begin_read = std::from_chars(line.data(), end, area.pages.begin, 16);
  if (begin_read.ec != std::errc{} || begin_read.ptr == end || *begin_read.ptr != '-')
    return std::nullopt;
  const auto end_read = std::from_chars(begin_read.ptr + 1, end, area.pages.end, 16);
  const std::string_view rest(end_read.ptr, static_cast<std::size_t>(end - end_read.ptr));
  if (end_read.ec != std::errc{} || rest.size() < 5)
    return std::nullopt;
  area.is_accessible = rest.substr(1, 3) != "---";
  area.is_writable = rest[2] == 'w';
  area.is_executable = rest[3] == 'x';
  area.is_private = rest[4] == 'p';
  area.file = parse_file(rest.substr(std::min(rest.find_first_not_of(' ', 5), rest.size())));
  constexpr int kFieldsBeforeName = 4;
  std::size_t at = 0;
  for (int field = 0; field < kFieldsBeforeName && at != std::string_view::npos; ++field)
    at = rest.find(' ', rest.find_first_not_of(' ', at));
  at = at == std::string_view::npos ? at : rest.find_first_not_of(' ', at);
  if (at != std::string_view::npos)
    area.name = rest.substr(at);
  return area;
}

}  // namespace

std::vector<MemoryArea> parse_memory_areas(std::string_view maps) {
  std::vector<MemoryArea> areas;
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(maps.size(), line.size() + 1));
    if (auto area = parse_line(line))
      areas.push_back(std::move(*area));
  }
  return areas;
}

std::vector<MemoryArea> read_memory_areas(pid_t pid) {
  return parse_memory_areas(read_proc(thread_with_memory(pid), "maps", kMaxTextBytes));
}

bool has_zeroed_data(const MemoryArea& data, const MemoryArea& behind) {
  return data.is_private && data.is_of_file() && data.is_writable && behind.is_private &&
         !behind.is_of_file() && behind.is_writable && data.pages.end == behind.pages.begin;
}

std::vector<FileArea> private_file_areas(const std::vector<MemoryArea>& areas,
                                         const std::set<std::uint64_t>& ends) {
  std::vector<FileArea> found;
  for (std::size_t i = 0; i < areas.size(); ++i) {
    const MemoryArea& area = areas[i];
    if (area.is_private && area.is_of_file())
      found.push_back({area.pages, area.name});
    if (i == 0 || !has_zeroed_data(areas[i - 1], area))
      continue;
    const std::string& path = areas[i - 1].name;
    const auto end = ends.upper_bound(area.pages.begin);
    // More segments of the file may follow, as in libraries that were patched after they were
    // linked.
    const bool is_inside = i + 1 < areas.size() && areas[i + 1].name == path &&
                           areas[i + 1].pages.begin == area.pages.end;
    if (is_inside)
      found.push_back({area.pages, path});
    else if (end != ends.end() && *end <= area.pages.end)
      found.push_back({{area.pages.begin, *end}, path});
  }
  return found;
}

}  // namespace tidemark
