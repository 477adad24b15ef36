#include "collector/process/open_files.hpp"

#include "collector/os/file_descriptor.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;

namespace {

constexpr std::uint64_t kWeights = 1 << 20;

std::vector<OpenFile> found_in(const TemporaryFolder& folder) {
  std::vector<OpenFile> files = files_open_to_read(::getpid(), kWeights);
  std::erase_if(files, [&](const OpenFile& file) { return !file.path.starts_with(folder.path()); });
  return files;
}

FileDescriptor open_file(const std::string& path, int flags = O_RDONLY) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  REQUIRE(file.is_open());
  return file;
}

}  // namespace

TEST_CASE("files that are open to be read are listed, and how far they are", "[open_files]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights", std::string(kWeights, 'w'));
  const FileDescriptor one = open_file(path);
  const FileDescriptor other = open_file(path);
  REQUIRE(::lseek(one.number(), 1000, SEEK_SET) == 1000);
  REQUIRE(::lseek(other.number(), 3000, SEEK_SET) == 3000);
  const auto files = found_in(folder);
  REQUIRE(files.size() == 1);
  CHECK(files[0].path == path);
  CHECK(files[0].size == kWeights);
  CHECK(files[0].position == 3000);
  CHECK_FALSE(files[0].is_unlinked);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK(files[0].inode == status.st_ino);
  CHECK(files[0].device == status.st_dev);
  ::unlink(path.c_str());
  REQUIRE(found_in(folder).size() == 1);
  CHECK(found_in(folder)[0].is_unlinked);
}

TEST_CASE("small files, files to be written and what is none are not listed", "[open_files]") {
  const TemporaryFolder folder;
  const FileDescriptor small = open_file(folder.file("small", std::string(kWeights - 1, 's')));
  const FileDescriptor log = open_file(folder.file("log", std::string(kWeights, 'l')), O_RDWR);
  const FileDescriptor of_folder = open_file(folder.path(), O_RDONLY | O_DIRECTORY);
  CHECK(found_in(folder).empty());
  CHECK(files_open_to_read(::getpid(), kWeights, 0).empty());
  CHECK(files_open_to_read(0x7fffffff, kWeights).empty());
}
