#include "analyzer/html/theme_css.hpp"

#include "analyzer/picture/drawing/theme.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace tidemark::html {
namespace {

std::string property(std::string_view name, const picture::Colour& colour) {
  const auto byte = [](double part) { return static_cast<int>(std::lround(part * 255)); };
  return fmt::format("--{}:#{:02x}{:02x}{:02x};", name, byte(colour.red), byte(colour.green),
                     byte(colour.blue));
}

std::string lane_properties(const picture::Theme& theme) {
  std::string text;
  for (const trace::LaneInfo& lane : trace::kLanes) {
    text += property(std::string("lane-") + lane.key, theme.lane(lane.lane));
  }
  return text;
}

template <std::size_t kCount>
std::string numbered(std::string_view name, const std::array<picture::Colour, kCount>& colours) {
  std::string text;
  for (std::size_t i = 0; i < kCount; ++i) {
    text += property(fmt::format("{}-{}", name, i), colours[i]);
  }
  return text;
}

std::string properties(const picture::Theme& theme, std::string_view scheme) {
  return fmt::format("color-scheme:{};", scheme) + property("background", theme.background) +
         property("ink", theme.ink) + property("soft", theme.soft) + property("grid", theme.grid) +
         lane_properties(theme) + numbered("rest", theme.rests) + numbered("stays", theme.stays) +
         numbered("goes", theme.goes) + property("footprint", theme.footprint) +
         property("resident", theme.resident) + property("other", theme.other) +
         property("model", theme.model) + property("phase-0", theme.phases[0]) +
         property("phase-1", theme.phases[1]) + property("progress", theme.progress) +
         property("more-text", as_text(theme.more, theme)) +
         property("less-text", as_text(theme.less, theme)) + property("more", theme.more) +
         property("less", theme.less) + property("warning", theme.warning);
}

}  // namespace

std::string theme_css() {
  const std::string light = properties(picture::light_theme(), "light");
  const std::string dark = properties(picture::dark_theme(), "dark");
  return ":root{" + light + "}\n@media (prefers-color-scheme:dark){:root:not([data-theme=light]){" +
         dark + "}}\n:root[data-theme=dark]{" + dark + "}\n@media print{:root:root{" + light +
         "}}\n";
}

}  // namespace tidemark::html
