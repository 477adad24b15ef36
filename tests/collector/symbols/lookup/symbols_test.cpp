#include "collector/symbols/lookup/symbols.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using tidemark::Symbolizer;
using tidemark::tests::TemporaryFolder;
using tidemark::trace::Location;

namespace {

std::string example(const std::string& name) {
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
std::map<std::string, std::uint64_t> reported_by(const std::string& program) {
  std::map<std::string, std::uint64_t> places;
  std::istringstream lines(output_of(program));
  std::string name;
  for (std::uint64_t offset = 0; lines >> name >> std::hex >> offset;) {
    places[name] = offset;
  }
  return places;
}

std::map<std::string, std::uint64_t> places_in(const std::string& program) {
  const auto places = reported_by(program);
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
  if (names == "clang" && !std::filesystem::exists(example(names))) {
    SKIP_TEST("no clang++ here");
    names = "pie";
  }
  return example(names);
}

}  // namespace

TEST_CASE("a call is located in its function, file and line", "[symbols]") {
  const auto program = a_host_with_debug_information();
  CAPTURE(program);
  const auto places = places_in(program);

  const auto plain = Symbolizer(program).locate(places.at("plain"));
  REQUIRE(plain.size() == 1);
  check_place(plain[0], "places::plain(int)", "plain");
  const auto exported = Symbolizer(program).locate(places.at("exported"));
  REQUIRE(exported.size() == 1);
  check_place(exported[0], "plain_c_function", "exported");
  const auto constructor = Symbolizer(program).locate(places.at("constructor"));
  REQUIRE(constructor.size() == 1);
  check_place(constructor[0], "places::Loader::Loader(int)", "constructor");
}

TEST_CASE("inlined calls come innermost first, each outer one at its call", "[symbols]") {
  const auto program = a_host_with_debug_information();
  CAPTURE(program);

  const auto chain = Symbolizer(program).locate(places_in(program).at("inlined"));

  REQUIRE(chain.size() == 3);
  check_place(chain[0], "places::innermost(int)", "innermost");
  check_place(chain[1], "places::middle(int)", "middle");
  check_place(chain[2], "places::outermost(int)", "outermost");
}

TEST_CASE("what is local to a file is named by its scopes", "[symbols]") {
  const auto program = a_host_with_debug_information();
  CAPTURE(program);
  const auto places = places_in(program);

  const auto hidden = Symbolizer(program).locate(places.at("hidden"));
  REQUIRE(hidden.size() == 1);
  // Without symbols, as in "linked" files, g++ leaves the parameters out.
  CHECK_THAT(hidden[0].function, Catch::StartsWith("places::(anonymous namespace)::hidden"));
  CHECK(hidden[0].line == line_of("hidden"));
  const auto lambda = Symbolizer(program).locate(places.at("lambda"));
  REQUIRE(lambda.size() == 1);
  CHECK_THAT(lambda[0].function, Catch::StartsWith("places::with_lambda"));
  CHECK_THAT(lambda[0].function, Catch::Contains("::operator()"));
  CHECK(lambda[0].line == line_of("lambda"));
}

TEST_CASE("every byte of a program is located as addr2line locates it", "[symbols]") {
  const auto program = example(GENERATE(as<std::string>{}, "pie", "no_pie", "dwarf4", "relative"));
  const std::uint64_t middle = places_in(program).at("plain");
  std::size_t compared = 0;
  for (std::uint64_t address = middle - 200; address < middle + 200; address += 3) {
    const std::string expected = addr2line(program, address);
    // Between functions it knows nothing, where we may have a symbol.
    if (expected.find('?') == std::string::npos) {
      CAPTURE(address);
      REQUIRE(places_text(Symbolizer(program).locate(address + 1)) == expected);
      ++compared;
    }
  }
  CHECK(compared > 50);
}

TEST_CASE("a stripped program still names what it exports, and invents nothing else", "[symbols]") {
  const auto places = places_in(example("stripped"));

  const auto exported = Symbolizer(example("stripped")).locate(places.at("exported"));
  REQUIRE(exported.size() == 1);
  CHECK(exported[0].function == "plain_c_function");
  CHECK(exported[0].file.empty());
  CHECK(exported[0].line == 0);
  CHECK(Symbolizer(example("stripped")).locate(places.at("hidden")).empty());
}

TEST_CASE("a file that was replaced since the run is not asked", "[symbols]") {
  const auto offset = places_in(example("pie")).at("plain");
  const std::string build_id = Symbolizer::build_id(example("pie"));

  REQUIRE(build_id.size() == 40);
  CHECK(Symbolizer::build_id(example("stripped")) == build_id);
  CHECK(Symbolizer::build_id(example("dwarf4")) != build_id);
  CHECK_FALSE(Symbolizer(example("pie"), build_id).locate(offset).empty());
  CHECK(Symbolizer(example("dwarf4"), build_id).locate(offset).empty());
}

TEST_CASE("a debug file of another build is not taken for this one's", "[symbols]") {
  const TemporaryFolder folder;
  const std::string program = folder.copy_of(example("linked"), "linked");
  folder.copy_of(example("dwarf4"), "linked.debug");

  CHECK(Symbolizer(program).locate(places_in(example("linked")).at("hidden")).empty());
  CHECK_FALSE(
      Symbolizer(example("linked")).locate(places_in(example("linked")).at("hidden")).empty());
}

TEST_CASE("a symbol reaches as far as it says, or to the next one", "[symbols]") {
  const auto program = example("assembly");
  const auto places = reported_by(program);
  REQUIRE(places.size() == 4);
  const auto name_at = [&](const std::string& place, std::uint64_t distance) {
    const auto locations = Symbolizer(program).locate(places.at(place) + distance + 1);
    return locations.empty() ? std::string() : locations[0].function;
  };

  CHECK(name_at("sizeless_first", 0) == "sizeless_first");
  CHECK(name_at("sizeless_first", 99) == "sizeless_first");
  CHECK(name_at("sized_between", 0) == "sized_between");
  CHECK(name_at("sized_between", 9) == "sized_between");
  CHECK(name_at("sized_between", 10).empty());
  CHECK(name_at("sized_between", 99).empty());
  CHECK(name_at("twins", 3) == "twin_short");
  CHECK(name_at("twins", 4) == "twin_long");
  CHECK(name_at("twins", 64).empty());
  CHECK(name_at("sizeless_last", 4095) == "sizeless_last");
  CHECK(name_at("sizeless_last", 4096).empty());
}

TEST_CASE("many offsets at once are located as each alone", "[symbols]") {
  const auto program =
      example(GENERATE(as<std::string>{}, "assembly", "pie", "no_symbols", "split"));
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t offset = 0; offset < 0x4000; offset += 0x17) {
    offsets.push_back(offset);
  }
  const auto together = Symbolizer(program).locate(offsets);
  REQUIRE(together.size() == offsets.size());
  for (std::size_t i = 0; i < offsets.size(); i += 5) {
    CAPTURE(program, offsets[i]);
    const auto alone = Symbolizer(program).locate(offsets[i]);
    REQUIRE(places_text(together[i]) == places_text(alone));
    REQUIRE((alone.empty() ? "" : alone[0].function) ==
            (together[i].empty() ? "" : together[i][0].function));
  }
}
