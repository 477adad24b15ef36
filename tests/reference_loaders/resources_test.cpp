#include "reference_loaders/cli/resources.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

using namespace tidemark::loaders;
using tidemark::tests::TemporaryFolder;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

/// A folder with the files of the kernel's control groups.
class Groups {
 public:
  void add(const std::string& group,
           const std::string& limit,
           std::uint64_t used,
           std::uint64_t cache) {
    const std::filesystem::path folder = folder_.file(group);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "memory.max") << limit << '\n';
    std::ofstream(folder / "memory.current") << used << '\n';
    std::ofstream(folder / "memory.stat")
        << "anon " << used - cache << "\nfile " << cache << "\ninactive_file " << cache / 2
        << "\nactive_file " << cache - cache / 2 << '\n';
  }
  [[nodiscard]] std::uint64_t available(const std::string& group) const {
    return group_available_bytes(folder_.path(), group);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("what a control group uses is not available, but for the page cache", "[resources]") {
  Groups groups;
  groups.add("job", std::to_string(1024 * kMiB), 900 * kMiB, 0);
  CHECK(groups.available("job") == 124 * kMiB);

  groups.add("job", std::to_string(1024 * kMiB), 900 * kMiB, 600 * kMiB);
  CHECK(groups.available("job") == 724 * kMiB);

  groups.add("job", std::to_string(1024 * kMiB), 1030 * kMiB, 0);
  CHECK(groups.available("job") == 0);
}

TEST_CASE("the control group with least to give decides, at any level", "[resources]") {
  Groups groups;
  groups.add("user/job", "max", 100 * kMiB, 0);
  CHECK(groups.available("user/job") == std::numeric_limits<std::uint64_t>::max());

  groups.add("user", std::to_string(1024 * kMiB), 1000 * kMiB, 0);
  CHECK(groups.available("user/job") == 24 * kMiB);

  groups.add("user/job", std::to_string(110 * kMiB), 100 * kMiB, 0);
  CHECK(groups.available("user/job") == 10 * kMiB);
}
