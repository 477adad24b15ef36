#include "reference_loaders/cli/suite_model.hpp"

#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;

namespace {

/// A model of two files, half of the bytes in each.
Model a_model_of_two_files() {
  Model model;
  model.name = "pair";
  model.file_bytes = [](std::uint64_t bytes) { return bytes; };
  model.files = [](const std::filesystem::path& file) {
    return std::vector<std::filesystem::path>{file, file.string() + ".2"};
  };
  model.make = [](const MakeRequest& request) {
    test::write_file(request.file.string() + ".2", std::string(request.weight_bytes / 2, 'b'));
    test::write_file(request.file, std::string(request.weight_bytes / 2, 'a'));
  };
  return model;
}

}  // namespace

TEST_CASE("a suite's model is made when all its files have the right size", "[suite]") {
  const test::TemporaryFolder directory;
  const Model model = a_model_of_two_files();
  SuiteModel made(model, directory.file("pair"), 100, true);

  CHECK_FALSE(made.is_made());
  made.make();
  CHECK(made.is_made());
  CHECK(made.files().size() == 2);

  test::write_file(made.files()[1], "short");
  CHECK_FALSE(made.is_made());
  std::filesystem::remove(made.files()[1]);
  CHECK_FALSE(made.is_made());
}

TEST_CASE("making a suite's model removes what was in its folder", "[suite]") {
  const test::TemporaryFolder directory;
  const Model model = a_model_of_two_files();
  std::filesystem::create_directory(directory.file("pair"));
  test::write_file(directory.file("pair/leftover"), "x");
  SuiteModel made(model, directory.file("pair"), 100, true);

  made.make();

  CHECK_FALSE(std::filesystem::exists(directory.file("pair/leftover")));
}

TEST_CASE("a model that is not kept goes, but only if it was made here", "[suite]") {
  const test::TemporaryFolder directory;
  const Model model = a_model_of_two_files();
  const auto folder = directory.file("pair");

  { SuiteModel(model, folder, 100, false).make(); }
  CHECK_FALSE(std::filesystem::exists(folder));

  { SuiteModel(model, folder, 100, true).make(); }
  CHECK(std::filesystem::exists(folder));

  { CHECK(SuiteModel(model, folder, 100, false).is_made()); }
  CHECK(std::filesystem::exists(folder));
}
