#include "tests/analyzer/golden.hpp"

#include "tests/support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace tidemark::tests {

void check_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(TIDEMARK_TEST_DATA) / "report" / name;
  const char* const update = std::getenv("TIDEMARK_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::ostringstream agreed;
  agreed << std::ifstream(path).rdbuf();
  INFO("to accept the new text: TIDEMARK_UPDATE_GOLDEN=1, then look at the difference in " << path);
  CHECK(agreed.str() == text);
}

}  // namespace tidemark::tests
