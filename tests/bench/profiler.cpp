#include "tests/bench/profiler.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace tidemark::bench {

namespace fs = std::filesystem;

std::string name_of(Profiler profiler) {
  switch (profiler) {
    case Profiler::kNone:
      return "none";
    case Profiler::kTidemark:
      return "tidemark";
    case Profiler::kSampled:
      return "tidemark --sample";
    case Profiler::kHeaptrack:
      break;
  }
  return "heaptrack";
}

Workshop::Workshop() : commands_(fs::read_symlink("/proc/self/exe").parent_path()) {}

std::string Workshop::host(const std::string& name) {
  return TIDEMARK_BENCH_HOSTS + name;
}

std::string Workshop::source(const std::string& name) {
  return TIDEMARK_BENCH_SOURCES + name;
}

Command Workshop::under(Profiler profiler, const Command& command, const Command& options) const {
  Command whole;
  if (profiler == Profiler::kTidemark || profiler == Profiler::kSampled) {
    whole = {tool("tidemark"), "record", "-o", trace(profiler)};
    if (profiler == Profiler::kSampled)
      whole.insert(whole.end(), {"--sample", "512KiB"});
    whole.insert(whole.end(), options.begin(), options.end());
    whole.emplace_back("--");
  } else if (profiler == Profiler::kHeaptrack) {
    whole = {"heaptrack", "-o", file("heaptrack")};
  }
  whole.insert(whole.end(), command.begin(), command.end());
  return whole;
}

std::string Workshop::trace(Profiler profiler) const {
  if (profiler == Profiler::kTidemark)
    return file("bench.tmk");
  if (profiler == Profiler::kSampled)
    return file("sampled.tmk");
  // heaptrack compresses with what it finds.
  const std::string zstd = file("heaptrack.zst");
  return fs::exists(zstd) ? zstd : file("heaptrack.gz");
}

std::uint64_t Workshop::trace_bytes(Profiler profiler) const {
  std::error_code missing;
  const std::uint64_t bytes = fs::file_size(trace(profiler), missing);
  return missing ? 0 : bytes;
}

}  // namespace tidemark::bench
