// Values of a file in another order are found in blocks, and nothing else is.
#include "collector/weights/searches/order_search.hpp"

#include "collector/weights/searches/word_places.hpp"
#include "collector/weights/value_forms.hpp"
#include "tests/collector/weights/samples.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace tidemark;
using tests::sample_of;
using tidemark::tests::TemporaryFolder;
using weights::OrderSearch;

namespace {

constexpr std::size_t kRows = 256;
constexpr std::size_t kColumns = 384;
constexpr std::size_t kPlace = 1000;  ///< Of the matrix in its file.

std::vector<float> random_floats(unsigned seed = 7) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(kRows * kColumns);
  for (float& value : values)
    value = normal(random);
  return values;
}

/// Tiles of so many rows: their bias, then their values column by column.
std::vector<float> packed(const std::vector<float>& matrix, std::size_t rows) {
  std::vector<float> tiles;
  for (std::size_t row = 0; row < kRows; row += rows) {
    tiles.insert(tiles.end(), rows, 0.0F);
    for (std::size_t column = 0; column < kColumns; ++column) {
      for (std::size_t i = 0; i < rows; ++i)
        tiles.push_back(matrix[(row + i) * kColumns + column]);
    }
  }
  return tiles;
}

std::optional<trace::PackedMatch> find(const std::vector<float>& in_file,
                                       const std::vector<float>& block,
                                       std::size_t place = kPlace,
                                       std::set<std::uint64_t> shifts = {0},
                                       std::vector<weights::PlainFile::Floats> floats = {},
                                       bool may_be_big_endian = false) {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights");
  std::ofstream(path, std::ios::binary)
      << std::string(place, 'h')
      << std::string(reinterpret_cast<const char*>(in_file.data()), in_file.size() * sizeof(float));
  OrderSearch search(may_be_big_endian);
  search.want(sample_of(block));
  const weights::PlainFile file{
      trace::FileId{5}, open_regular_file(path), place + in_file.size() * sizeof(float),
      std::move(shifts),
      floats.empty()
          ? std::vector<weights::PlainFile::Floats>{{place, in_file.size() * sizeof(float)}}
          : std::move(floats)};
  search.read(file);
  return search.find(sample_of(block));
}

}  // namespace

TEST_CASE("a word and a pair are found across the end of what is read at once", "[weights]") {
  constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20U;
  const std::uint64_t before = GENERATE(1U, 2U, 3U, 4U, 5U, 7U);
  CAPTURE(before);
  const std::string pair = "abcdefgh";
  const TemporaryFolder folder;
  const std::string path = folder.file("weights");
  std::ofstream(path, std::ios::binary)
      << std::string(kAtOnce - before, '\0') << pair << std::string(64, '\0');
  const auto bytes = std::as_bytes(std::span(pair));
  weights::WordPlaces words;
  words.want_words(bytes);
  words.want_pairs(bytes);
  words.read({trace::FileId{5}, open_regular_file(path), kAtOnce - before + pair.size() + 64,
              weights::shifts_of({})});
  const auto places = words.of_word(weights::WordPlaces::word_in(bytes, 0));
  REQUIRE(places.size() == 1);
  CHECK(places[0].offset() == kAtOnce - before);
  CHECK(words.of_pair(bytes).size() == 1);
}

TEST_CASE("values begin at any byte of a file that lists no tensors", "[weights]") {
  const std::size_t place = kPlace + GENERATE(0U, 1U, 2U, 3U);
  CAPTURE(place);
  const auto values = random_floats();
  const std::uint64_t file_bytes = place + values.size() * sizeof(float);
  const auto match =
      find(values, values, place, weights::shifts_of({}), weights::floats_of({}, file_bytes));
  REQUIRE(match);
  CHECK(match->distance == 0);
  CHECK(match->offset == place);
}

