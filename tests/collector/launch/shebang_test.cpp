#include "collector/launch/shebang.hpp"

#include "tests/support/catch.hpp"

#include <string>

using tidemark::env_target;
using tidemark::kShebangBytes;
using tidemark::parse_shebang;

TEST_CASE("a script's first line names interpreter and one argument", "[shebang]") {
  const auto shebang = parse_shebang("#! \t/bin/sh  -e -x \nrest");
  REQUIRE(shebang);
  CHECK(shebang->interpreter == "/bin/sh");
  CHECK(shebang->argument == "-e -x");
}

TEST_CASE("a script that ends without a newline is still one", "[shebang]") {
  REQUIRE(parse_shebang("#!/bin/sh"));
  CHECK(parse_shebang("#!/bin/sh")->interpreter == "/bin/sh");
}

TEST_CASE("text without a usable first line is no script", "[shebang]") {
  const auto text =
      GENERATE(as<std::string>{}, "", "#", "#!", "#! \n/bin/sh", "echo", " #!/bin/sh");
  CAPTURE(text);
  CHECK_FALSE(parse_shebang(text));
}

TEST_CASE("an interpreter that runs into the kernel's limit is refused", "[shebang]") {
  const std::string path_cut = "#!/" + std::string(kShebangBytes, 'x');
  const std::string argument_cut = "#!/bin/sh " + std::string(kShebangBytes, 'x');
  CHECK_FALSE(parse_shebang(path_cut));
  REQUIRE(parse_shebang(argument_cut));
  CHECK(parse_shebang(argument_cut)->interpreter == "/bin/sh");
}

TEST_CASE("what env starts is known in its plain forms only", "[shebang]") {
  CHECK(env_target({"/usr/bin/env", "python3"}) == "python3");
  CHECK(env_target({"/usr/bin/env", "-S python3 -u"}) == "python3");
  CHECK(env_target({"/usr/bin/env", "-Spython3 -u"}) == "python3");
  CHECK_FALSE(env_target({"/usr/bin/env", "-i python3"}));
  CHECK_FALSE(env_target({"/usr/bin/env", "-S A=1 python3"}));
  CHECK_FALSE(env_target({"/usr/bin/env", ""}));
  CHECK_FALSE(env_target({"/bin/sh", "python3"}));
}
