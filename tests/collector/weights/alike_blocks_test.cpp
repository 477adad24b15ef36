// Blocks that hold what others hold are found, and no others.
#include "collector/weights/alike_blocks.hpp"

#include "collector/weights/value_forms.hpp"
#include "tests/collector/weights/samples.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  void add(const Content& bytes, std::uint64_t allocation, std::uint64_t address = 0) {
    BlockSample sample = sample_of(std::span(bytes));
    sample.allocation = allocation;
    sample.at_ns = 100 * allocation;
    samples_.push_back(sample);
    addresses_.push_back(address != 0 ? address : allocation << 40U);
  }
  [[nodiscard]] std::vector<trace::Alike> find() const {
    std::vector<weights::SeenBlock> seen;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      seen.push_back({&samples_[i], 0, UINT64_MAX, trace::ProcessId{0}, addresses_[i]});
    return weights::find_alike(seen);
  }

 private:
  std::vector<BlockSample> samples_;
  std::vector<std::uint64_t> addresses_;
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