TEST_CASE("a matrix that is packed by tiles of rows is found", "[weights]") {
  const std::size_t rows = GENERATE(4U, 8U, 16U, 32U);
  CAPTURE(rows);

  const auto match = find(random_floats(), packed(random_floats(), rows));

  REQUIRE(match);
  CHECK(match->allocation == 3);
  CHECK(trace::index(match->file) == 5);
  CHECK(match->offset == kPlace);
  CHECK(match->distance == kColumns * sizeof(float));
  CHECK(match->at_ns == 17);
}

TEST_CASE("a matrix that is turned is found, whatever its format", "[weights]") {
  std::vector<float> turned = packed(random_floats(), kRows);
  turned.erase(turned.begin(), turned.begin() + kRows);  // it has no bias
  CHECK(find(random_floats(), turned));
}

/// Panels of so many columns: of each row a run, and behind it that of the next row.
std::vector<float> in_panels(const std::vector<float>& matrix, std::size_t columns) {
  std::vector<float> panels;
  for (std::size_t column = 0; column < kColumns; column += columns) {
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t i = 0; i < columns; ++i)
        panels.push_back(matrix[row * kColumns + column + i]);
    }
  }
  return panels;
}

TEST_CASE("a matrix that is packed by panels of columns is found", "[weights]") {
  const std::size_t columns = GENERATE(4U, 8U, 12U, 16U);
  CAPTURE(columns);

  std::vector<float> block = in_panels(random_floats(), columns);
  // As where an allocator aligns them.
  block.insert(block.begin(), GENERATE(0U, 4U, 12U), 0.0F);
  const auto match = find(random_floats(), block);

  REQUIRE(match);
  CHECK(match->offset == kPlace);
  CHECK(match->distance == kColumns * sizeof(float));
}

TEST_CASE("panels wider than what is seen of a block are told by their tensor", "[weights]") {
  const std::size_t columns = GENERATE(64U, 96U, 192U);
  CAPTURE(columns);

  std::vector<float> block = in_panels(random_floats(), columns);
  block.insert(block.begin(), GENERATE(0U, 4U), 0.0F);
  const auto match = find(random_floats(), block);
  REQUIRE(match);
  CHECK(match->offset == kPlace);
  CHECK(match->distance == sizeof(float));

  SECTION("not where the block is of another size") {
    block.resize(block.size() + block.size() / 4, 1.0F);
    CHECK_FALSE(find(random_floats(), block));
  }
  SECTION("not where it begins with something else") {
    std::rotate(block.begin(), block.begin() + 64, block.end());
    CHECK_FALSE(find(random_floats(), block));
  }
  SECTION("not where other values are inside") {
    std::vector<float> other = in_panels(random_floats(8), columns);
    std::copy_n(block.begin(), 1000, other.begin());
    other.resize(block.size());
    CHECK_FALSE(find(random_floats(), other));
  }
  SECTION("not where the beginning goes on with something else") {
    std::fill_n(block.begin() + 40, 24, 1.0F);
    CHECK_FALSE(find(random_floats(), block));
  }
  SECTION("not where some of what is inside is not the tensor's") {
    const std::size_t inside = weights::BlockSample::inner_place(block.size() * sizeof(float));
    std::fill_n(block.begin() + static_cast<std::ptrdiff_t>(inside / sizeof(float)) + 13, 3, 1.0F);
    CHECK_FALSE(find(random_floats(), block));
  }
}

TEST_CASE("values may begin anywhere in a file", "[weights]") {
  trace::Tensor tensor;
  tensor.begin = kPlace + 3;
  const auto shifts = weights::shifts_of(std::span(&tensor, 1));
  CHECK(shifts == std::set<std::uint64_t>{3});
  CHECK(weights::shifts_of({}) == std::set<std::uint64_t>{0, 1, 2, 3});

  const auto match = find(random_floats(), in_panels(random_floats(), 8), kPlace + 3, shifts);
  REQUIRE(match);
  CHECK(match->offset == kPlace + 3);
  CHECK_FALSE(find(random_floats(), in_panels(random_floats(), 8), kPlace + 3));
}

