#include "analyzer/cli/shared/shell_words.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark;
using Words = std::vector<std::string>;

namespace {

Words words(const std::string& text) {
  const auto result = cli::words_of_command(text);
  REQUIRE(result.ok());
  return result.value();
}

bool needs_a_shell(const std::string& text) {
  return words(text) == Words{"/bin/sh", "-c", text};
}

}  // namespace

TEST_CASE("a command is split at blanks", "[cli]") {
  CHECK(words("./load model.bin") == Words{"./load", "model.bin"});
  CHECK(words("  ./load\t-x   --y=z ") == Words{"./load", "-x", "--y=z"});
}

TEST_CASE("quotes and backslashes keep words together", "[cli]") {
  CHECK(words("load 'my model.bin' \"and another\"") ==
        Words{"load", "my model.bin", "and another"});
  CHECK(words("load my\\ model") == Words{"load", "my model"});
  CHECK(words("load a'b c'\"d e\"f") == Words{"load", "ab cd ef"});
  CHECK(words("load '' \"\"") == Words{"load", "", ""});
  CHECK(words("python3 -c 'print(\"$x\" * 2)'") == Words{"python3", "-c", "print(\"$x\" * 2)"});
}

TEST_CASE("in double quotes a backslash escapes what a shell would read", "[cli]") {
  CHECK(words(R"(load "a\"b" "c\\d" "e\nf" "g\$h")") ==
        Words{"load", "a\"b", "c\\d", "e\\nf", "g$h"});
}

TEST_CASE("what is quoted is no shell's business", "[cli]") {
  CHECK(words("load '*' \\| '>' \\~") == Words{"load", "*", "|", ">", "~"});
  CHECK(words("'cd' x") == Words{"cd", "x"});
  CHECK(words("load a~b c#d e=f") == Words{"load", "a~b", "c#d", "e=f"});
}

TEST_CASE("what only a shell can do is left to one", "[cli]") {
  for (const char* text :
       {"load $MODEL", "load \"$MODEL\"", "load `pwd`", "load *.bin", "load m?.bin", "load [ab]",
        "cat m | load", "load > log", "load < m", "load; load", "load && load", "load &", "(load)",
        "load ~/m.bin", "THREADS=1 load", "cd x", "exec load", "load # fast", "load\nload"}) {
    CAPTURE(text);
    CHECK(needs_a_shell(text));
  }
}

TEST_CASE("a command without a word, or with an open quote, is refused", "[cli]") {
  for (const char* text : {"", "   ", "load 'a", "load \"a", "load a\\"}) {
    CAPTURE(text);
    const auto result = cli::words_of_command(text);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == ErrorCode::kUsage);
  }
}
