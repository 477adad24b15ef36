#include "reference_loaders/burn/checkpoint.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/pytorch_loaders.hpp"
#include "tests/reference_loaders/burn/checkpoints.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;
using namespace tidemark::loaders::burn;

namespace {

/// A tensor of int16 in a storage of the numbers 0 to 11.
StoredTensor a_view(std::uint64_t offset,
                    std::vector<std::int64_t> shape,
                    std::vector<std::int64_t> stride) {
  return {.name = "view",
          .dtype = Dtype::kInt16,
          .storage = "0",
          .storage_elements = 12,
          .offset = offset,
          .shape = std::move(shape),
          .stride = std::move(stride)};
}

std::string a_file_of(const StoredTensor& view) {
  return test::a_file_with(
      StateDict{view},
      {{"0", test::bytes_of<std::int16_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})}});
}

using Numbers = std::vector<std::int16_t>;

Numbers numbers_in(const StoredTensor& view) {
  Checkpoint checkpoint = test::opened(a_file_of(view));
  return test::values_of<std::int16_t>(load_lazy(checkpoint), "view");
}

}  // namespace

TEST_CASE("views into a storage are read as PyTorch sees them", "[burn][checkpoint]") {
  CHECK(numbers_in(a_view(0, {12}, {1})).size() == 12);
  CHECK(numbers_in(a_view(3, {2}, {1})) == Numbers{3, 4});
  CHECK(numbers_in(a_view(0, {2, 3}, {1, 2})) == Numbers{0, 2, 4, 1, 3, 5});
  CHECK(numbers_in(a_view(1, {3}, {4})) == Numbers{1, 5, 9});
  CHECK(numbers_in(a_view(11, {}, {})) == Numbers{11});
  CHECK(numbers_in(a_view(0, {3}, {0})) == Numbers{0, 0, 0});
  CHECK(numbers_in(a_view(12, {0, 5}, {5, 1})).empty());
  CHECK(numbers_in(a_view(2, {1, 2}, {99, 1})) == Numbers{2, 3});
}

TEST_CASE("a tensor that points outside its storage is refused", "[burn][checkpoint][robustness]") {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const auto view = GENERATE(values<StoredTensor>(
      {a_view(12, {1}, {1}), a_view(11, {2}, {1}), a_view(0, {2, 6}, {7, 1}), a_view(0, {2}, {-1}),
       a_view(0, {13}, {0}), a_view(0, {kHuge, 4}, {0, 0}), a_view(0, {2, 2}, {kHuge, kHuge}),
       a_view(0, {3}, {kHuge}), a_view(0, {-1}, {1}), a_view(~std::uint64_t{0} >> 1U, {1}, {1})}));

  CHECK_THROWS_WITH(test::opened(a_file_of(view)), Catch::Contains("tensor 'view'"));
  CHECK_THROWS_AS(test::opened(a_file_of(view)), BadInput);
}

TEST_CASE("a storage that is missing or of another size is refused", "[burn][checkpoint]") {
  StoredTensor missing = a_view(0, {1}, {1});
  missing.storage = "1";
  StoredTensor longer = a_view(0, {1}, {1});
  longer.storage_elements = 13;
  StoredTensor odd = a_view(0, {1}, {1});
  odd.dtype = Dtype::kFloat64;

  CHECK_THROWS_WITH(test::opened(a_file_of(missing)), Catch::Contains("not in the file"));
  CHECK_THROWS_WITH(test::opened(a_file_of(longer)), Catch::Contains("but 24 bytes"));
  CHECK_THROWS_WITH(test::opened(a_file_of(odd)), Catch::Contains("12 elements of float64"));
}

TEST_CASE("tensors may share a storage, but not many times the file", "[burn][checkpoint]") {
  StateDict tensors;
  const auto file_with = [&](int count) {
    tensors.clear();
    for (int number = 0; number < count; ++number) {
      StoredTensor view{.name = std::to_string(number),
                        .dtype = Dtype::kInt8,
                        .storage = "0",
                        .storage_elements = 100'000,
                        .shape = {100'000},
                        .stride = {1}};
      tensors.push_back(view);
    }
    return test::a_file_with(tensors, {{"0", std::string(100'000, 'x')}});
  };

  CHECK(test::opened(file_with(3)).tensors().size() == 3);
  CHECK_THROWS_WITH(test::opened(file_with(9)), Catch::Contains("4 times the size of the file"));
}

TEST_CASE("a zip file that is none of PyTorch's is refused", "[burn][checkpoint]") {
  std::string file = test::a_tiny_file();
  for (std::size_t at = 0; (at = file.find("data.pkl", at)) != std::string::npos;) {
    file.replace(at, 8, "word.doc");
  }

  CHECK_THROWS_WITH(test::opened(file), Catch::Contains("was not written by PyTorch"));
}

TEST_CASE("reopening reads the directory for every tensor, and gives the same", "[burn]") {
  const std::string file = test::a_tiny_file();
  int opened = 0;
  const auto opener = [&] {
    ++opened;
    return open_memory(file, "model.pt");
  };
  Checkpoint checkpoint(opener, true);

  const Module module = load_lazy(checkpoint);

  CHECK(opened == 3);
  CHECK(checkpoint.times_opened() == 3);
  CHECK(test::values_of<float>(module, "a") == std::vector<float>{1, -2});
}

TEST_CASE("a .pt file cut off anywhere is refused", "[burn][checkpoint][robustness]") {
  const std::string file = test::a_tiny_file();
  for (std::size_t kept = 0; kept < file.size(); ++kept) {
    CAPTURE(kept);
    CHECK_THROWS_AS(test::opened(file.substr(0, kept)), BadInput);
  }
}

TEST_CASE("no flipped bit crashes a loader of .pt files or makes it allocate",
          "[burn][checkpoint][robustness]") {
  for (const test::LoadCheckpoint load : {load_nested, load_lazy}) {
    CHECK(test::survives_flipped_bits(test::a_tiny_file(), [load](const std::string& bytes) {
      Checkpoint checkpoint = test::opened(bytes);
      return load(checkpoint);
    }));
  }
}
