/// Functions, tensors, files, phases and threads of the traces by name, and where each can be seen.
#pragma once

#include "analyzer/picture/subject.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"
#include "gui/view/session/answers.hpp"
#include "gui/view/session/notes.hpp"
#include "gui/view/trees/function_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

struct Place {
  enum class Kind : std::uint8_t { kNote, kPhase, kTensor, kFile, kThread, kFunction };

  Kind kind = Kind::kFunction;
  std::size_t side = 0;
  std::string name;
  std::string detail;  ///< `loader.cpp:40`, `f32, 4.0 MiB`, `1.2 s to 3.4 s`.
  /// For notes and phases; else none.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> span_ns{};
  std::optional<trace::TensorId> tensor{};  ///< For tensors, as names may repeat.
  /// A tensor's or file's own size; for a function, what is held through it: see know_held.
  std::uint64_t bytes = 0;
};

/// `function`, `tensor`, ...
const char* word_of(Place::Kind kind);

/// Everything in one trace that can be found. Functions and their lines are those of all stacks,
/// each once, in their order.
std::vector<Place> places_of(const trace::Definitions& definitions,
                             const picture::Subject& subject,
                             const FunctionBytes& functions,
                             std::size_t side);

/// The notes of one trace.
std::vector<Place> places_of(const Notes& notes, std::size_t side);

/// Sets the bytes of functions.
/// @param held see FunctionBytes::held, for the functions among the places of `side`.
void know_held(const std::vector<std::uint64_t>& held,
               std::size_t side,
               std::vector<Place>& places);

/// Describes the bytes of functions: `held at 1.20 s`. See Holders.
std::string held_text(const Moment& moment, std::uint64_t at_ns);

/// A title for who holds memory: `alive at the peak, 1.2 s: 64.0 MiB in 3 blocks`.
/// @param is_as_recorded something is taken away from the timeline, but not from `holders`.
std::string holders_title(const Holders& holders, bool is_as_recorded);

/// The places whose name or detail contains `wanted`, ignoring case. Exact names come first, then
/// names with a word that begins with it, then other names; within each of these notes, phases and
/// threads first, then by bytes. At most `most`; none if `wanted` is empty.
std::vector<const Place*> find_places(const std::vector<Place>& places,
                                      const std::string& wanted,
                                      std::size_t most);

/// The places found, one of which is selected.
class FoundPlaces {
 public:
  /// While `wanted` stays the same, so does the selected place, wherever it is now in the list;
  /// until `select` is called it is the first. `places` stay borrowed until the next call.
  void find(const std::vector<Place>& places, const std::string& wanted, std::size_t most);
  void select(std::size_t index);

  [[nodiscard]] const std::vector<const Place*>& all() const { return found_; }
  [[nodiscard]] std::size_t selected() const { return selected_; }

 private:
  std::string wanted_;
  std::vector<const Place*> found_;
  std::size_t selected_ = 0;
  std::optional<Place> chosen_;  // The one selected; none: the first is.
};

}  // namespace tidemark::gui
