#include "gui/app/steering/places.hpp"

#include "gui/app/steering/navigation.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::gui {
namespace {

/// With a small margin on both sides.
void bring_into_view(const Desk& desk, double begin, double end) {
  const double margin = std::max((end - begin) * 0.05, 0.02);
  desk.glide.go_to(kept_on_axis({begin - margin, end + margin}));
}

Arrival out_of_memory() {
  return {.message = Message{"out of memory: the block cannot be looked for", true}};
}

}  // namespace

Arrival Way::go_to(const Desk& desk, const Place& place) {
  give_up();
  ViewState& state = desk.state;
  const auto x_of = [&](std::uint64_t ns) { return desk.session.x_of(place.side, ns); };
  switch (place.kind) {
    case Place::Kind::kNote:
      state.side = place.side;
      look_at(desk, x_of(place.span_ns->first));
      return {};
    case Place::Kind::kTensor:
      desk.session.trace(place.side).try_again(Question::kTensors);
      tensor_ = place;
      return settle(desk);
    case Place::Kind::kFunction:
      state.side = place.side;
      state.wanted = place.name;
      return {.pane = Pane::kHolders};
    case Place::Kind::kFile:
    case Place::Kind::kThread:
      state.side = place.side;
      return {.pane = Pane::kActivity};
    case Place::Kind::kPhase:
      state.side = place.side;
      // Shows what was given back, allocated and kept in the phase.
      state.selection = ViewRange{x_of(place.span_ns->first), x_of(place.span_ns->second)};
      bring_into_view(desk, state.selection->begin, state.selection->end);
      return {.pane = Pane::kHolders};
  }
  return {};
}

Arrival Way::go_to_largest(const Desk& desk) {
  give_up();
  desk.session.trace(desk.state.side).try_again(Question::kBlocks);
  largest_ = desk.state.side;
  return settle(desk);
}

Arrival Way::settle(const Desk& desk) {
  if (largest_) {
    OpenTrace& trace = desk.session.trace(*largest_);
    trace.ask_blocks();
    const auto blocks = trace.blocks();
    if (blocks == nullptr && trace.may_answer(Question::kBlocks)) {
      return {};
    }
    desk.state.side = *std::exchange(largest_, std::nullopt);
    if (trace.has_given_up(Question::kBlocks)) {
      return out_of_memory();
    }
    return go_to_largest_of(desk, blocks.get());
  }
  if (tensor_) {
    OpenTrace& trace = desk.session.trace(tensor_->side);
    trace.ask_tensors();
    if (trace.has_given_up(Question::kTensors)) {
      give_up();
      return out_of_memory();
    }
    if (trace.tensors() || !trace.may_answer(Question::kTensors)) {
      return go_to_tensor(desk, *std::exchange(tensor_, std::nullopt));
    }
  } else if (block_) {
    show_life(desk);
  }
  return {};
}

Arrival Way::go_to_tensor(const Desk& desk, const Place& tensor) {
  const auto holders = desk.session.trace(tensor.side).tensors();
  const std::size_t index = trace::index(*tensor.tensor);
  const auto holder = holders && index < holders->size() ? (*holders)[index] : std::nullopt;
  ViewState& state = desk.state;
  state.side = tensor.side;
  state.block.reset();
  if (!holder) {
    return {.pane = Pane::kBlocks, .message = Message{"no block is known to hold " + tensor.name}};
  }
  look_at_ns(desk, holder->at_ns);
  if (holder->is_mapping) {
    return {.pane = Pane::kBlocks,
            .message = Message{"no block holds " + tensor.name + ": its file is mapped"}};
  }
  return pin(desk, holder->allocation);
}

/// @param blocks null: they cannot be read.
Arrival Way::go_to_largest_of(const Desk& desk, const BlockList* blocks) {
  const std::uint64_t peak_ns = desk.chosen().subject().peak_at.at_ns;
  const LongBlock* const largest = blocks == nullptr ? nullptr : largest_at(*blocks, peak_ns);
  if (largest == nullptr) {
    return {.message = Message{"no block is known to be there at the peak"}};
  }
  desk.state.block.reset();
  look_at_ns(desk, peak_ns);
  return pin(desk, largest->allocation);
}

/// Pins the block; show_life then brings its life into view.
Arrival Way::pin(const Desk& desk, std::uint64_t allocation) {
  // The whole size axis, since the block may be anywhere in it.
  desk.state.height = 1;
  block_ = allocation;
  from_ = desk.glide.goal();
  // Clears the message about another block.
  return {.pane = Pane::kBlocks, .message = Message{}, .block = block_};
}

/// Brings the block's life into view, unless the view or the pinned block has changed meanwhile.
void Way::show_life(const Desk& desk) {
  const bool is_wanted = desk.state.block == block_ && desk.glide.goal() == from_;
  OpenTrace& trace = desk.chosen();
  trace.ask_story(*block_);
  const auto story = trace.story();
  if (is_wanted && story) {
    const std::uint64_t last_ns = trace.subject().duration_ns;
    bring_into_view(desk, desk.session.x_of(desk.state.side, story->begin_ns),
                    desk.session.x_of(desk.state.side, std::min(story->end_ns, last_ns)));
  }
  if (!is_wanted || story || !trace.may_answer(Question::kStory)) {
    give_up();
  }
}

}  // namespace tidemark::gui
