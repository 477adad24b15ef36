// Blocks that hold what others hold are found, and no others.
#include "collector/weights/searches/alike_blocks.hpp"

#include "collector/weights/value_forms.hpp"
#include "tests/collector/weights/samples.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace tidemark;
using tests::sample_of;
using weights::BlockSample;
using weights::ValueForm;

namespace {

using Content = std::vector<std::byte>;

template <typename Float>
Content normal_bytes(std::size_t count, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::normal_distribution<Float> normal;
  Content bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const Float value = normal(random);
    const auto each = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), each.begin(), each.end());
  }
  return bytes;
}

/// Each block that was seen, by its allocation, at an address of its own unless it is said.
class Blocks {
 public:
  void add(const Content& bytes,
           std::uint64_t allocation,
           std::uint64_t address = 0,
           std::uint64_t until_ns = UINT64_MAX,
           std::uint64_t from_ns = 0) {
    BlockSample sample = sample_of(std::span(bytes));
    sample.allocation = allocation;
    sample.at_ns = 100 * allocation;
    samples_.push_back(sample);
    addresses_.push_back(address != 0 ? address : allocation << 40U);
    untils_.push_back(until_ns);
    froms_.push_back(from_ns);
  }
  [[nodiscard]] std::vector<trace::Alike> find() const {
    std::vector<weights::SeenBlock> seen;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      seen.push_back({&samples_[i], froms_[i], untils_[i], trace::ProcessId{0}, addresses_[i]});
    return weights::find_alike(seen);
  }

 private:
  std::vector<BlockSample> samples_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::uint64_t> untils_;
  std::vector<std::uint64_t> froms_;
};

}  // namespace

