// window_model TRACE...: opens traces as the window does, without a window, asks for all that it
// shows, and prints a line of what came; errors as tidemark prints them.
#include "analyzer/io/out_of_memory.hpp"
#include "gui/view/session/session.hpp"

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace tidemark;

constexpr auto kBy = analyzer::LayerGrouping::kFunction;

void wait_for(gui::Session& session) {
  while (!session.is_idle()) {
    std::this_thread::yield();
  }
  session.update();
}

void ask_for_layers(gui::Session& session) {
  constexpr std::size_t kColumns = 400;
  std::vector<std::vector<picture::StackedColumn>> columns;
  for (std::size_t side = 0; side < session.size(); ++side) {
    columns.push_back(
        session.trace(side).columns_at_hand(session.axis().warps[side], {}, kColumns));
  }
  session.bands(kBy, columns, {}, {}, kColumns, picture::light_theme());
}

void ask_for_everything(gui::Session& session) {
  for (std::size_t side = 0; side < session.size(); ++side) {
    gui::OpenTrace& trace = session.trace(side);
    trace.columns(session.axis().warps[side], {}, {}, 400);
    trace.ask_holders({});
    trace.ask_blocks();
    trace.ask_activity();
  }
  wait_for(session);
  ask_for_layers(session);
  wait_for(session);
}

int fail(const std::string& sentence) {
  std::fprintf(stderr, "tidemark: %s\n", sentence.c_str());
  return 2;
}

int show(const std::vector<std::string>& paths) {
  auto opened = gui::Session::open(paths, {}, [] {});
  if (!opened.ok()) {
    return fail(opened.error().message);
  }
  gui::Session& session = *opened.value();
  ask_for_everything(session);
  for (std::size_t side = 0; side < session.size(); ++side) {
    const gui::OpenTrace& trace = session.trace(side);
    if (!trace.error().empty()) {
      return fail(trace.error());
    }
    if (trace.has_given_up_any()) {
      return fail("out of memory: not all that was asked for can be shown");
    }
    std::printf("%zu stacks, %zu blocks, %zu threads\n", trace.holders()->stacks.stacks.size(),
                trace.blocks()->blocks.size(), trace.activity()->threads.size());
  }
  const auto layers = session.layers(kBy);
  if (layers == nullptr) {
    return fail(session.no_layers_text(kBy));
  }
  std::printf("%zu layers\n", layers->size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  analyzer::end_with_a_sentence("tidemark");
  try {
    return show(std::vector<std::string>(argv + 1, argv + argc));
  } catch (...) {
    return analyzer::fail_by_exception();
  }
}
