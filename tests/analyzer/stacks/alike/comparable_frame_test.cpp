#include "analyzer/stacks/alike/comparable_frame.hpp"

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

TEST_CASE("stacks of two traces share what they have in common", "[diff]") {
  FrameTable table(with_modules({}), with_modules({}));
  analyzer::ComparableTree tree;
  const auto frame = [&table](const std::string& function, std::uint32_t line = 1) {
    return table.add(frame_called(function, "/a/loader.cpp", line), "build");
  };

  const auto load = tree.node_of(std::vector{frame("malloc"), frame("load"), frame("main")});

  CHECK(tree.node_of(std::vector{frame("malloc"), frame("load"), frame("main")}) == load);
  CHECK(tree.node_of(std::vector{frame("load"), frame("main")}) == tree.caller_of(load));
  CHECK(tree.node_of(std::vector{frame("malloc"), frame("load", 2), frame("main")}) != load);
  CHECK(tree.node_of({}) == analyzer::ComparableTree::kRoot);
  CHECK(tree.frame_of(load).name == frame("malloc").name);
}

TEST_CASE("start-up code is taken off where a stack ends, not where a function is called so",
          "[diff]") {
  FrameTable table(with_modules({}), with_modules({}));
  analyzer::ComparableTree tree;
  const auto node_of = [&](const std::vector<std::string>& functions) {
    analyzer::ComparableTree::Path path;
    for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
      path = tree.called_by(path, table.add(frame_called(*function), "build"));
    }
    return path.node;
  };

  CHECK(node_of({"load", "main", "__libc_start_main", "?", "?"}) == node_of({"load", "main"}));
  CHECK(node_of({"load", "__libc_start_main", "b", "a", "main", "_start"}) != node_of({"load"}));
  CHECK(node_of({"__libc_start_main", "?"}) == analyzer::ComparableTree::kRoot);
}

TEST_CASE("frames of one place that read otherwise are not one site", "[diff]") {
  FrameTable table(with_modules({}), with_modules({"/a/libm.so"}));
  const auto known = table.add(unnamed("/a/libm.so"), "after");
  auto named = unnamed("/a/libm.so");
  named.named = true;

  CHECK(table.add(unnamed("/a/libm.so"), "after").site == known.site);
  CHECK(table.add(named, "after").site != known.site);
}

TEST_CASE("of any number of nodes each has its own number, in the order in which they came",
          "[diff]") {
  constexpr std::uint32_t kNodes = 10'000;
  analyzer::ChildIndex tree;
  std::uint32_t out_of_order = 0;
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    const auto child = tree.of(i / 2, i % 2);
    out_of_order += child.is_new && child.node == i + 1 ? 0U : 1U;
  }
  std::uint32_t unknown = 0;
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    const auto child = tree.of(i / 2, i % 2);
    const bool is_known = !child.is_new && child.node == i + 1;
    unknown += is_known && tree.parent_of(i + 1) == i / 2 && tree.key_of(i + 1) == i % 2 ? 0U : 1U;
  }

  CHECK(out_of_order == 0);
  CHECK(unknown == 0);
  CHECK(tree.size() == kNodes + 1);
}