TEST_CASE("the file's own order is told as such, and where in the file it begins", "[weights]") {
  const auto whole = find(random_floats(), random_floats());
  REQUIRE(whole);
  CHECK(whole->distance == 0);
  CHECK(whole->offset == kPlace);

  const std::vector<float> floats = random_floats();
  const auto part = find(floats, std::vector<float>(floats.begin() + 500, floats.end() - 700));
  REQUIRE(part);
  CHECK(part->distance == 0);
  CHECK(part->offset == kPlace + 500 * sizeof(float));
}

namespace {

/// Each row but for its last elements.
std::vector<float> section_of(const std::vector<float>& matrix, std::size_t columns) {
  std::vector<float> section;
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(row * kColumns);
    section.insert(section.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
  }
  return section;
}

}  // namespace

TEST_CASE("a section of an array is in the file's own order, with gaps", "[weights]") {
  const std::vector<float> floats = random_floats();
  SECTION("a few elements of each row are missing") {
    std::vector<float> block = section_of(floats, GENERATE(380U, 360U));
    block.insert(block.begin(), GENERATE(0U, 4U), 3.0F);
    const auto match = find(floats, block);
    REQUIRE(match);
    CHECK(match->distance == 0);
    CHECK(match->type.empty());
    CHECK(match->offset == kPlace);
  }
  SECTION("many are: these are other bytes than the file's") {
    CHECK_FALSE(find(floats, section_of(floats, 300)));
  }
  SECTION("what is missing is missing in one place: these are two pieces of the file") {
    std::vector<float> block = floats;
    block.erase(block.begin() + 200, block.begin() + 5000);
    CHECK_FALSE(find(floats, block));
  }
  SECTION("other values are inside") {
    std::vector<float> block = section_of(floats, 380);
    const auto other = section_of(random_floats(8), 380);
    std::copy(other.begin() + 1000, other.end(), block.begin() + 1000);
    CHECK_FALSE(find(floats, block));
  }
}

TEST_CASE("an object's header does not hide the file's own order", "[weights]") {
  std::vector<float> block = random_floats();
  block.insert(block.begin(), 8, 3.0F);
  const auto match = find(random_floats(), block);
  REQUIRE(match);
  CHECK(match->distance == 0);
  CHECK(match->offset == kPlace - 8 * sizeof(float));
}

