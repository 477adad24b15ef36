#include "reference_loaders/nntrainer/ini.hpp"

#include "reference_loaders/bad_input.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;
using namespace tidemark::loaders::nntrainer;

namespace {

Ini parsed(const std::string& text) {
  return parse_ini(text, "a.ini");
}

}  // namespace

TEST_CASE("a description is sections of keys and values in their order", "[nntrainer][ini]") {
  const Ini ini = parsed("[One]\nA = 1\r\n\n  b=two words \n[Two]\n");

  REQUIRE(ini.sections.size() == 2);
  CHECK(ini.sections[0].name == "one");
  CHECK(ini.sections[0].find("a")->text == "1");
  CHECK(ini.sections[0].find("b")->text == "two words");
  CHECK(ini.sections[0].find("c") == nullptr);
  CHECK(ini.sections[1].name == "two");
}

TEST_CASE("comments are left out, wherever they begin", "[nntrainer][ini]") {
  const Ini ini = parsed("# first\n[one] ; second\na = 1 # third\n;b = 2\n");

  CHECK(ini.find("one")->find("a")->text == "1");
  CHECK(ini.find("one")->values.size() == 1);
}

TEST_CASE("a value knows the offset of its line", "[nntrainer][ini]") {
  CHECK(parsed("[one]\na = 1\n").sections[0].find("a")->offset == 6);
}

TEST_CASE("what is written is read back as it was", "[nntrainer][ini]") {
  const std::string text = ini_text(parsed("[one]\na=1\nb = x:y\n[two]\nc=\n"));

  CHECK(text == "[one]\na = 1\nb = x:y\n\n[two]\nc = \n");
  CHECK(ini_text(parsed(text)) == text);
}

TEST_CASE("each wrong line is named with its offset", "[nntrainer][ini]") {
  struct Wrong {
    const char* text;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>(
      {{"a = 1\n", "a.ini, offset 0: a value comes before the first section"},
       {"[one]\nnothing\n", "a.ini, offset 6: 'nothing' is neither a section nor 'key = value'"},
       {"[one]\n= 1\n", "'= 1' is neither"},
       {"[one\n", "'[one' is not the name of a section"},
       {"[]\n", "'[]' is not the name of a section"},
       {"[", "'[' is not the name of a section"},
       {"[one]\n[ONE]\n", "offset 6: the section 'one' is there twice"},
       {"[one]\na=1\nA=2\n", "offset 10: the section 'one' has the key 'a' twice"}}));

  CHECK_THROWS_WITH(parsed(wrong.text), Catch::Contains(wrong.says));
}

TEST_CASE("a description is no longer than one can be", "[nntrainer][ini]") {
  std::string sections;
  std::string values = "[one]\n";
  for (int i = 0; i < 5000; ++i) {
    sections += "[s" + std::to_string(i) + "]\n";
    values += "k" + std::to_string(i) + "=1\n";
  }

  CHECK_THROWS_WITH(parsed(sections), Catch::Contains("more than 4096 sections"));
  CHECK_THROWS_WITH(parsed(values), Catch::Contains("more than 64 values"));
  CHECK_THROWS_WITH(parsed(std::string(kMaxIniBytes + 1, '\n')), Catch::Contains("too many"));
}

TEST_CASE("a file that is too long is refused before it is read", "[nntrainer][ini]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("long.ini");
  test::write_file(file, "");
  std::filesystem::resize_file(file, std::uint64_t{1} << 40);

  CHECK_THROWS_WITH(read_ini_file(file), Catch::Contains("too many"));
  CHECK_THROWS_AS(read_ini_file(directory.file("missing")), BadInput);
  CHECK_THROWS_WITH(read_ini_file("/dev/zero"), Catch::Contains("not a regular file"));
}
