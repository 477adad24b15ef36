// Values of a file that were rounded to a narrower type of float are found, and other values are
// not.
#include "collector/weights/searches/narrow_search.hpp"

#include "collector/weights/value_forms.hpp"
#include "tests/collector/weights/samples.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace tidemark;
using tests::sample_of;
using tidemark::tests::TemporaryFolder;
using weights::NarrowSearch;
using weights::ValueForm;

namespace {

constexpr std::size_t kFloats = 512 * 1024;  // More than a chunk of the file.

template <typename Float>
std::vector<Float> random_numbers(unsigned seed = 7) {
  std::mt19937 random(seed);
  std::normal_distribution<Float> normal(0, Float{1} / 50);
  std::vector<Float> numbers(kFloats);
  for (Float& number : numbers)
    number = normal(random);
  return numbers;
}

template <typename Float>
std::vector<std::byte> as_form(const std::vector<Float>& numbers, ValueForm form) {
  return weights::convert(sizeof(Float) == sizeof(double) ? "f64" : "f32",
                          std::as_bytes(std::span(numbers)), form);
}

class OneFile {
 public:
  template <typename Float>
  explicit OneFile(const std::vector<Float>& numbers, std::size_t header = 0) {
    const std::string path = folder_.file("weights");
    std::ofstream(path, std::ios::binary)
        << std::string(header, 'h')
        << std::string_view(reinterpret_cast<const char*>(numbers.data()),
                            numbers.size() * sizeof(Float));
    file_.id = trace::FileId{5};
    file_.file = open_regular_file(path);
    file_.size = header + numbers.size() * sizeof(Float);
  }

  [[nodiscard]] std::optional<trace::PackedMatch> find(std::span<const std::byte> block) const {
    return find(sample_of(block));
  }
  [[nodiscard]] std::optional<trace::PackedMatch> find(const weights::BlockSample& sample) const {
    NarrowSearch search;
    search.want(sample);
    search.read(file_);
    return search.find(sample);
  }
  void read_into(NarrowSearch& search) const { search.read(file_); }

 private:
  TemporaryFolder folder_;
  weights::PlainFile file_;
};

}  // namespace

TEST_CASE("a file of float64 is found as float32", "[weights]") {
  const auto numbers = random_numbers<double>();

  const auto match = OneFile(numbers).find(as_form(numbers, ValueForm::kF32));

  REQUIRE(match);
  CHECK(match->allocation == 3);
  CHECK(trace::index(match->file) == 5);
  CHECK(match->offset == 0);
  CHECK(match->distance == 0);
  CHECK(match->at_ns == 17);
  CHECK(match->type == "f32");
  CHECK(match->file_type == "f64");
}

TEST_CASE("a file of big-endian float64 is found as float32", "[weights]") {
  const auto numbers = random_numbers<double>();
  std::vector<double> turned = numbers;
  for (double& number : turned)
    std::ranges::reverse(std::as_writable_bytes(std::span(&number, 1)));

  const auto match = OneFile(turned).find(as_form(numbers, ValueForm::kF32));

  REQUIRE(match);
  CHECK(match->type == "f32");
  CHECK(match->file_type == "f64be");
}

TEST_CASE("numbers of eight bytes behind a header of four more are found where they are",
          "[weights]") {
  const auto numbers = random_numbers<double>();
  const auto block = as_form(numbers, ValueForm::kF32);
  constexpr std::size_t kHeader = 436;

  const auto match = OneFile(numbers, kHeader).find(block);

  REQUIRE(match);
  CHECK(match->offset == kHeader);
  CHECK(match->file_type == "f64");
  CHECK_FALSE(OneFile(random_numbers<double>(8), kHeader).find(as_form(numbers, ValueForm::kF32)));
}

TEST_CASE("a file of float32 is found as halves", "[weights]") {
  const auto numbers = random_numbers<float>();
  const OneFile file(numbers);
  const auto halves = file.find(as_form(numbers, ValueForm::kF16));
  REQUIRE(halves);
  CHECK(halves->type == "f16");
  CHECK(halves->file_type == "f32");
  const auto brain = file.find(as_form(numbers, ValueForm::kBf16));
  REQUIRE(brain);
  CHECK(brain->type == "bf16");
}

TEST_CASE("a part of a file, behind the header of an object, is found where it is", "[weights]") {
  const auto numbers = random_numbers<double>();
  constexpr std::size_t kBefore = 100'001;
  const std::vector<double> part(numbers.begin() + kBefore, numbers.end());
  auto block = as_form(part, ValueForm::kF32);
  block.insert(block.begin(), 48, std::byte{1});

  const auto match = OneFile(numbers, 136).find(block);

  REQUIRE(match);
  // The header counts as numbers.
  CHECK(match->offset == 136 + (kBefore - 12) * sizeof(double));
}

TEST_CASE("an odd number of halves before the part is no hindrance", "[weights]") {
  const auto numbers = random_numbers<float>();
  const std::vector<float> part(numbers.begin() + 333'333, numbers.end());

  CHECK(OneFile(numbers).find(as_form(part, ValueForm::kF16)));
}

TEST_CASE("of more blocks than are looked for the first are", "[weights]") {
  const auto numbers = random_numbers<double>();
  const auto wanted = sample_of(as_form(numbers, ValueForm::kF32));
  const auto other = sample_of(as_form(random_numbers<double>(8), ValueForm::kF32));
  const std::size_t before = GENERATE(as<std::size_t>{}, NarrowSearch::kMaxBlocks - 1,
                                      std::size_t{NarrowSearch::kMaxBlocks});
  NarrowSearch search;
  for (std::size_t i = 0; i < before; ++i)
    search.want(other);
  search.want(wanted);
  const OneFile file(numbers);
  file.read_into(search);
  CHECK(search.find(wanted).has_value() == (before < NarrowSearch::kMaxBlocks));
}

TEST_CASE("other values, and more of them than the file has, are not found", "[weights]") {
  const auto numbers = random_numbers<double>();
  const OneFile file(numbers);
  CHECK_FALSE(file.find(as_form(random_numbers<double>(8), ValueForm::kF32)));
  auto longer = as_form(numbers, ValueForm::kF32);
  const std::uint64_t inner_at = weights::BlockSample::inner_place(longer.size());
  SECTION("one value further inside") {
    longer[inner_at + 5] ^= std::byte{1};
    CHECK_FALSE(file.find(longer));
  }
  SECTION("one value at the beginning") {
    longer[200] ^= std::byte{1};
    CHECK_FALSE(file.find(longer));
  }
  SECTION("twice as much room") {
    auto sample = sample_of(std::span<const std::byte>(longer));
    sample.size *= 2;
    CHECK_FALSE(file.find(sample));
  }
}
