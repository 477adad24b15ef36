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
  /// Of a note and of a phase; else none.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> span_ns{};
  std::optional<trace::TensorId> tensor{};  ///< Of a tensor: which one, whoever else is called so.
  /// Of a tensor and a file their own; of a function what is held through it: see know_held.
  std::uint64_t bytes = 0;
};

/// `function`, `tensor`, ...
const char* word_of(Place::Kind kind);

/// Of one trace. Functions and their lines are those of all stacks, each once, in their order.
std::vector<Place> places_of(const trace::Definitions& definitions,
                             const picture::Subject& subject,
                             const FunctionBytes& functions,
                             std::size_t side);

/// What was written beside one trace.
std::vector<Place> places_of(const Notes& notes, std::size_t side);

/// @param held see FunctionBytes::held, of those that the places of `side` are of.
void know_held(const std::vector<std::uint64_t>& held,
               std::size_t side,
               std::vector<Place>& places);

/// Of what the bytes of functions are: `held at 1.20 s`. See Holders.
std::string held_text(const Moment& moment, std::uint64_t at_ns);

/// Of who holds memory, in one line: `alive at the peak, 1.2 s: 64.0 MiB in 3 blocks`.
/// @param is_as_recorded something is taken away of what is drawn, and not of this.
std::string holders_title(const Holders& holders, bool is_as_recorded);

/// Those whose name or detail holds `wanted`, whatever the case: what is called so comes first,
/// then names with a word that begins with it, then other names; of each of these notes, phases and
/// threads, and then what has most bytes. At most `most`; none where nothing is wanted.
std::vector<const Place*> find_places(const std::vector<Place>& places,
                                      const std::string& wanted,
                                      std::size_t most);

/// What was found, of which one is selected.
class FoundPlaces {
 public:
  /// While the same is wanted, a place that was selected stays so, wherever it has come to stand
  /// among others; until one is, it is the first. `places` stay borrowed until the next call.
  void find(const std::vector<Place>& places, const std::string& wanted, std::size_t most);
  void select(std::size_t index);

  [[nodiscard]] const std::vector<const Place*>& all() const { return found_; }
  [[nodiscard]] std::size_t selected() const { return selected_; }

 private:
  std::string wanted_;
  std::vector<const Place*> found_;
  std::size_t selected_ = 0;
  std::optional<Place> chosen_;  // That was selected; none: the first is.
};

}  // namespace tidemark::gui
