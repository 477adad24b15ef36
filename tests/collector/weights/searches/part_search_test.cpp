// Bytes that were seen anywhere are found in a file as they are there, narrower or turned round.
#include "collector/weights/searches/part_search.hpp"

#include "collector/weights/value_forms.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;
using weights::PartSearch;
using weights::Probe;
using weights::ValueForm;

namespace {

constexpr std::size_t kGaussians = 512 * 1024;  // More than a piece of the file.

std::vector<float> gaussians() {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> floats(kGaussians);
  for (float& value : floats)
    value = normal(random);
  return floats;
}

/// So many bytes in front of them.
std::optional<PartSearch::Place> place_of(std::span<const std::byte> in_file,
                                          const Probe& probe,
                                          std::size_t before = 0,
                                          bool may_be_big_endian = false) {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights");
  std::ofstream(path, std::ios::binary)
      << std::string(before, 'h')
      << std::string(reinterpret_cast<const char*>(in_file.data()), in_file.size());
  weights::PlainFile file;
  file.file = open_regular_file(path);
  file.size = before + in_file.size();
  file.shifts = {before % 4};
  weights::WordPlaces words;
  PartSearch search(words, may_be_big_endian);
  search.want(probe);
  words.read(file);
  search.note_read(file);
  const auto places = search.find(probe);
  return places.empty() ? std::nullopt : std::optional(places.front());
}

Probe probe_of(std::span<const std::byte> bytes, std::size_t at) {
  Probe probe;
  std::ranges::copy(bytes.subspan(at, probe.size()), probe.begin());
  return probe;
}

}  // namespace

TEST_CASE("a probe is found where its bytes are in the file", "[weights]") {
  const auto floats = gaussians();
  const auto bytes = std::as_bytes(std::span(floats));
  const std::size_t before = GENERATE(0U, 1001U);
  const std::size_t at = GENERATE(0U, 4U, (1U << 20U) - 64U, 4U * kGaussians - 128U);
  CAPTURE(before, at);

  const auto place = place_of(bytes, probe_of(bytes, at), before);

  REQUIRE(place);
  CHECK(place->offset == before + at);
  CHECK(place->times() == 1);
  CHECK(place->conversion.type.empty());
}

TEST_CASE("a probe that differs from the file in its last byte is not found", "[weights]") {
  const auto floats = gaussians();
  const auto bytes = std::as_bytes(std::span(floats));
  Probe probe = probe_of(bytes, 4096);
  probe.back() ^= std::byte{1};

  CHECK_FALSE(place_of(bytes, probe));
}

TEST_CASE("a probe of a wider type is found where its elements are in the file", "[weights]") {
  const auto form = GENERATE(ValueForm::kBf16, ValueForm::kF16);
  const std::string_view type = weights::form_type(form);
  const auto numbers = gaussians();
  const auto halves = weights::convert("f32", std::as_bytes(std::span(numbers)), form);
  const auto floats = weights::convert(type, halves, ValueForm::kF32);
  const std::size_t element = GENERATE(1000U, 1001U);  // At a word's beginning, and inside one.
  CAPTURE(type, element);

  const auto place = place_of(halves, probe_of(floats, element * sizeof(float)));

  REQUIRE(place);
  CHECK(place->offset == 2 * element);
  CHECK(place->times() == 2);
  CHECK(place->conversion.type == "f32");
  CHECK(place->conversion.file_type == type);
}

TEST_CASE("big-endian elements are found where a file may have them", "[weights]") {
  auto floats = gaussians();
  const Probe probe = probe_of(std::as_bytes(std::span(floats)), 4096);
  for (float& value : floats)
    std::ranges::reverse(std::as_writable_bytes(std::span(&value, 1)));
  const auto bytes = std::as_bytes(std::span(floats));

  const auto place = place_of(bytes, probe, 0, true);

  REQUIRE(place);
  CHECK(place->offset == 4096);
  CHECK(place->conversion.file_type == "f32be");
  CHECK_FALSE(place_of(bytes, probe, 0, false));
}

TEST_CASE("a probe of what a file has twice is found at both places", "[weights]") {
  auto floats = gaussians();
  constexpr std::ptrdiff_t kAgain = 100'000;
  std::copy_n(floats.begin(), 1000, floats.begin() + kAgain);
  const TemporaryFolder folder;
  std::ofstream(folder.file("weights"), std::ios::binary)
      << std::string(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
  weights::PlainFile file;
  file.file = open_regular_file(folder.file("weights"));
  file.size = floats.size() * sizeof(float);
  const Probe probe = probe_of(std::as_bytes(std::span(floats)), 400);
  weights::WordPlaces words;
  PartSearch search(words, false);
  search.want(probe);
  words.read(file);
  search.note_read(file);

  const auto places = search.find(probe);

  REQUIRE(places.size() == 2);
  CHECK(places[0].offset == 400);
  CHECK(places[1].offset == kAgain * sizeof(float) + 400);
}

TEST_CASE("what has few different words is not looked for", "[weights]") {
  std::vector<float> floats(kGaussians, 1);
  const auto bytes = std::as_bytes(std::span(floats));
  weights::WordPlaces words;
  PartSearch search(words, true);
  search.want(probe_of(bytes, 4096));
  CHECK(search.is_empty());
  CHECK_FALSE(place_of(bytes, probe_of(bytes, 4096)));
}
