#include "analyzer/html/documents/diff_document.hpp"

#include "analyzer/diff/diff_rows.hpp"
#include "analyzer/diff/main_change.hpp"
#include "analyzer/html/contents/packed.hpp"
#include "analyzer/picture/alignment.hpp"
#include "analyzer/text/size_text.hpp"

#include <utility>
#include <vector>

namespace tidemark::html {
namespace {

using analyzer::Diff;
using analyzer::Json;

Json rows_json(const std::vector<analyzer::DiffRow>& rows) {
  Json json = Json::array();
  for (const analyzer::DiffRow& row : rows) {
    json.push_back({row.name, row.before, row.after, row.change, row.percent});
  }
  return json;
}

Json stacks_json(const Diff& diff, std::span<const std::uint32_t> nodes) {
  Json json = Json::array();
  for (std::size_t i = 0; i < diff.stacks.size(); ++i) {
    const analyzer::DiffStack& stack = diff.stacks[i];
    json.push_back({{"before", stack.before_bytes},
                    {"after", stack.after_bytes},
                    {"before_blocks", stack.before_blocks},
                    {"after_blocks", stack.after_blocks},
                    {"lane", trace::key_of(stack.lane)},
                    {"note", analyzer::note_on(stack)},
                    {"node", nodes[i]}});
  }
  return json;
}

Json rest_json(const analyzer::DiffRemainder& rest) {
  return {{"stacks", rest.stacks}, {"before", rest.before_bytes}, {"after", rest.after_bytes}};
}

Json phases_json(const Diff& diff) {
  Json json = Json::array();
  for (const analyzer::PhasePair& pair : diff.phases) {
    json.push_back({{"name", analyzer::phase_name(pair)},
                    {"before", pair.before ? Json(pair.before->peak_bytes) : Json()},
                    {"after", pair.after ? Json(pair.after->peak_bytes) : Json()}});
  }
  return json;
}

/// Where the instants of one load are on an axis from 0 to 1, as points with linear pieces between
/// them.
Json warp_json(const picture::Warp& warp) {
  constexpr double kScale = 1e9;
  constexpr std::size_t kMaxWarpKnots = 2000;
  const auto& knots = warp.knots();
  const std::size_t step = knots.size() / kMaxWarpKnots + 1;
  std::vector<std::uint64_t> places;
  std::vector<std::uint64_t> times;
  for (std::size_t i = 0; i < knots.size(); ++i) {
    if (i % step == 0 || i + 1 == knots.size()) {
      places.push_back(static_cast<std::uint64_t>(knots[i].x * kScale));
      times.push_back(knots[i].ns);
    }
  }
  return {{"scale", kScale}, {"x", packed(places)}, {"ns", packed(times)}};
}

/// Has only the alignments that these loads allow.
Json axes_json(std::span<const picture::Subject> subjects) {
  constexpr std::size_t kTicks = 10;
  Json json = Json::object();
  for (const auto& [name, kind] :
       {std::pair("time", picture::Align::kTime), std::pair("phase", picture::Align::kPhase),
        std::pair("bytes", picture::Align::kBytes)}) {
    const auto axis = picture::align(subjects, kind, kTicks);
    if (!axis.ok()) {
      continue;
    }
    Json warps = Json::array();
    for (const picture::Warp& warp : axis.value().warps) {
      warps.push_back(warp_json(warp));
    }
    Json ticks = Json::array();
    for (const picture::AxisTick& tick : axis.value().ticks) {
      ticks.push_back({{"x", tick.x}, {"text", tick.text}});
    }
    json[name] = {{"warps", std::move(warps)},
                  {"ticks", std::move(ticks)},
                  {"caption", axis.value().caption}};
  }
  return json;
}

}  // namespace

Json diff_document(const Diff& diff,
                   std::span<const picture::Subject> subjects,
                   std::span<const std::uint32_t> nodes) {
  return {{"headline", analyzer::headline_of(diff, "→")},
          {"main_change", analyzer::main_change_of(diff)},
          {"warnings", analyzer::warnings_of(diff)},
          {"lanes", rows_json(analyzer::lane_rows(diff))},
          {"load", rows_json(analyzer::load_rows(diff))},
          {"stacks_title", analyzer::stacks_title_of(diff)},
          {"stacks", stacks_json(diff, nodes)},
          {"more", rest_json(diff.more)},
          {"unchanged", rest_json(diff.unchanged)},
          {"unattributed", {diff.before.unattributed_bytes, diff.after.unattributed_bytes}},
          {"phases", phases_json(diff)},
          {"axes", axes_json(subjects)}};
}

}  // namespace tidemark::html
