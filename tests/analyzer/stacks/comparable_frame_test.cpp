#include "analyzer/stacks/comparable_frame.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FrameTable;
using analyzer::NamedFrame;

namespace {

trace::Definitions with_modules(const std::vector<std::string>& paths) {
  trace::Definitions definitions;
  definitions.modules.emplace_back();
  for (const std::string& path : paths) {
    definitions.modules.push_back({.path = path, .build_id = "", .base = 0});
  }
  return definitions;
}

NamedFrame frame_called(const std::string& function,
                        const std::string& file = "",
                        std::uint32_t line = 0) {
  return {.function = function, .file = file, .line = line, .module = "/opt/loader"};
}

NamedFrame unnamed(const std::string& module) {
  return {.function = module + "+0x10", .file = "", .line = 0, .module = module, .named = false};
}

}  // namespace

TEST_CASE("what compilers add to a symbol is left out", "[diff]") {
  CHECK(analyzer::without_clone_suffix("load.constprop.0") == "load");
  CHECK(analyzer::without_clone_suffix("load.part.0.cold") == "load");
  CHECK(analyzer::without_clone_suffix("load.isra.0.constprop.12") == "load");
  CHECK(analyzer::without_clone_suffix("load.llvm.1234567890") == "load");
  CHECK(analyzer::without_clone_suffix("load(int) [clone .cold]") == "load(int)");
  CHECK(analyzer::without_clone_suffix("load(int) [clone .part.0] [clone .cold]") == "load(int)");
  CHECK(analyzer::without_clone_suffix("memcpy@@GLIBC_2.14") == "memcpy");
}

TEST_CASE("names that only look like a compiler's are kept", "[diff]") {
  CHECK(analyzer::without_clone_suffix("main.load") == "main.load");
  CHECK(analyzer::without_clone_suffix("main.partial.0") == "main.partial.0");
  CHECK(analyzer::without_clone_suffix(".cold") == ".cold");
  CHECK(analyzer::without_clone_suffix("load.7") == "load.7");
  CHECK(analyzer::without_clone_suffix("").empty());
}

TEST_CASE("a function is known by its name, not by its line or folder", "[diff]") {
  FrameTable table(with_modules({"/opt/loader"}), with_modules({"/opt/loader"}));

  const auto before = table.add(frame_called("load(int)", "/a/loader.cpp", 40), "build 1");
  const auto after = table.add(frame_called("load(int)", "/b/loader.cpp", 52), "build 2");

  CHECK(before.name == after.name);
  CHECK(before.short_name == after.short_name);
  CHECK(before.site != after.site);
}

TEST_CASE("the same line is the same code only in the same build", "[diff]") {
  FrameTable table(with_modules({}), with_modules({}));

  const auto frame = table.add(frame_called("load", "/a/loader.cpp", 40), "build 1");

  CHECK(table.add(frame_called("load", "/a/loader.cpp", 40), "build 1").site == frame.site);
  CHECK(table.add(frame_called("load", "/a/loader.cpp", 40), "build 2").site != frame.site);
}

TEST_CASE("a Python function is known by its name and file, not by its line or folder", "[diff]") {
  FrameTable table(with_modules({}), with_modules({}));
  const auto python = [](const std::string& function, const std::string& file, std::uint32_t line) {
    NamedFrame frame = frame_called(function, file, line);
    frame.is_python = true;
    return frame;
  };

  const auto before = table.add(python("Loader.read", "/a/load.py", 40), "build 1");

  CHECK(table.add(python("Loader.read", "/b/load.py", 52), "build 2").name == before.name);
  CHECK(table.add(python("Loader.read", "/a/save.py", 40), "build 1").name != before.name);
  CHECK(table.add(python("Saver.read", "/a/load.py", 40), "build 1").name != before.name);
  CHECK(analyzer::lineless_name(python("f.<locals>.<lambda>", "/a/load.py", 1)) ==
        "f.<locals>.<lambda> (load.py)");
}

TEST_CASE("other arguments make another name and the same short name", "[diff]") {
  FrameTable table(with_modules({}), with_modules({}));

  const auto one = table.add(frame_called("Tensor<float>::load(char const*)"), "1");
  const auto other = table.add(frame_called("Tensor<double>::load(std::string const&)"), "2");

  CHECK(one.name != other.name);
  CHECK(one.short_name == other.short_name);
}

TEST_CASE("code without names is known by its module", "[diff]") {
  FrameTable table(with_modules({"/a/libtorch.so.2.1", "/a/libm.so.6"}),
                   with_modules({"/b/libtorch.so.2.2", "/b/libm.so.6"}));

  const auto torch = table.add(unnamed("/a/libtorch.so.2.1"), "1");

  CHECK(table.add(unnamed("/b/libtorch.so.2.2"), "2").name == torch.name);
  CHECK(table.add(unnamed("/b/libm.so.6"), "2").name != torch.name);
  CHECK(table.add(unnamed(""), "2").name != torch.name);
}

TEST_CASE("code without names of a module that was renamed is known by its place", "[diff]") {
  FrameTable table(with_modules({"/a/loader-old", "/a/libc.so.6"}),
                   with_modules({"/b/loader-new", "/b/libc.so.6"}));

  const auto before = table.add(unnamed("/a/loader-old"), "1");

  CHECK(table.add(unnamed("/b/loader-new"), "2").name == before.name);
  CHECK(table.add(unnamed("/b/libc.so.6"), "2").name != before.name);
}
