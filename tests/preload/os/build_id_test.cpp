// The build id in memory is that of the file.
#include "preload/os/build_id.hpp"

#include "collector/os/build_id.hpp"
#include "collector/os/file_descriptor.hpp"
#include "tests/support/catch.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <link.h>

using namespace tidemark;

namespace {

struct Object {
  std::string path;
  std::uint64_t begin = 0;
  std::uint64_t bias = 0;
};

/// Every object of this process that has a file.
std::vector<Object> objects() {
  std::vector<Object> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        const std::string path = *info->dlpi_name != '\0' ? info->dlpi_name : "/proc/self/exe";
        for (std::uint16_t i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          if (segment.p_type == PT_LOAD && path.front() == '/') {
            static_cast<std::vector<Object>*>(out)->push_back(
                {path, info->dlpi_addr + segment.p_vaddr, info->dlpi_addr});
            break;
          }
        }
        return 0;
      },
      &found);
  return found;
}

std::string hex(std::span<const std::byte> bytes) {
  return to_hex(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

/// The first page of an object with one segment, which has a note.
struct Page {
  alignas(4096) std::byte bytes[4096]{};
  ElfW(Ehdr) & header = *reinterpret_cast<ElfW(Ehdr) *>(bytes);
  ElfW(Phdr) * segments = reinterpret_cast<ElfW(Phdr) *>(bytes + sizeof header);
  ElfW(Nhdr) & note = *reinterpret_cast<ElfW(Nhdr) *>(bytes + 1024);

  Page() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(ElfW(Phdr));
    header.e_phnum = 2;
    segments[0].p_type = PT_LOAD;
    segments[0].p_flags = PF_R;
    segments[0].p_filesz = sizeof bytes;
    segments[1].p_type = PT_NOTE;
    segments[1].p_vaddr = 1024;
    segments[1].p_filesz = 20;
    note = {.n_namesz = 4, .n_descsz = 4, .n_type = NT_GNU_BUILD_ID};
    std::memcpy(bytes + 1024 + sizeof note, "GNU\0\x01\x02\x03\x04", 8);
  }
  [[nodiscard]] std::string id() const {
    const auto begin = reinterpret_cast<std::uint64_t>(bytes);
    return hex(preload::find_build_id(begin, begin));
  }
};

}  // namespace

TEST_CASE("the build id of an object in memory is that of its file", "[build_id]") {
  const auto all = objects();
  REQUIRE(all.size() > 3);
  for (const Object& object : all) {
    CAPTURE(object.path);
    const FileDescriptor file = open_regular_file(object.path);
    REQUIRE(file.is_open());
    CHECK(hex(preload::find_build_id(object.begin, object.bias)) == read_build_id(file.number()));
  }
}

TEST_CASE("a build id is found behind other notes", "[build_id]") {
  Page page;
  CHECK(page.id() == "01020304");
  std::memcpy(page.bytes + 1044, page.bytes + 1024, 20);
  page.note.n_type = NT_GNU_ABI_TAG;
  CHECK(page.id().empty());
  page.segments[1].p_filesz = 40;
  CHECK(page.id() == "01020304");
}

TEST_CASE("of an object whose headers are made up nothing else is read", "[build_id]") {
  struct Fault {
    const char* what;
    void (*make)(Page&);
  };
  const Fault fault = GENERATE(
      Fault{"no ELF", [](Page& page) { page.bytes[0] = std::byte{0}; }},
      Fault{"headers elsewhere", [](Page& page) { page.header.e_phoff = 3000; }},
      Fault{"more headers than the page has room for",
            [](Page& page) { page.header.e_phnum = 100; }},
      Fault{"notes outside every segment",
            [](Page& page) { page.segments[1].p_vaddr = ~std::uint64_t{0} - 8; }},
      Fault{"notes beyond the segment's end", [](Page& page) { page.segments[1].p_vaddr = 4080; }},
      Fault{"notes that are not to be read", [](Page& page) { page.segments[0].p_flags = PF_X; }},
      Fault{"a name that is longer than all notes",
            [](Page& page) { page.note.n_namesz = 0xffffffff; }},
      Fault{"an id that is longer than all notes",
            [](Page& page) { page.note.n_descsz = 0xfffffff0; }});
  CAPTURE(fault.what);
  Page page;
  CHECK(page.id() == "01020304");
  fault.make(page);
  CHECK(page.id().empty());
}
