#include "gui/view/files/folder_listing.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <filesystem>
#include <fstream>

using namespace tidemark;

TEST_CASE("a folder lists its traces with their sizes, then its folders", "[gui]") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("b.tmk")) << "12345";
  std::ofstream(folder.file("a.tmk.incomplete")) << "123";
  std::ofstream(folder.file("notes.txt")) << "no trace";
  std::ofstream(folder.file(".hidden.tmk")) << "1";
  std::filesystem::create_directory(folder.file("a folder"));

  const auto listing = gui::list_folder(folder.file(""));

  CHECK(listing.error.empty());
  CHECK(listing.entries == std::vector<gui::FolderEntry>{{"a.tmk.incomplete", false, 3},
                                                         {"b.tmk", false, 5},
                                                         {"a folder", true}});
}

TEST_CASE("a trace whose size cannot be known is listed without one", "[gui]") {
  const tests::TemporaryFolder folder;
  std::filesystem::create_symlink("nowhere", folder.file("x.tmk"));

  const auto listing = gui::list_folder(folder.file(""));

  CHECK(listing.error.empty());
  CHECK(listing.entries == std::vector<gui::FolderEntry>{{"x.tmk", false}});
}

TEST_CASE("a folder that cannot be read is said to be one", "[gui]") {
  const tests::TemporaryFolder folder;

  const auto listing = gui::list_folder(folder.file("missing"));

  CHECK(listing.entries.empty());
  CHECK(listing.error == folder.file("missing") + " cannot be read: No such file or directory");
}
