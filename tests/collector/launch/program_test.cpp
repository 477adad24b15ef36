#include "collector/launch/program.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

using tidemark::ErrorCode;
using tidemark::inspect_program;
using tidemark::Program;
using tidemark::tests::TemporaryFolder;

namespace {

std::string host(const std::string& name) {
  return TIDEMARK_HOSTS + name;
}

Program accepted(const std::string& name, const char* path_env = "/usr/bin:/bin") {
  auto result = inspect_program(name, path_env);
  INFO((result.ok() ? "" : result.error().message));
  REQUIRE(result.ok());
  return result.value();
}

/// The sentence that says why not.
std::string refused(const std::string& name, const char* path_env = "/usr/bin:/bin") {
  const auto result = inspect_program(name, path_env);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == ErrorCode::kUsage);
  CHECK(result.error().message.find('\n') == std::string::npos);
  return result.error().message;
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The plain host with another machine in its header.
std::string for_machine(std::uint16_t machine, unsigned char elf_class = ELFCLASS64) {
  std::string bytes = contents_of(host("plain"));
  bytes[EI_CLASS] = static_cast<char>(elf_class);
  bytes[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(machine & 0xff);
  bytes[offsetof(Elf64_Ehdr, e_machine) + 1] = static_cast<char>(machine >> 8);
  return bytes;
}

}  // namespace

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("an ordinary program is found along PATH", "[program]") {
  const Program program = accepted("env");
  CHECK(program.path == "/usr/bin/env");
  CHECK(program.interpreter == "/usr/bin/env");
  CHECK(program.warnings.empty());
  CHECK_FALSE(program.needs_shell);
  CHECK_FALSE(program.heap_invisible);
}

TEST_CASE("PATH is read as execvp reads it", "[program]") {
  const TemporaryFolder folder;
  folder.executable("tool", "#!/bin/sh\n");
  std::filesystem::create_directories(folder.file("folders/tool"));
  folder.file("not_executable", "#!/bin/sh\n");
  std::filesystem::create_directories(folder.file("broken"));
  folder.executable("broken/tool", "#!/no/such/interpreter\n");

  SECTION("an unset PATH means the system's folders") {
    CHECK(accepted("env", nullptr).path == "/bin/env");
  }
  SECTION("a folder of that name is passed over") {
    const std::string path = folder.file("folders") + ":" + folder.file("");
    CHECK(accepted("tool", path.c_str()).path == folder.file("") + "/tool");
  }
  SECTION("a script without its interpreter is passed over") {
    const std::string path = folder.file("broken") + ":" + folder.file("");
    CHECK(accepted("tool", path.c_str()).path == folder.file("") + "/tool");
    CHECK_THAT(refused("tool", folder.file("broken").c_str()), Contains("/no/such/interpreter"));
  }
  SECTION("an empty part means the current folder") {
    const std::string before = std::filesystem::current_path();
    std::filesystem::current_path(folder.file(""));
    CHECK(accepted("tool", "/nowhere:").path == "tool");
    std::filesystem::current_path(before);
  }
}

TEST_CASE("a name that stands for nothing startable is refused with the reason", "[program]") {
  const TemporaryFolder folder;
  CHECK_THAT(refused(""), Contains("empty"));
  CHECK_THAT(refused("no-such-program"), StartsWith("'no-such-program' was not found on PATH"));
  CHECK_THAT(refused("./no-such-program"), Contains("does not exist"));
  CHECK_THAT(refused("/etc/passwd/x"), Contains("does not exist"));
  CHECK_THAT(refused(folder.file("")), Contains("is a directory"));
  CHECK_THAT(refused(folder.file("text", "hello")), Contains("permission denied"));
  CHECK_THAT(refused("/dev/null"), Contains("not a regular file"));
  CHECK_THAT(refused(std::string(5000, 'x') + "/y"), Contains("File name too long"));
}

TEST_CASE("a FIFO is refused and not waited for", "[program]") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.file("fifo").c_str(), 0755) == 0);
  CHECK_THAT(refused(folder.file("fifo")), Contains("not a regular file"));
  folder.executable("script", "#!" + folder.file("fifo") + "\n");
  CHECK_THAT(refused(folder.file("script")), Contains("not a regular file"));
}

TEST_CASE("a script leads to the program that interprets it", "[program]") {
  const TemporaryFolder folder;
  const std::string script = folder.executable("script", "#! /bin/sh -e\n");
  const std::string through_script = folder.executable("outer", "#!" + script + "\n");
  const std::string through_env = folder.executable("env", "#!/usr/bin/env sh\n");
  CHECK(accepted(script).interpreter == "/bin/sh");
  CHECK(accepted(through_script).path == through_script);
  CHECK(accepted(through_script).interpreter == "/bin/sh");
  CHECK(accepted(through_env).interpreter == "/usr/bin/sh");
}