namespace {

/// Random values of a type of two bytes, and the same as another one.
struct Widened {
  std::vector<std::byte> in_file;
  std::vector<std::byte> block;
};

template <typename Wide>
Widened widened(const std::string& file_type) {
  Widened values;
  for (const float value : random_floats()) {
    const float scaled = value / 64;  // within a half's range
    const auto single = std::as_bytes(std::span(&scaled, 1));
    const auto form = file_type == "f16" ? weights::ValueForm::kF16 : weights::ValueForm::kBf16;
    const auto half = weights::convert("f32", single, form);
    const auto wide = weights::convert(
        file_type, half, sizeof(Wide) == 8 ? weights::ValueForm::kF64 : weights::ValueForm::kF32);
    values.in_file.insert(values.in_file.end(), half.begin(), half.end());
    values.block.insert(values.block.end(), wide.begin(), wide.end());
  }
  return values;
}

std::vector<float> as_floats(const std::vector<std::byte>& bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

}  // namespace

TEST_CASE("what was widened is found, with both types and where it begins", "[weights]") {
  const std::string file_type = GENERATE("f16", "bf16");
  CAPTURE(file_type);
  const Widened values = widened<float>(file_type);

  const auto whole = find(as_floats(values.in_file), as_floats(values.block));

  REQUIRE(whole);
  CHECK(whole->distance == 0);
  CHECK(whole->offset == kPlace);
  CHECK(whole->type == "f32");
  CHECK(whole->file_type == file_type);

  std::vector<float> part = as_floats(values.block);
  part.erase(part.begin(), part.begin() + 1000);
  const auto inside = find(as_floats(values.in_file), part);
  REQUIRE(inside);
  CHECK(inside->offset == kPlace + 2 * 1000);
}

TEST_CASE("what was widened by four is found as such", "[weights]") {
  const Widened values = widened<double>("bf16");
  const auto match = find(as_floats(values.in_file), as_floats(values.block));
  REQUIRE(match);
  CHECK(match->type == "f64");
  CHECK(match->file_type == "bf16");
}

TEST_CASE("big-endian numbers are found turned round, and wider, where they may be there",
          "[weights]") {
  using Types = std::pair<std::string, std::string>;
  const auto [type, file_type] =
      GENERATE(Types("f32", "f32be"), Types("f64", "f64be"), Types("f16", "f16be"),
               Types("f64", "f32be"), Types("f32", "f16be"), Types("f32", "bf16be"));
  CAPTURE(type, file_type);
  // Numbers of that type, so that no wider one has more of them.
  const auto floats = random_floats();
  const auto singles = std::as_bytes(std::span(floats));
  const auto own = trace::in_own_order(file_type);
  const auto numbers = weights::convert("f32", singles, weights::rounded_form(own));
  const auto big_endian = weights::narrowed(own, numbers, file_type);
  REQUIRE(big_endian);
  const auto block =
      own != type ? weights::convert(own, numbers, weights::rounded_form(type)) : numbers;

  const bool may_be = GENERATE(true, false);
  const auto match = find(as_floats(*big_endian), as_floats(block), kPlace, {0}, {}, may_be);

  REQUIRE(match.has_value() == may_be);
  if (may_be) {
    CHECK(match->distance == 0);
    CHECK(match->offset == kPlace);
    CHECK(match->type == type);
    CHECK(match->file_type == file_type);
  }
}

TEST_CASE("values that would fit a narrower type, but are others, are not the file's",
          "[weights]") {
  const Widened values = widened<float>("bf16");
  std::vector<float> others = as_floats(values.block);
  const std::string which = GENERATE("in another order", "each twice as large", "whole numbers");
  CAPTURE(which);
  if (which == "in another order")
    std::ranges::shuffle(others, std::mt19937(1));
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (which == "each twice as large")
      others[i] *= 2;
    else if (which == "whole numbers")
      others[i] = static_cast<float>(i % 128);
  }
  CHECK_FALSE(find(as_floats(values.in_file), others));
}

TEST_CASE("values that were all multiplied, or had something added, are found", "[weights]") {
  const auto [factor, added] = GENERATE(std::pair(0.25F, 0.0F), std::pair(-3.7F, 0.0F),
                                        std::pair(1.0F, 0.5F), std::pair(41.3F, -2.0F));
  CAPTURE(factor, added);
  std::vector<float> scaled = random_floats();
  for (float& value : scaled)
    value = value * factor + added;

  const auto match = find(random_floats(), scaled);

  REQUIRE(match);
  CHECK(match->distance == 0);
  CHECK(match->offset == kPlace);
  CHECK(match->type == "f32");
  CHECK(match->file_type == "f32");
}

TEST_CASE("rows that were scaled each by its own numbers are found", "[weights]") {
  // Among the values of each place a row may end.
  const std::size_t columns = GENERATE(std::size_t{kColumns}, std::size_t{100}, std::size_t{58});
  const bool are_shifted = GENERATE(false, true);
  CAPTURE(columns, are_shifted);
  const std::vector<float> floats = random_floats();
  std::vector<float> scaled = floats;
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    const auto row = static_cast<float>(i / columns);
    scaled[i] = floats[i] * (0.25F + row / 100) + (are_shifted ? row / 64 : 0);
  }

  const auto match = find(floats, scaled);

  REQUIRE(match);
  CHECK(match->distance == 0);
  CHECK(match->offset == kPlace);
  CHECK(match->type == "f32");
  CHECK(match->file_type == "f32");
}

TEST_CASE("what stands too often in a file to be looked up is no scaled copy of it", "[weights]") {
  constexpr std::size_t kCopies = 12;
  const std::vector<float> matrix = random_floats();
  const std::uint64_t bytes = matrix.size() * sizeof(float);
  const TemporaryFolder folder;
  const std::string path = folder.file("weights");
  std::ofstream out(path, std::ios::binary);
  weights::PlainFile file{trace::FileId{5}, {}, kCopies * bytes, {0}, {}};
  for (std::size_t i = 0; i < kCopies; ++i) {
    out << std::string(reinterpret_cast<const char*>(matrix.data()), bytes);
    file.floats.push_back({i * bytes, bytes});
  }
  out.close();
  file.file = open_regular_file(path);
  OrderSearch search(false);
  search.want(sample_of(matrix));
  search.read(file);
  const auto match = search.find(sample_of(matrix));
  REQUIRE(match);
  CHECK(match->distance == 0);
  CHECK(match->offset % bytes == 0);
  CHECK(match->type.empty());
  CHECK(match->file_type.empty());
}

