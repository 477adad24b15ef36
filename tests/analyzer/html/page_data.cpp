#include "tests/analyzer/html/page_data.hpp"

#include "tests/support/catch.hpp"

#include <string_view>

namespace tidemark::tests {

nlohmann::json page_data(const std::string& html) {
  constexpr std::string_view kOpen = R"(<script type="application/json" id="data">)";
  const std::size_t at = html.find(kOpen);
  REQUIRE(at != std::string::npos);
  REQUIRE(html.find(kOpen, at + 1) == std::string::npos);
  const std::size_t begin = at + kOpen.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

std::vector<std::int64_t> unpacked(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::int64_t> numbers;
  std::uint64_t bits = 0;
  unsigned bit_count = 0;
  std::uint64_t coded = 0;
  unsigned shift = 0;
  std::int64_t last = 0;
  bool is_run = false;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6U | kDigits.find(c);
    bit_count += 6;
    if (bit_count < 8) {
      continue;
    }
    bit_count -= 8;
    const std::uint64_t byte = bits >> bit_count & 0xffU;
    coded |= (byte & 0x7fU) << shift;
    shift += 7;
    if (byte < 0x80) {
      if (is_run) {
        numbers.insert(numbers.end(), coded, last);
      } else {
        last += static_cast<std::int64_t>(coded >> 1U ^ (0 - (coded & 1U)));
        numbers.push_back(last);
      }
      is_run = !is_run && coded == 0;
      coded = shift = 0;
    }
  }
  return numbers;
}

}  // namespace tidemark::tests