TEST_CASE("blocks with the same bytes are a group, with the oldest", "[weights]") {
  const Content values = normal_bytes<float>(50'000);
  Blocks blocks;
  blocks.add(values, 5);
  blocks.add(normal_bytes<float>(50'000, 8), 3);
  blocks.add(values, 9);
  blocks.add(values, 4);

  const auto found = blocks.find();

  REQUIRE(found.size() == 3);
  CHECK(found[0].allocation == 4);
  CHECK(found[1].allocation == 5);
  CHECK(found[1].at_ns == 500);
  CHECK(found[2].allocation == 9);
  for (const trace::Alike& alike : found) {
    CHECK(alike.of == 4);
    CHECK(alike.type.empty());
  }
}

TEST_CASE("of hundreds of equal blocks each is in the oldest's group", "[weights]") {
  const Content values = normal_bytes<float>(20'000);
  Blocks blocks;
  for (std::uint64_t i = 1; i <= 200; ++i)
    blocks.add(values, i);
  const auto found = blocks.find();
  CHECK(found.size() == 200);
  CHECK(std::ranges::all_of(found, [](const trace::Alike& alike) { return alike.of == 1; }));
}

TEST_CASE("of any number of elements a narrower block is found with the wider one", "[weights]") {
  for (std::size_t count = 20'000; count < 20'200; ++count) {
    CAPTURE(count);
    const Content wide = normal_bytes<double>(count);
    Blocks blocks;
    blocks.add(wide, 1);
    blocks.add(weights::convert("f64", wide, ValueForm::kF32), 2);
    const auto found = blocks.find();
    REQUIRE(found.size() == 2);
    CHECK(found[1].of == 1);
    CHECK(found[1].type == "f32");
    CHECK(found[1].of_type == "f64");
    CHECK(found[1].is_rounded);
  }
}

TEST_CASE("a wider block that was made from a narrower one is not rounded", "[weights]") {
  const Content wide = normal_bytes<float>(50'001);
  const auto form = GENERATE(ValueForm::kF16, ValueForm::kBf16);
  const Content narrow = weights::convert("f32", wide, form);
  const bool is_made_of_narrow = GENERATE(true, false);
  Blocks blocks;
  blocks.add(narrow, 1);
  blocks.add(is_made_of_narrow ? weights::convert(weights::form_type(form), narrow, ValueForm::kF32)
                               : wide,
             2);

  const auto found = blocks.find();

  REQUIRE(found.size() == 2);
  CHECK(found[1].type == "f32");
  CHECK(found[1].of_type == weights::form_type(form));
  CHECK(found[1].is_rounded != is_made_of_narrow);
}

TEST_CASE("an object's header in front is no hindrance", "[weights]") {
  const std::size_t header = GENERATE(as<std::size_t>{}, 16, 32, 48);
  CAPTURE(header);
  const Content wide = normal_bytes<double>(50'000);
  Content object(header, std::byte{1});
  object.insert(object.end(), wide.begin(), wide.end());
  object.push_back(std::byte{});
  Blocks blocks;
  blocks.add(object, 1);
  blocks.add(wide, 2);
  blocks.add(weights::convert("f64", wide, ValueForm::kF32), 3);
  const auto found = blocks.find();
  REQUIRE(found.size() == 3);
  CHECK(found[1].of == 1);
  CHECK(found[1].type.empty());
  CHECK(found[2].of == 1);
  CHECK(found[2].type == "f32");
}

TEST_CASE("a block where an older one had the same bytes may not have been written", "[weights]") {
  const Content values = normal_bytes<float>(50'000);
  Blocks blocks;
  blocks.add(values, 1);
  blocks.add(values, 2, 0x7000);
  blocks.add(values, 3, 0x7000);
  const auto found = blocks.find();
  REQUIRE(found.size() == 2);
  CHECK(found[1].allocation == 2);
}

TEST_CASE("what differs, or says little, is not alike", "[weights]") {
  const Content values = normal_bytes<float>(50'000);
  Content other = values;
  Blocks blocks;
  const std::string what = GENERATE("further inside", "at the beginning", "rounded", "zeros");
  CAPTURE(what);
  if (what == "further inside") {
    other[BlockSample::inner_place(other.size()) + 63] ^= std::byte{1};
    blocks.add(values, 1);
    blocks.add(other, 2);
  } else if (what == "at the beginning") {
    other[255] ^= std::byte{1};
    blocks.add(values, 1);
    blocks.add(other, 2);
  } else if (what == "rounded") {
    Content narrow = weights::convert("f32", values, ValueForm::kF16);
    narrow[BlockSample::inner_place(narrow.size()) + 31] ^= std::byte{1};
    narrow[BlockSample::inner_place(narrow.size()) + 63] ^= std::byte{1};
    blocks.add(values, 1);
    blocks.add(narrow, 2);
  } else {
    blocks.add(Content(200'000), 1);
    blocks.add(Content(200'000), 2);
  }
  CHECK(blocks.find().empty());
}

namespace {

template <typename Element>
Content content_of(const std::vector<Element>& elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  return {bytes.begin(), bytes.end()};
}

/// Whole numbers of all the type's range, and the same as float.
template <typename Whole, typename Float>
void add_whole(Blocks& blocks, std::size_t count, bool is_float_first, std::size_t header = 0) {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int64_t> number(
      std::max<std::int64_t>(std::numeric_limits<Whole>::min(), -(std::int64_t{1} << 24U)),
      std::min<std::int64_t>(std::numeric_limits<Whole>::max(), std::int64_t{1} << 24U));
  std::vector<Whole> wholes(count);
  std::ranges::generate(wholes, [&] { return static_cast<Whole>(number(random)); });
  Content object(header, std::byte{1});
  const Content narrow = content_of(wholes);
  object.insert(object.end(), narrow.begin(), narrow.end());
  blocks.add(object, is_float_first ? 2 : 1);
  blocks.add(content_of(std::vector<Float>(wholes.begin(), wholes.end())), is_float_first ? 1 : 2);
}

}  // namespace

TEST_CASE("whole numbers and the float that was made of them are alike", "[weights]") {
  const std::string type = GENERATE("u8", "i8", "u16", "i16", "u32", "i32", "u16 to f64");
  const bool is_float_first = GENERATE(false, true);
  const std::size_t count = GENERATE(as<std::size_t>{}, 20'000, 20'013, 1'000'007);
  CAPTURE(type, is_float_first, count);
  Blocks blocks;
  if (type == "u8")
    add_whole<std::uint8_t, float>(blocks, count, is_float_first);
  else if (type == "i8")
    add_whole<std::int8_t, float>(blocks, count, is_float_first);
  else if (type == "u16")
    add_whole<std::uint16_t, float>(blocks, count, is_float_first);
  else if (type == "i16")
    add_whole<std::int16_t, float>(blocks, count, is_float_first);
  else if (type == "u32")
    add_whole<std::uint32_t, float>(blocks, count, is_float_first);
  else if (type == "i32")
    add_whole<std::int32_t, float>(blocks, count, is_float_first);
  else
    add_whole<std::uint16_t, double>(blocks, count, is_float_first);

  const auto found = blocks.find();

  REQUIRE(found.size() == 2);
  const std::string whole = type.substr(0, type.find(' '));
  const std::string made = type == whole ? "f32" : "f64";
  CHECK(found[1].of == 1);
  CHECK(found[1].type == (is_float_first ? whole : made));
  CHECK(found[1].of_type == (is_float_first ? made : whole));
  CHECK_FALSE(found[1].is_rounded);
}

TEST_CASE("whole numbers behind the header of Python's bytes are found", "[weights]") {
  Blocks blocks;
  add_whole<std::uint16_t, float>(blocks, 40'000'000 / 2, false, 32);
  CHECK(blocks.find().size() == 2);
}

TEST_CASE("float with a fraction, beyond a type's range, or of other numbers is none of it",
          "[weights]") {
  const std::string what = GENERATE("fraction", "range", "other inside", "negative zero");
  CAPTURE(what);
  std::vector<std::uint8_t> wholes(50'000);
  std::mt19937 random(7);
  std::ranges::generate(wholes, [&] { return static_cast<std::uint8_t>(random() % 251); });
  std::vector<float> floats(wholes.begin(), wholes.end());
  wholes[7] = 0;
  floats[7] = 0.0F;
  if (what == "fraction")
    floats[7] = 0.5F;
  else if (what == "range")
    floats[7] = 256.0F;
  else if (what == "negative zero")
    floats[7] = -0.0F;
  else
    for (std::size_t i = 10'000; i < floats.size(); ++i)
      floats[i] = floats[i] + 1;
  Blocks blocks;
  blocks.add(content_of(wholes), 1);
  blocks.add(content_of(floats), 2);
  CHECK(blocks.find().empty());
}

TEST_CASE("a block that held other values in between does not hold them all the time",
          "[weights]") {
  const Content values = normal_bytes<float>(50'000);
  std::vector<float> others(50'000, 1.0F);
  std::iota(others.begin(), others.end(), 1.0F);
  Blocks blocks;
  blocks.add(values, 1, 0, 200);
  blocks.add(content_of(others), 1, 0, 500, 200);
  blocks.add(values, 1, 0, UINT64_MAX, 500);
  blocks.add(values, 2);
  const auto found = blocks.find();
  REQUIRE(found.size() == 2);
  CHECK(found[0].until_ns == 200);
}

TEST_CASE("an object whose count of users changed holds the same values all the time",
          "[weights]") {
  const bool has_ended = GENERATE(false, true);
  CAPTURE(has_ended);
  const Content values = normal_bytes<float>(50'000);
  Content object(32, std::byte{1});
  object.insert(object.end(), values.begin(), values.end());
  Blocks blocks;
  blocks.add(object, 1, 0, 200);
  object[0] = std::byte{2};
  blocks.add(object, 1, 0, has_ended ? 300 : UINT64_MAX);
  blocks.add(values, 2);
  const auto found = blocks.find();
  REQUIRE(found.size() == 2);
  CHECK(found[0].until_ns == (has_ended ? 300 : UINT64_MAX));
}
