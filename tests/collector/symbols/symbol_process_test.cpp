// What a symbol pass apart says to whoever asked for it, and a child that went astray.
#include "collector/symbols/symbol_process.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pthread.h>
#include <unistd.h>

using namespace tidemark;

namespace {

/// What the next child writes into its pipe before it begins, and the descriptor of that.
std::string g_astray;
int g_pipe = -1;

void go_astray() {
  if (!g_astray.empty() && write(g_pipe, g_astray.data(), g_astray.size()) < 0)
    _exit(1);
}

void send_from_next_child(const std::string& message) {
  static const int is_set = pthread_atfork(nullptr, nullptr, go_astray);
  REQUIRE(is_set == 0);
  // The next pipe has the numbers of this one, which are the lowest that are free.
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  close(ends[0]);
  close(ends[1]);
  g_pipe = ends[1];
  const auto length = static_cast<std::uint32_t>(message.size());
  g_astray = std::string(reinterpret_cast<const char*>(&length), sizeof length) + message;
}

std::string number(std::uint64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string text(std::string_view value) {
  return number(value.size()) + std::string(value);
}

/// What is named of one frame of no file.
std::vector<trace::Location> named_apart(SymbolPassEnd& end) {
  const std::vector<trace::Module> modules{{}, {"/nowhere", "", 0}};
  const std::vector<trace::Frame> frames{{trace::ModuleId{1}, 16}};
  std::vector<trace::Location> named;
  end = resolve_symbols_apart(
      modules, frames, every_frame(frames), {},
      [&](trace::FrameId, const std::vector<trace::Location>& locations) { named = locations; });
  g_astray.clear();
  return named;
}

}  // namespace

TEST_CASE("of locations that a symbol pass counts but does not send none is made up", "[symbols]") {
  SymbolPassEnd end;
  send_from_next_child(std::string(1, '\0') + number(0) + number(UINT64_MAX) + text("load") +
                       text("load.cpp") + number(7));

  const auto named = named_apart(end);

  REQUIRE(named.size() == 1);
  CHECK(named[0].function == "load");
  CHECK(named[0].file == "load.cpp");
  CHECK(named[0].line == 7);
  CHECK(end.is_complete);
}

TEST_CASE("progress that nobody asked a symbol pass for is passed over", "[symbols]") {
  SymbolPassEnd end;
  send_from_next_child(std::string(1, '\1') + text("symbols") + number(1) + number(2));
  CHECK(named_apart(end).empty());
  CHECK(end.is_complete);
}
