#include "tests/analyzer/html/page_data.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <zlib.h>

namespace tidemark::tests {
namespace {

std::string from_base64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned bit_count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const std::size_t digit = kDigits.find(c);
    REQUIRE(digit != std::string_view::npos);
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      bytes += static_cast<char>(bits >> bit_count & 0xffU);
    }
  }
  return bytes;
}

std::string inflated(std::string bytes) {
  z_stream stream{};
  REQUIRE(inflateInit(&stream) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<char, 65536> part{};
  std::string text;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  REQUIRE(state == Z_STREAM_END);
  return text;
}

/// Where its data stands: [begin, end).
std::pair<std::size_t, std::size_t> place_of_data(const std::string& html) {
  constexpr std::string_view kOpen = R"(<script type="application/octet-stream" id="data">)";
  const std::size_t at = html.find(kOpen);
  REQUIRE(at != std::string::npos);
  REQUIRE(html.find(kOpen, at + 1) == std::string::npos);
  const std::size_t begin = at + kOpen.size();
  return {begin, html.find("</script>", begin)};
}

}  // namespace

nlohmann::json page_data(const std::string& html) {
  const auto [begin, end] = place_of_data(html);
  return nlohmann::json::parse(inflated(from_base64(html.substr(begin, end - begin))));
}

std::string page_text(const std::string& html) {
  const auto [begin, end] = place_of_data(html);
  return html.substr(0, begin) + inflated(from_base64(html.substr(begin, end - begin))) +
         html.substr(end);
}

std::vector<std::int64_t> unpacked(const std::string& text) {
  std::vector<std::int64_t> numbers;
  std::uint64_t coded = 0;
  unsigned shift = 0;
  std::int64_t last = 0;
  bool is_run = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto unit = [&text](std::size_t at) { return static_cast<std::uint8_t>(text.at(at)); };
    std::uint32_t character = unit(i);
    if (character >= 0x80) {
      character = (character & 0x1fU) << 6U | (unit(++i) & 0x3fU);
    }
    const std::uint64_t byte = character - (character < 0xa1 ? 0x5dU : 0x7fU);
    REQUIRE(byte < 256);
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
