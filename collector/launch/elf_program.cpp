#include "collector/launch/elf_program.hpp"

#include "collector/launch/program_search.hpp"
#include "collector/os/file_descriptor.hpp"

#include <elf.h>

namespace tidemark {
namespace {

std::string wrong_kind(const ElfFacts& facts) {
  if (facts.is_damaged) {
    return "is a damaged ELF file: build or install it again";
  }
  if (!facts.is_native) {
    return "is a program for another architecture (" + facts.machine +
           "): tidemark records 64-bit x86-64 programs, so use a build for that";
  }
  if (facts.type != ET_EXEC && facts.type != ET_DYN) {
    return "is an ELF file but not a program: link it first";
  }
  return {};
}

bool is_loader_of_glibc(const std::string& soname) {
  return soname.starts_with("ld-linux");
}

std::string without_loader(const ElfFacts& facts) {
  // The loader itself has none, and `ld-linux-x86-64.so.2 PROGRAM` preloads as well as PROGRAM
  // does.
  if (is_loader_of_glibc(facts.soname)) {
    return {};
  }
  if (!facts.soname.empty()) {
    return "is a shared library, not a program: name a program that loads it";
  }
  return "is statically linked: LD_PRELOAD cannot reach it, so link it dynamically to record it";
}

std::string foreign_loader(const std::string& path, const std::string& soname) {
  const bool is_musl =
      path.find("musl") != std::string::npos || soname.find("musl") != std::string::npos;
  return "is linked with " + (is_musl ? std::string("musl") : "a C library other than glibc") +
         " (" + path + "): tidemark records programs linked with glibc, so use a build for that";
}

Obstacle check_loader(const std::string& path) {
  const Startable found = look_at(path);
  if (!found.exists) {
    // The name alone may show why there is no such file here.
    return {path.find("musl") != std::string::npos
                ? foreign_loader(path, {})
                : "needs the loader " + path +
                      ", which does not exist: install the C library it "
                      "was built for",
            true};
  }
  const FileDescriptor file = open_regular_file(path);
  const auto facts = file.is_open() ? read_elf_facts(file.number()) : std::nullopt;
  if (!facts || facts->is_damaged) {
    return {
        "needs the loader " + path + ", which is not one: install the C library it was built for",
        false};
  }
  return {is_loader_of_glibc(facts->soname) ? "" : foreign_loader(path, facts->soname), false};
}

std::string sanitizer_obstacle(const std::string& sanitizer) {
  const std::string flag = sanitizer == "AddressSanitizer"  ? "address"
                           : sanitizer == "ThreadSanitizer" ? "thread"
                           : sanitizer == "MemorySanitizer" ? "memory"
                           : sanitizer == "LeakSanitizer"   ? "leak"
                                                            : "hwaddress";
  return "was built with " + sanitizer +
         ", which must come first in the process: build it without -fsanitize=" + flag;
}

}  // namespace

Obstacle find_obstacle(const ElfFacts& facts, int file, const Credentials& caller) {
  if (auto sentence = wrong_kind(facts); !sentence.empty()) {
    return {std::move(sentence), false};
  }
  if (facts.loader.empty()) {
    return {without_loader(facts), false};
  }
  if (!facts.sanitizer.empty()) {
    return {sanitizer_obstacle(facts.sanitizer), false};
  }
  if (const auto reason = secure_mode_reason(file, caller); !reason.empty()) {
    return {reason + ": the loader ignores LD_PRELOAD there, so record a plain copy (cp) of it",
            false};
  }
  return check_loader(facts.loader);
}

}  // namespace tidemark
