#include "gui/view/session/find_anything.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/view/timeline/axis_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>
#include <utility>

namespace tidemark::gui {
namespace {

using Kind = Place::Kind;

void add_phases(const picture::Subject& subject, std::size_t side, std::vector<Place>& places) {
  for (const analyzer::Phase& phase : subject.phases) {
    places.push_back({Kind::kPhase, side, phase.name, begin_to_end(phase.begin_ns, phase.end_ns),
                      std::pair(phase.begin_ns, phase.end_ns)});
  }
}

std::string short_name_of(const trace::File& file) {
  return file.path.substr(file.path.find_last_of('/') + 1);
}

/// A tensor without a name, the only one of its file, gets the file's name.
void add_tensors(const trace::Definitions& definitions,
                 std::size_t side,
                 std::vector<Place>& places) {
  for (std::uint32_t i = 0; i < definitions.tensors.size(); ++i) {
    const trace::Tensor& tensor = definitions.tensors[i];
    places.push_back({.kind = Kind::kTensor,
                      .side = side,
                      .name = tensor.name.empty()
                                  ? short_name_of(definitions.files[trace::index(tensor.file)])
                                  : tensor.name,
                      .detail = tensor.type,
                      .tensor = trace::TensorId{i},
                      .bytes = tensor.bytes});
  }
}

void add_files_and_threads(const trace::Definitions& definitions,
                           std::size_t side,
                           std::vector<Place>& places) {
  for (const trace::File& file : definitions.files) {
    places.push_back({.kind = Kind::kFile,
                      .side = side,
                      .name = short_name_of(file),
                      .detail = file.path,
                      .bytes = file.size});
  }
  for (const trace::Thread& thread : definitions.threads) {
    places.push_back({Kind::kThread, side, thread.name.empty() ? "thread" : thread.name,
                      std::to_string(thread.tid)});
  }
}

void add_functions(const FunctionBytes& functions, std::size_t side, std::vector<Place>& places) {
  for (const auto& [name, place] : functions.functions()) {
    places.push_back({.kind = Kind::kFunction, .side = side, .name = name, .detail = place});
  }
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// `read` and `Buffer` in `read_Buffer`, and `Buffer` in `newBuffer`.
bool begins_word(const std::string& name, std::size_t at) {
  const auto is = [&](int (*what)(int), std::size_t i) {
    return what(static_cast<unsigned char>(name[i])) != 0;
  };
  return at == 0 || !is(std::isalnum, at - 1) || (is(std::isupper, at) && is(std::islower, at - 1));
}

/// The lower the better; none: it is not there at all.
std::optional<int> rank_of(const Place& place, const std::string& wanted) {
  const std::string name = lower(place.name);
  if (name == wanted) {
    return 0;
  }
  auto at = name.find(wanted);
  if (at == std::string::npos) {
    return lower(place.detail).find(wanted) == std::string::npos ? std::nullopt : std::optional(3);
  }
  while (at != std::string::npos && !begins_word(place.name, at)) {
    at = name.find(wanted, at + 1);
  }
  return at == std::string::npos ? 2 : 1;
}

/// Memory that ends with its process is listed as alive at the end where single blocks are listed.
std::string ended_text(const EndedUse& ended) {
  if (ended.bytes == 0) {
    return {};
  }
  const std::string who =
      ended.processes == 1
          ? "the end of the program at " + analyzer::format_exact_time(ended.last_ns)
          : "the ends of " + analyzer::format_count(ended.processes) + " processes";
  return fmt::format(", {} gone with {}", analyzer::format_size(ended.bytes), who);
}

}  // namespace

const char* word_of(Place::Kind kind) {
  constexpr std::array kWords{"note", "phase", "tensor", "file", "thread", "function"};
  return kWords.at(static_cast<std::size_t>(kind));
}

std::vector<Place> places_of(const trace::Definitions& definitions,
                             const picture::Subject& subject,
                             const FunctionBytes& functions,
                             std::size_t side) {
  std::vector<Place> places;
  add_phases(subject, side, places);
  add_tensors(definitions, side, places);
  add_files_and_threads(definitions, side, places);
  add_functions(functions, side, places);
  return places;
}

std::vector<Place> places_of(const Notes& notes, std::size_t side) {
  std::vector<Place> places;
  for (const Note& note : notes) {
    places.push_back({Kind::kNote, side, note.text, analyzer::format_time(note.at_ns),
                      std::pair(note.at_ns, note.at_ns)});
  }
  return places;
}

void know_held(const std::vector<std::uint64_t>& held,
               std::size_t side,
               std::vector<Place>& places) {
  auto next = held.begin();
  for (Place& place : places) {
    if (place.kind == Kind::kFunction && place.side == side && next != held.end()) {
      place.bytes = *next++;
    }
  }
}

std::string held_text(const Moment& moment, std::uint64_t at_ns) {
  const std::string at = analyzer::format_time(at_ns);
  if (moment.is_range()) {
    return "allocated from " + begin_to_end(*moment.begin_ns, at_ns);
  }
  return (moment.end_ns ? "held at " : "held at the peak, at ") + at;
}

std::string holders_title(const Holders& holders, bool is_as_recorded) {
  const std::string recorded = is_as_recorded ? "as recorded, " : "";
  const Weight& total = holders.stacks.total;
  if (holders.moment.is_range()) {
    return fmt::format("{}{}, {} to {}: {} given back{}, {} allocated, {} of that kept", recorded,
                       range_text(*holders.moment.begin_ns, holders.at_ns),
                       analyzer::format_size(holders.begin_totals.footprint()),
                       analyzer::format_size(holders.totals.footprint()),
                       analyzer::format_size(total.given_back), ended_text(holders.ended),
                       analyzer::format_size(total.bytes), analyzer::format_size(total.kept()));
  }
  // The time in the words of the legend.
  const std::string when = holders.moment.end_ns
                               ? "at " + analyzer::format_exact_time(holders.at_ns)
                               : "at the peak, " + analyzer::format_time(holders.at_ns);
  std::string text = fmt::format("{}alive {}: {} in {} blocks", recorded, when,
                                 analyzer::format_size(holders.totals.footprint()),
                                 analyzer::format_count(total.blocks));
  if (holders.unattributed_bytes != 0) {
    text += fmt::format("; {} without a stack",
                        analyzer::format_signed_size(holders.unattributed_bytes));
  }
  return text;
}

std::vector<const Place*> find_places(const std::vector<Place>& places,
                                      const std::string& wanted,
                                      std::size_t most) {
  const auto has_bytes = [](Kind kind) {
    return kind == Kind::kTensor || kind == Kind::kFile || kind == Kind::kFunction;
  };
  std::vector<std::tuple<int, bool, std::uint64_t, const Place*>> found;
  const std::string words = lower(wanted);
  for (const Place& place : places) {
    const auto rank = words.empty() ? std::nullopt : rank_of(place, words);
    if (rank) {
      found.emplace_back(*rank, has_bytes(place.kind), ~place.bytes, &place);
    }
  }
  std::ranges::stable_sort(found, {}, [](const auto& one) {
    return std::tuple(std::get<0>(one), std::get<1>(one), std::get<2>(one));
  });
  std::vector<const Place*> best;
  for (std::size_t i = 0; i < std::min(found.size(), most); ++i) {
    best.push_back(std::get<const Place*>(found[i]));
  }
  return best;
}

void FoundPlaces::find(const std::vector<Place>& places,
                       const std::string& wanted,
                       std::size_t most) {
  found_ = find_places(places, wanted, most);
  if (std::exchange(wanted_, wanted) != wanted) {
    chosen_.reset();
  }
  const auto is_chosen = [&](const Place* one) {
    return chosen_ && one->kind == chosen_->kind && one->side == chosen_->side &&
           one->name == chosen_->name && one->detail == chosen_->detail &&
           one->span_ns == chosen_->span_ns && one->tensor == chosen_->tensor;
  };
  const auto same = std::ranges::find_if(found_, is_chosen);
  if (same == found_.end()) {
    selected_ = 0;
    chosen_.reset();
  } else {
    select(static_cast<std::size_t>(same - found_.begin()));
  }
}

void FoundPlaces::select(std::size_t index) {
  selected_ = index;
  chosen_ = index < found_.size() ? std::optional(*found_[index]) : std::nullopt;
}

}  // namespace tidemark::gui
