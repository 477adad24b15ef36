#include "collector/symbols.hpp"

#include "tests/collector/scratch_folder.hpp"

#include <catch2/catch.hpp>

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using tidemark::Symbolizer;
using tidemark::trace::Location;

namespace {

std::string host(const std::string& name) {
  return TIDEMARK_HOSTS + name;
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::string text;
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe.get())) != EOF;) {
    text += static_cast<char>(c);
  }
  return text;
}

/// Runs a host; the return address of each call that it reports, by the call's name.
std::map<std::string, std::uint64_t> places_in(const std::string& program) {
  std::map<std::string, std::uint64_t> places;
  std::istringstream lines(output_of(program));
  std::string name;
  for (std::uint64_t offset = 0; lines >> name >> std::hex >> offset;) {
    places[name] = offset;
  }
  REQUIRE(places.size() == 6);
  return places;
}

std::uint32_t line_of(const std::string& label) {
  std::ifstream source(TIDEMARK_PLACES_SOURCE);
  std::uint32_t number = 1;
  for (std::string line; std::getline(source, line); ++number) {
    if (line.ends_with("// label: " + label)) {
      return number;
    }
  }
  FAIL("no label " << label);
  return 0;
}

void check_place(const Location& location, const std::string& function, const std::string& label) {
  CHECK(location.function == function);
  CHECK(std::string_view(location.file).ends_with("hosts/call_places.cpp"));
  CHECK(location.line == line_of(label));
}

std::string places_text(const std::vector<Location>& locations) {
  std::string text;
  for (const Location& location : locations) {
    text += location.file + ":" + std::to_string(location.line) + "\n";
  }
  return text;
}

/// One "FILE:LINE" for each function, innermost first.
std::string addr2line(const std::string& program, std::uint64_t address) {
  std::ostringstream command;
  command << "addr2line -i -e " << program << " 0x" << std::hex << address;
  // A discriminator tells blocks of one line apart. Nobody reads it.
  return output_of(command.str() + " | sed 's/ (discriminator.*//'");
}

/// All hosts whose debug information is there, however it is stored.
std::string a_host_with_debug_information() {
  auto names = GENERATE(as<std::string>{}, "pie", "no_pie", "dwarf4", "split", "lto", "no_aranges",
                        "no_symbols", "linked", "clang");
  if (names == "clang" && !std::filesystem::exists(host(names))) {
    WARN("SKIPPED: no clang++ here");
    names = "pie";
  }
  return host(names);
}

}  // namespace

TEST_CASE("a call is located in its function, file and line", "[symbols]") {
  const auto program = a_host_with_debug_information();
  CAPTURE(program);
  const auto places = places_in(program);
  Symbolizer symbolizer;

  const auto plain = symbolizer.locate(program, places.at("plain"));
  REQUIRE(plain.size() == 1);
  check_place(plain[0], "places::plain(int)", "plain");
  const auto exported = symbolizer.locate(program, places.at("exported"));
  REQUIRE(exported.size() == 1);
  check_place(exported[0], "plain_c_function", "exported");
  const auto constructor = symbolizer.locate(program, places.at("constructor"));
  REQUIRE(constructor.size() == 1);
  check_place(constructor[0], "places::Loader::Loader(int)", "constructor");
}

TEST_CASE("inlined calls come innermost first, each outer one at its call", "[symbols]") {
  const auto program = a_host_with_debug_information();
  CAPTURE(program);
  Symbolizer symbolizer;

  const auto chain = symbolizer.locate(program, places_in(program).at("inlined"));

  REQUIRE(chain.size() == 3);
  check_place(chain[0], "places::innermost(int)", "innermost");
  check_place(chain[1], "places::middle(int)", "middle");
  check_place(chain[2], "places::outermost(int)", "outermost");
}

TEST_CASE("what is local to a file is named by its scopes", "[symbols]") {
  const auto program = a_host_with_debug_information();
  CAPTURE(program);
  const auto places = places_in(program);
  Symbolizer symbolizer;

  const auto hidden = symbolizer.locate(program, places.at("hidden"));
  REQUIRE(hidden.size() == 1);
  // Without symbols, as in "linked" files, g++ leaves the parameters out.
  CHECK_THAT(hidden[0].function, Catch::StartsWith("places::(anonymous namespace)::hidden"));
  CHECK(hidden[0].line == line_of("hidden"));
  const auto lambda = symbolizer.locate(program, places.at("lambda"));
  REQUIRE(lambda.size() == 1);
  CHECK_THAT(lambda[0].function, Catch::StartsWith("places::with_lambda"));
  CHECK_THAT(lambda[0].function, Catch::Contains("::operator()"));
  CHECK(lambda[0].line == line_of("lambda"));
}

TEST_CASE("every byte of a program is located as addr2line locates it", "[symbols]") {
  const auto program = host(GENERATE(as<std::string>{}, "pie", "no_pie", "dwarf4"));
  const std::uint64_t middle = places_in(program).at("plain");
  Symbolizer symbolizer;
  std::size_t compared = 0;
  for (std::uint64_t address = middle - 200; address < middle + 200; address += 3) {
    const std::string expected = addr2line(program, address);
    // Between functions it knows nothing, where we may have a symbol.
    if (expected.find('?') == std::string::npos) {
      CAPTURE(address);
      REQUIRE(places_text(symbolizer.locate(program, address + 1)) == expected);
      ++compared;
    }
  }
  CHECK(compared > 50);
}

TEST_CASE("a stripped program still names what it exports, and invents nothing else", "[symbols]") {
  const auto places = places_in(host("stripped"));
  Symbolizer symbolizer;

  const auto exported = symbolizer.locate(host("stripped"), places.at("exported"));
  REQUIRE(exported.size() == 1);
  CHECK(exported[0].function == "plain_c_function");
  CHECK(exported[0].file.empty());
  CHECK(exported[0].line == 0);
  CHECK(symbolizer.locate(host("stripped"), places.at("hidden")).empty());
}

TEST_CASE("a file that was replaced since the run is not asked", "[symbols]") {
  const auto offset = places_in(host("pie")).at("plain");
  Symbolizer symbolizer;
  const std::string build_id = Symbolizer::build_id(host("pie"));

  REQUIRE(build_id.size() == 40);
  CHECK(Symbolizer::build_id(host("stripped")) == build_id);
  CHECK(Symbolizer::build_id(host("dwarf4")) != build_id);
  CHECK_FALSE(symbolizer.locate(host("pie"), offset, build_id).empty());
  CHECK(symbolizer.locate(host("dwarf4"), offset, build_id).empty());
}

TEST_CASE("a debug file of another build is not taken for this one's", "[symbols]") {
  const ScratchFolder folder;
  const std::string program = folder.copy_of(host("linked"), "linked");
  folder.copy_of(host("dwarf4"), "linked.debug");
  Symbolizer symbolizer;

  CHECK(symbolizer.locate(program, places_in(host("linked")).at("hidden")).empty());
  CHECK_FALSE(symbolizer.locate(host("linked"), places_in(host("linked")).at("hidden")).empty());
}