TEST_CASE("a script whose interpreter is missing is refused by the interpreter's name",
          "[program]") {
  const TemporaryFolder folder;
  CHECK_THAT(refused(folder.executable("a", "#!/no/such/python\n")), Contains("'/no/such/python'"));
  CHECK_THAT(refused(folder.executable("b", "#!/usr/bin/env no-such-python\n")),
             Contains("'no-such-python' was not found on PATH"));
}

TEST_CASE("scripts may stand on scripts as deep as the kernel allows", "[program]") {
  const TemporaryFolder folder;
  std::string below = "/bin/true";
  for (int depth = 1; depth <= 7; ++depth) {
    below = folder.executable("script" + std::to_string(depth), "#!" + below + "\n");
    const bool runs = std::system(("exec " + below + " 2>/dev/null").c_str()) == 0;
    CAPTURE(depth);
    CHECK(inspect_program(below, nullptr).ok() == runs);
  }
  const std::string loop =
      folder.executable("loop", "#!/usr/bin/env " + folder.file("loop") + "\n");
  CHECK_THAT(refused(loop), Contains("script of a script"));
}

TEST_CASE("text without a first line goes to the shell, as with execvp", "[program]") {
  const TemporaryFolder folder;
  const auto text = GENERATE(as<std::string>{}, "", "echo hello\n", "#!\n");
  const Program program = accepted(folder.executable("text", text));
  CHECK(program.needs_shell);
  CHECK(program.path == folder.file("text"));
  CHECK(program.interpreter == "/bin/sh");
}

TEST_CASE("programs out of LD_PRELOAD's reach are refused with the reason", "[program]") {
  CHECK_THAT(refused(host("static")), Contains("is statically linked: LD_PRELOAD cannot reach it"));
  CHECK_THAT(refused(host("static_pie")), Contains("is statically linked"));
  CHECK_THAT(refused(host("asan")), Contains("was built with AddressSanitizer"));
  CHECK_THAT(refused(host("tsan")), Contains("was built with ThreadSanitizer"));
  CHECK_THAT(refused(host("for_musl")), Contains("is linked with musl"));
  CHECK_THAT(refused(host("without_loader")), Contains("needs the loader /nowhere/ld.so"));
  CHECK(accepted(host("ubsan")).warnings.empty());
}

TEST_CASE("a script whose interpreter is out of reach says which one it is", "[program]") {
  const TemporaryFolder folder;
  const std::string script = folder.executable("script", "#!" + host("static") + "\n");
  CHECK_THAT(refused(script),
             Contains("runs through '" + host("static") + "', which is statically linked"));
}

TEST_CASE("the loader itself may be started, since it preloads too", "[program]") {
  CHECK(accepted("/lib64/ld-linux-x86-64.so.2").warnings.empty());
}

TEST_CASE("programs for other machines are refused by the machine's name", "[program]") {
  const TemporaryFolder folder;
  CHECK_THAT(refused(folder.executable("a", for_machine(EM_AARCH64))), Contains("AArch64"));
  CHECK_THAT(refused(folder.executable("b", for_machine(EM_RISCV))), Contains("RISC-V"));
  CHECK_THAT(refused(folder.executable("c", for_machine(EM_386, ELFCLASS32))),
             Contains("32-bit x86"));
  CHECK_THAT(refused(folder.executable("d", for_machine(0x1234))), Contains("machine 4660"));
}

TEST_CASE("a program with a malloc of its own is recorded with a warning", "[program]") {
  const Program program = accepted(host("own_malloc"));
  CHECK(program.heap_invisible);
  REQUIRE(program.warnings.size() == 1);
  CHECK_THAT(program.warnings[0], Contains("its heap is invisible"));
}

TEST_CASE("a program that belongs to another user and is set-user-id is refused", "[program]") {
  if (::geteuid() != 0) {
    SKIP_TEST("only root can make programs that belong to others");
    return;
  }
  const TemporaryFolder folder;
  const std::string program = folder.copy_of(host("plain"), "program");
  REQUIRE(::chown(program.c_str(), 65534, 0) == 0);
  REQUIRE(::chmod(program.c_str(), 04755) == 0);
  CHECK_THAT(refused(program), Contains("is set-user-id to another user"));
}

TEST_CASE("damaged programs are looked at without harm", "[program][robustness]") {
  const auto seed = GENERATE(range(1U, 200U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::string bytes = contents_of(host("plain"));
  for (int i = 0; i < 20; ++i) {
    bytes[SELFMAG + random() % (seed % 2 == 0 ? 1024 : bytes.size() - SELFMAG)] =
        static_cast<char>(random());
  }
  if (seed % 5 == 0) {
    bytes.resize(random() % bytes.size());
  }
  const TemporaryFolder folder;
  const auto result = inspect_program(folder.executable("damaged", bytes), nullptr);
  CHECK((result.ok() || !result.error().message.empty()));
}
