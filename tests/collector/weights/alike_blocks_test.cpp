// Blocks that hold what others hold are found, and no others.
#include "collector/weights/alike_blocks.hpp"

#include "collector/weights/value_forms.hpp"
#include "tests/collector/weights/samples.hpp"
#include "tests/support/catch.hpp"

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

/// Each block that was seen, by its allocation.
class Blocks {
 public:
  void add(const Content& bytes, std::uint64_t allocation, std::uint64_t until_ns = UINT64_MAX) {
    BlockSample sample = sample_of(std::span(bytes));
    sample.allocation = allocation;
    sample.at_ns = 100 * allocation;
    samples_.push_back(sample);
    until_.push_back(until_ns);
  }
  [[nodiscard]] std::vector<trace::Alike> find() const {
    std::vector<weights::SeenBlock> seen;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      seen.push_back({&samples_[i], 0, until_[i]});
    return weights::find_alike(seen);
  }

 private:
  std::vector<BlockSample> samples_;
  std::vector<std::uint64_t> until_;
};

}  // namespace

TEST_CASE("blocks with the same bytes are told of the oldest", "[weights]") {
  const Content values = normal_bytes<float>(50'000);
  Blocks blocks;
  blocks.add(values, 5);
  blocks.add(normal_bytes<float>(50'000, 8), 3);
  blocks.add(values, 9);
  blocks.add(values, 4);

  const auto found = blocks.find();

  REQUIRE(found.size() == 2);
  CHECK(found[0].allocation == 5);
  CHECK(found[0].of == 4);
  CHECK(found[0].at_ns == 500);
  CHECK(found[0].type.empty());
  CHECK(found[1].allocation == 9);
  CHECK(found[1].of == 4);
}

TEST_CASE("of any number of elements a narrower block is told of the wider one", "[weights]") {
  for (std::size_t count = 20'000; count < 20'200; ++count) {
    CAPTURE(count);
    const Content wide = normal_bytes<double>(count);
    Blocks blocks;
    blocks.add(wide, 1);
    blocks.add(weights::convert("f64", wide, ValueForm::kF32), 2);
    const auto found = blocks.find();
    REQUIRE(found.size() == 1);
    CHECK(found[0].of == 1);
    CHECK(found[0].type == "f32");
    CHECK(found[0].of_type == "f64");
  }
}

TEST_CASE("a wider block is told of the narrower one that it was made from", "[weights]") {
  const Content wide = normal_bytes<float>(50'001);
  const auto form = GENERATE(ValueForm::kF16, ValueForm::kBf16);
  const Content narrow = weights::convert("f32", wide, form);
  Blocks blocks;
  blocks.add(narrow, 1);
  blocks.add(weights::convert(weights::form_type(form), narrow, ValueForm::kF32), 2);

  const auto found = blocks.find();

  REQUIRE(found.size() == 1);
  CHECK(found[0].type == "f32");
  CHECK(found[0].of_type == weights::form_type(form));
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
  REQUIRE(found.size() == 2);
  CHECK(found[0].allocation == 2);
  CHECK(found[0].of == 1);
  CHECK(found[0].type.empty());
  CHECK(found[1].allocation == 3);
  CHECK(found[1].of == 1);
  CHECK(found[1].type == "f32");
}

TEST_CASE("what differs, says little, or was there at another time is not alike", "[weights]") {
  const Content values = normal_bytes<float>(50'000);
  Content other = values;
  Blocks blocks;
  const std::string what = GENERATE("further inside", "at the beginning", "rounded", "zeros",
                                    "something else when the other one came");
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
  } else if (what == "zeros") {
    blocks.add(Content(200'000), 1);
    blocks.add(Content(200'000), 2);
  } else {
    blocks.add(values, 1, 150);
    blocks.add(values, 2);
  }
  CHECK(blocks.find().empty());
}
