#include "preload/os/program_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tidemark;
using preload::breaks_with_preload;

namespace {

/// An ELF file with the headers that a loader looks at, and nothing else.
struct ElfText {
  std::string interpreter = {};          ///< Empty: none.
  std::string own_name = {};             ///< DT_SONAME; empty: none.
  std::vector<std::string> needed = {};  ///< DT_NEEDED

  [[nodiscard]] std::string bytes() const {
    constexpr std::uint64_t kAddress = 0x400000;
    std::string names(1, '\0');
    std::vector<Elf64_Dyn> entries;
    const auto add = [&](std::int64_t tag, const std::string& name) {
      entries.push_back({tag, {names.size()}});
      names += name + '\0';
    };
    for (const std::string& library : needed)
      add(DT_NEEDED, library);
    if (!own_name.empty())
      add(DT_SONAME, own_name);
    const std::uint64_t segments = interpreter.empty() ? 2 : 3;
    const std::uint64_t names_at = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
    const std::uint64_t loader_at = names_at + names.size();
    const std::uint64_t dynamic_at = loader_at + interpreter.size() + 1;
    entries.push_back({DT_STRTAB, {kAddress + names_at}});
    entries.push_back({DT_NULL, {0}});
    const std::uint64_t dynamic_bytes = entries.size() * sizeof(Elf64_Dyn);

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<Elf64_Half>(segments);
    std::string text = as_text(header);
    const auto segment = [&](std::uint32_t type, std::uint64_t at, std::uint64_t bytes) {
      Elf64_Phdr one{};
      one.p_type = type;
      one.p_offset = at;
      one.p_vaddr = kAddress + at;
      one.p_filesz = bytes;
      text += as_text(one);
    };
    if (!interpreter.empty())
      segment(PT_INTERP, loader_at, interpreter.size() + 1);
    segment(PT_LOAD, 0, dynamic_at + dynamic_bytes);
    segment(PT_DYNAMIC, dynamic_at, dynamic_bytes);
    text += names + interpreter + '\0';
    for (const Elf64_Dyn& entry : entries)
      text += as_text(entry);
    return text;
  }

 private:
  template <typename Value>
  static std::string as_text(const Value& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }
};

class Programs {
 public:
  std::string add(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_.file(name), std::ios::binary) << bytes;
    std::filesystem::permissions(folder_.file(name), std::filesystem::perms::owner_all);
    return folder_.file(name);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }

 private:
  tests::TemporaryFolder folder_;
};

bool breaks(const std::string& path) {
  return breaks_with_preload({.path = path.c_str()});
}

}  // namespace

TEST_CASE("a program breaks with glibc's objects where its loader is another library's",
          "[program_file]") {
  Programs programs;
  const std::string musl = programs.add("ld-musl-x86_64.so.1", ElfText{}.bytes());
  const std::string named = programs.add("linker64", ElfText{.own_name = "ld-android.so"}.bytes());
  const std::string glibc =
      programs.add("ld-2.31.so", ElfText{.own_name = "ld-linux-x86-64.so.2"}.bytes());
  const std::string nix = programs.add("ld-linux-x86-64.so.2", ElfText{}.bytes());

  CHECK(breaks(programs.add("program", ElfText{.interpreter = musl}.bytes())));
  CHECK(breaks(programs.add("program", ElfText{.interpreter = named}.bytes())));
  CHECK_FALSE(breaks(programs.add("program", ElfText{.interpreter = glibc}.bytes())));
  CHECK_FALSE(breaks(programs.add("program", ElfText{.interpreter = nix}.bytes())));
  CHECK_FALSE(breaks(programs.add("static", ElfText{}.bytes())));
  CHECK_FALSE(breaks("/proc/self/exe"));
  // Called with the program as an argument.
  CHECK(breaks(named));
  CHECK_FALSE(breaks(glibc));
}

TEST_CASE("a program of another machine could not load an object of this one", "[program_file]") {
  Programs programs;
  std::string bytes = ElfText{}.bytes();
  bytes[EI_CLASS] = ELFCLASS32;
  CHECK(breaks(programs.add("x32", bytes)));
  bytes = ElfText{}.bytes();
  bytes[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_AARCH64);
  CHECK(breaks(programs.add("aarch64", bytes)));
}

