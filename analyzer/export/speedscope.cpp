#include "analyzer/export/speedscope.hpp"

#include "analyzer/export/parts/json_text.hpp"
#include "analyzer/export/stacks/stack_tree.hpp"
#include "analyzer/report/parts/json_document.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <string_view>

namespace tidemark::exports {
namespace {

using Value = std::function<std::uint64_t(const StackValues&)>;

struct Measure {
  std::string name;
  Value value;
};

std::vector<Measure> measures_of(const StackTable& table) {
  const auto kept = [](const StackValues& values) { return values.bytes; };
  const std::string until = analyzer::format_time(table.at_ns);
  if (!table.since_ns) {
    return {{" at " + until, kept}};
  }
  const std::string range = " from " + analyzer::format_time(*table.since_ns) + " to " + until;
  return {{" kept" + range, kept},
          {" allocated" + range, [](const StackValues& values) { return values.allocated_bytes; }},
          {" freed" + range, [](const StackValues& values) { return values.freed_bytes(); }}};
}

void append_separator(std::string& text) {
  if (!text.empty()) {
    text += ',';
  }
}

/// The names on the way from the root to a node, as a list of numbers.
std::string path_of(const StackTree& tree, std::uint32_t id) {
  std::vector<std::uint32_t> path;
  for (const TreeNode* node = &tree.nodes()[id]; node->depth > 0;
       node = &tree.nodes()[node->parent]) {
    path.push_back(node->name);
  }
  return fmt::format("[{}]", fmt::join(path.rbegin(), path.rend(), ","));
}

struct Profile {
  std::uint64_t bytes = 0;
  std::string json;
};

Profile profile_of(const StackTree& tree, trace::Lane lane, const Measure& measure) {
  std::string samples;
  std::string weights;
  std::uint64_t sum = 0;
  for (const std::uint32_t id : tree.depth_first()) {
    const std::uint64_t bytes = measure.value(tree.nodes()[id].self);
    if (bytes == 0) {
      continue;
    }
    append_separator(samples);
    samples += path_of(tree, id);
    append_separator(weights);
    weights += std::to_string(bytes);
    sum += bytes;
  }
  return {sum,
          fmt::format(R"({{"type":"sampled","name":{},"unit":"bytes","startValue":0,"endValue":{},)"
                      R"("samples":[{}],"weights":[{}]}})",
                      json_string(trace::key_of(lane) + measure.name), sum, samples, weights)};
}

std::string frames_json(const FrameNames& names) {
  std::string frames;
  for (std::uint32_t id = 0; id < names.size(); ++id) {
    const analyzer::NamedFrame& name = names[id];
    append_separator(frames);
    fmt::format_to(std::back_inserter(frames), R"({{"name":{})", json_string(name.function));
    const std::string& file = name.file.empty() ? name.module : name.file;
    if (!file.empty()) {
      frames += R"(,"file":)" + json_string(file);
    }
    if (name.line != 0) {
      fmt::format_to(std::back_inserter(frames), R"(,"line":{})", name.line);
    }
    frames += '}';
  }
  return frames;
}

}  // namespace

std::string speedscope_json(const trace::Definitions& definitions,
                            const StackTable& table,
                            double smallest_share) {
  FrameNames names(definitions, Reading::kModule);
  const auto measures = measures_of(table);
  std::string profiles;
  for (const trace::Lane lane : trace::kShownLanes) {
    StackTree tree = tree_of_lane(table, lane, names);
    tree.fold(smallest_share);
    for (const Measure& measure : measures) {
      const Profile profile = profile_of(tree, lane, measure);
      if (profile.bytes > 0) {
        append_separator(profiles);
        profiles += profile.json;
      }
    }
  }
  if (profiles.empty()) {  // The viewer refuses a file without one.
    profiles = profile_of(StackTree(names), trace::kShownLanes[0], measures[0]).json;
  }
  return fmt::format(R"({{"$schema":"https://www.speedscope.app/file-format-schema.json",)"
                     R"("exporter":"tidemark","name":{},"activeProfileIndex":0,)"
                     R"("shared":{{"frames":[{}]}},"profiles":[{}]}})"
                     "\n",
                     json_string(fmt::format("{}", fmt::join(definitions.session.command, " "))),
                     frames_json(names), profiles);
}

}  // namespace tidemark::exports
