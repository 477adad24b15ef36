// How old it is what the window has read of a recording.
#include "gui/view/files/growing_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <filesystem>
#include <fstream>

using namespace tidemark;
using gui::GrowingFile;
using std::chrono::seconds;

namespace {

void append(const std::string& path) {
  std::ofstream(path, std::ios::app) << "more";
}

/// As a writer does that has nothing to write.
void touch(const std::string& path) {
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + seconds(1));
}

}  // namespace

TEST_CASE("what was read of a growing file is as old as the last sign of its writer", "[gui]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("a.tmk.incomplete");
  append(path);
  const GrowingFile::Clock::time_point start{};
  GrowingFile file(path, start);
  CHECK(file.age() < seconds(60));

  touch(path);
  file.look(start + seconds(4));
  CHECK(file.age() == seconds(0));
  CHECK_FALSE(file.has_changed());
  file.look(start + seconds(7));
  CHECK(file.age() == seconds(3));
  touch(path);
  file.look(start + seconds(8));
  CHECK(file.age() == seconds(0));

  // What came is not read: that is behind since it was.
  append(path);
  CHECK(file.has_changed());
  file.look(start + seconds(9));
  CHECK(file.age() == seconds(9));
}

TEST_CASE("a file that was left an hour ago is an hour old", "[gui]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("a.tmk.incomplete");
  append(path);
  const auto now = std::filesystem::file_time_type::clock::now();
  const GrowingFile::Clock::time_point start{};
  std::filesystem::last_write_time(path, now - std::chrono::hours(1));

  GrowingFile file(path, start);

  CHECK(file.age() >= std::chrono::hours(1));
  file.look(start + seconds(9));
  CHECK(file.age() >= std::chrono::hours(1) + seconds(9));
  // One of another machine may come from the future.
  std::filesystem::last_write_time(path, now + std::chrono::hours(1));
  CHECK(GrowingFile(path, start).age() == seconds(0));
}