TEST_CASE("a program breaks with another object before its sanitizer", "[program_file]") {
  Programs programs;
  const std::string glibc =
      programs.add("ld.so", ElfText{.own_name = "ld-linux-x86-64.so.2"}.bytes());
  CHECK(breaks(programs.add(
      "program", ElfText{.interpreter = glibc, .needed = {"libm.so.6", "libasan.so.8"}}.bytes())));
  CHECK_FALSE(breaks(programs.add(
      "program", ElfText{.interpreter = glibc, .needed = {"libm.so.6", "libubsan.so.1"}}.bytes())));
  // What only another library needs would come too late in any case.
  CHECK_FALSE(breaks(
      programs.add("program", ElfText{.interpreter = glibc, .own_name = "libasan.so"}.bytes())));
}

TEST_CASE("what is started is found as exec finds it", "[program_file]") {
  Programs programs;
  const std::string musl = programs.add("ld-musl-x86_64.so.1", ElfText{}.bytes());
  const std::string program = programs.add("program", ElfText{.interpreter = musl}.bytes());

  SECTION("by a script's first line") {
    CHECK(breaks(programs.add("script", "#! " + program + " -x\nrest")));
    CHECK(breaks(programs.add("script", "#!" + program)));
    CHECK(breaks(programs.add("outer", "#!" + programs.path("script") + "\n")));
    CHECK_FALSE(breaks(programs.add("script", "#!/bin/sh\n# " + program)));
    CHECK_FALSE(breaks(programs.add("script", "#!")));
    CHECK_FALSE(breaks(programs.add("endless", "#!" + programs.path("endless") + "\n")));
  }
  SECTION("along PATH, where it has no slash") {
    const std::string before = ::getenv("PATH");
    ::setenv("PATH", ("/nowhere:" + programs.path("")).c_str(), 1);
    const bool found = breaks_with_preload({.path = "program", .is_searched = true});
    const bool not_searched = breaks_with_preload({.path = "program"});
    // What may not be executed is passed over.
    std::filesystem::create_directory(programs.path("first"));
    std::ofstream(programs.path("first/program")) << ElfText{}.bytes();
    ::setenv("PATH", (programs.path("first") + ":" + programs.path("")).c_str(), 1);
    const bool passed_over = breaks_with_preload({.path = "program", .is_searched = true});
    ::setenv("PATH", before.c_str(), 1);
    CHECK(found);
    CHECK_FALSE(not_searched);
    CHECK(passed_over);
  }
  SECTION("by descriptors") {
    const int folder = ::open(programs.path("").c_str(), O_PATH | O_CLOEXEC);
    const int file = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
    CHECK(breaks_with_preload({.path = "program", .directory = folder}));
    CHECK(breaks_with_preload({.path = "", .directory = file}));
    ::close(folder);
    ::close(file);
  }
}

TEST_CASE("what is no program breaks nothing, and is not waited for", "[program_file]") {
  Programs programs;
  REQUIRE(::mkfifo(programs.path("fifo").c_str(), 0700) == 0);
  CHECK_FALSE(breaks(programs.path("fifo")));
  CHECK_FALSE(breaks(programs.path("missing")));
  CHECK_FALSE(breaks(programs.path("")));
  CHECK_FALSE(breaks(""));
  CHECK_FALSE(breaks_with_preload({}));
  CHECK_FALSE(breaks_with_preload({.path = "", .is_searched = true}));
  const std::string musl = programs.add("ld-musl-x86_64.so.1", ElfText{}.bytes());
  const std::string whole = ElfText{.interpreter = musl, .needed = {"libasan.so.8"}}.bytes();
  for (std::size_t bytes = 0; bytes < sizeof(Elf64_Ehdr); ++bytes)
    CHECK_FALSE(breaks(programs.add("cut", whole.substr(0, bytes))));
  // No loader of that name: the kernel will not start it.
  CHECK_FALSE(
      breaks(programs.add("program", ElfText{.interpreter = programs.path("missing")}.bytes())));
}

TEST_CASE("a file that cannot be read where it is named is out of reach", "[program_file]") {
  Programs programs;
  CHECK_FALSE(preload::is_out_of_reach(programs.add("object", "").c_str()));
  CHECK(preload::is_out_of_reach(programs.path("missing").c_str()));
  CHECK(preload::is_out_of_reach(programs.path("object/file").c_str()));
}
