#include "analyzer/layers/footprint_layer.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/text_style.hpp"

#include <algorithm>
#include <string_view>

namespace tidemark::analyzer {

namespace {

/// Both functions get as much space as they need, up to the same limit. If there is little, only
/// the inner one is left, which distinguishes the layers of a line.
std::string fitted_through(const FootprintLayer& layer, std::size_t characters) {
  constexpr std::string_view kThrough = " through ";
  constexpr std::size_t kMinCharacters = 12;  // Kept of either function.
  const TextStyle utf8{.utf8 = true};
  const std::string native = native_text(*layer.native);
  const std::size_t place_begin = std::min(layer.text.rfind("  "), layer.text.size());
  const std::string place = layer.text.substr(place_begin);
  const std::size_t taken = kThrough.size() + width_of(place);
  if (characters < taken + 2 * kMinCharacters) {
    return fit_function(utf8, native, characters);
  }
  const std::size_t room = characters - taken;
  const std::string function = short_name(*layer.frame);
  const std::size_t half = std::max(room / 2, room - std::min(room, width_of(function)));
  const std::string inner = fit_function(utf8, native, half);
  return fit_function(utf8, function, room - width_of(inner)) + std::string(kThrough) + inner +
         place;
}

}  // namespace

std::string FootprintLayer::fitted(std::size_t characters) const {
  const TextStyle utf8{.utf8 = true};
  if (native) {
    return fitted_through(*this, characters);
  }
  return frame ? frame_text(utf8, *frame, characters) : fit_middle(utf8, text, characters);
}

std::string FootprintLayer::short_text(std::size_t characters) const {
  const TextStyle utf8{.utf8 = true};
  if (!frame) {
    return fit_middle(utf8, text, characters);
  }
  if (native) {
    return fit_function(utf8, native_text(*native), characters);
  }
  // `<module>  load.py:12`: every file has one.
  const std::size_t place = frame->function.starts_with('<') ? text.rfind("  ") : std::string::npos;
  return place == std::string::npos ? fit_function(utf8, short_name(*frame), characters)
                                    : fit_middle(utf8, text.substr(place + 2), characters);
}

std::vector<std::string> fitted_texts(const std::vector<FootprintLayer>& layers,
                                      std::size_t characters) {
  const TextStyle utf8{.utf8 = true};
  std::vector<std::string> texts;
  for (const FootprintLayer& layer : layers) {
    texts.push_back(layer.fitted(characters));
  }
  const std::vector<std::string> alone = texts;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto& frame = layers[i].frame;
    const std::size_t place_begin = layers[i].text.rfind("  ");
    if (!frame || layers[i].native || place_begin == std::string::npos ||
        std::ranges::count(alone, alone[i]) < 2) {
      continue;
    }
    const std::string place =
        fit_tail(utf8, layers[i].text.substr(place_begin + 2), characters / 2);
    const std::size_t taken = std::min(width_of(place) + 2, characters);
    texts[i] = fit_function(utf8, short_name(*frame), characters - taken) + "  " + place;
  }
  return texts;
}

std::string nothing_to_layer(LayerGrouping grouping, const std::vector<FootprintLayer>& layers) {
  if (!std::ranges::all_of(layers, &FootprintLayer::is_rest)) {
    return {};
  }
  std::string text = "nothing to layer by " + std::string(grouping_word(grouping));
  switch (grouping) {
    case LayerGrouping::kTensor:
      return text + ": no layer of the model is known to hold 1 % of the peak";
    case LayerGrouping::kPhase:
      return text + ": no phase is known in which 1 % of the peak was allocated";
    case LayerGrouping::kLane:
      return text + ": no lane holds anything";
    default:
      return text + ": no stack is known that holds 1 % of the peak";
  }
}

}  // namespace tidemark::analyzer