TEST_CASE("values without their signs are found as scaled ones", "[weights]") {
  std::vector<float> absolute = random_floats();
  for (float& value : absolute)
    value = std::abs(value);
  CHECK(find(random_floats(), absolute));
}

TEST_CASE("values that only look like scaled ones are not", "[weights]") {
  const std::string which = GENERATE("a training step", "a ramp of a ramp", "a constant",
                                     "of another size", "squares", "a number for each column");
  CAPTURE(which);
  std::vector<float> in_file = random_floats();
  std::vector<float> block = in_file;
  const std::vector<float> gradients = random_floats(8);
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (which == "a training step")
      block[i] -= 0.001F * gradients[i];
    else if (which == "a ramp of a ramp")
      block[i] = 2.5F * (in_file[i] = static_cast<float>(i)) + 0.25F;
    else if (which == "a constant")
      block[i] = 3;
    else if (which == "of another size")
      block[i] *= 2;
    else if (which == "a number for each column")
      block[i] *= 0.5F + static_cast<float>(i % kColumns);
    else
      block[i] *= block[i];
  }
  if (which == "of another size")
    block.resize(block.size() + kColumns * 8, 1.0F);
  CHECK_FALSE(find(in_file, block));
}

TEST_CASE("rows of several places, one behind the other, are neither", "[weights]") {
  const std::vector<float> floats = random_floats();
  std::vector<float> moved(floats.begin() + kColumns * 100, floats.begin() + kColumns * 120);
  moved.insert(moved.end(), floats.begin() + kColumns * 7, floats.end() - kColumns * 50);
  CHECK_FALSE(find(floats, moved));
}

TEST_CASE("a block with room for more than is left of the file is not all of it", "[weights]") {
  std::vector<float> block = random_floats();
  block.resize(block.size() * 2);
  std::copy_n(random_floats().begin(), block.size() / 2, block.begin());
  CHECK_FALSE(find(random_floats(), block));
}

TEST_CASE("other values, and values in no order of rows, are not the file's", "[weights]") {
  const std::vector<float> floats = random_floats();
  CHECK_FALSE(find(floats, packed(random_floats(8), 8)));
  std::vector<float> squares = packed(floats, 8);
  for (float& value : squares)
    value *= value;
  CHECK_FALSE(find(floats, squares));
  std::vector<float> sorted = floats;
  std::ranges::sort(sorted);
  CHECK_FALSE(find(floats, sorted));
  std::vector<float> shuffled = floats;
  std::ranges::shuffle(shuffled, std::mt19937(1));
  CHECK_FALSE(find(floats, shuffled));
}

TEST_CASE("a beginning alone, or a piece further inside alone, is not enough", "[weights]") {
  const std::vector<float> tiles = packed(random_floats(), 8);
  std::vector<float> other = random_floats(8);
  other.resize(tiles.size());
  const bool has_beginning = GENERATE(true, false);
  const auto half = static_cast<std::ptrdiff_t>(tiles.size() / 8);
  std::vector<float> block = has_beginning ? other : tiles;
  const std::vector<float>& begin = has_beginning ? tiles : other;
  std::copy(begin.begin(), begin.begin() + half, block.begin());
  CHECK_FALSE(find(random_floats(), block));
}

TEST_CASE("few values again and again tell nothing", "[weights]") {
  std::vector<float> few = random_floats();
  for (std::size_t i = 0; i < few.size(); ++i)
    few[i] = static_cast<float>(i % 5);
  CHECK_FALSE(find(few, packed(few, 8)));
}
