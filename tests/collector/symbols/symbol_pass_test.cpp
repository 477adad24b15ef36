#include "collector/symbols/symbol_pass.hpp"

#include "collector/symbols/lookup/symbols.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using tidemark::every_frame;
using tidemark::resolve_symbols;
using tidemark::SymbolCache;
using tidemark::Symbolizer;
using tidemark::SymbolPassOptions;
using tidemark::tests::TemporaryFolder;
using tidemark::trace::Frame;
using tidemark::trace::FrameId;
using tidemark::trace::Location;
using tidemark::trace::Module;
using tidemark::trace::ModuleId;

namespace {

std::string host(const std::string& name) {
  return TIDEMARK_HOSTS + name;
}

std::string text_of(const std::vector<Location>& locations) {
  std::string text;
  for (const Location& location : locations) {
    text += location.function + " " + location.file + ":" + std::to_string(location.line) + "\n";
  }
  return text;
}

/// Frames in a few files, in no order.
struct Code {
  std::vector<Module> modules{{}};
  std::vector<Frame> frames;

  explicit Code(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      modules.push_back({path, Symbolizer::build_id(path), 0});
    }
    // Small programs have their code at the beginning, the C library has none there.
    for (std::uint64_t offset = 0x40000; offset > 0x1000; offset -= offset > 0x3000 ? 0x95 : 0x1d) {
      for (std::uint32_t module = 1; module < modules.size(); ++module) {
        frames.push_back({ModuleId{module}, offset});
      }
      frames.push_back({tidemark::trace::kNoModule, offset});
    }
  }

  /// By frame; what has no name is "".
  [[nodiscard]] std::vector<std::string> names(const SymbolPassOptions& options) const {
    std::vector<std::string> names(frames.size());
    resolve_symbols(modules, frames, every_frame(frames), options,
                    [&](FrameId frame, const std::vector<Location>& locations) {
                      names.at(index(frame)) = text_of(locations);
                    });
    return names;
  }
  [[nodiscard]] std::vector<std::string> names() const { return names({}); }
};

std::size_t count_named(const std::vector<std::string>& names) {
  std::size_t named = 0;
  for (const std::string& name : names) {
    named += name.empty() ? 0U : 1U;
  }
  return named;
}

std::string c_library() {
  for (const char* path : {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6"}) {
    if (std::filesystem::exists(path)) {
      return path;
    }
  }
  return host("pie");
}

std::vector<std::string> several_files() {
  return {host("pie"),    host("dwarf4"), host("split"), host("lto"),      host("stripped"),
          host("linked"), c_library(),    "/nowhere",    "/proc/self/exe", host("no_symbols")};
}

SymbolPassOptions with(const std::unique_ptr<const SymbolCache>& cache) {
  SymbolPassOptions options;
  options.cache = cache.get();
  return options;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                std::filesystem::directory_iterator()));
}

/// Makes the file useless without changing what its attributes say.
void overwrite(const std::string& path) {
  const auto time = std::filesystem::last_write_time(path);
  const auto size = std::filesystem::file_size(path);
  std::ofstream(path, std::ios::binary) << std::string(size, '\0');
  std::filesystem::last_write_time(path, time);
}

}  // namespace

TEST_CASE("many threads find what one finds, and what is found one by one", "[symbols]") {
  const Code code(several_files());
  SymbolPassOptions one;
  one.threads = 1;
  SymbolPassOptions many;
  many.threads = 8;

  const auto names = code.names(one);

  CHECK(count_named(names) > 500);
  CHECK(code.names(many) == names);
  for (std::size_t i = 0; i < code.frames.size(); i += 97) {
    const Frame& frame = code.frames[i];
    const Module& module = code.modules[index(frame.module)];
    CAPTURE(module.path, frame.offset);
    CHECK(names[i] == text_of(Symbolizer(module.path, module.build_id).locate(frame.offset)));
  }
}

TEST_CASE("frames are named module by module and upwards in each", "[symbols]") {
  const Code code({host("pie"), host("dwarf4")});
  std::vector<std::pair<std::uint32_t, std::uint64_t>> order;
  SymbolPassOptions options;
  options.threads = 4;
  resolve_symbols(code.modules, code.frames, every_frame(code.frames), options,
                  [&](FrameId frame, const std::vector<Location>& locations) {
                    CHECK_FALSE(locations.empty());
                    order.emplace_back(index(code.frames[index(frame)].module),
                                       code.frames[index(frame)].offset);
                  });
  CHECK(order.size() > 10);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("only the wanted frames are named", "[symbols]") {
  const Code code({host("pie")});
  const auto all = code.names();
  std::size_t named = 0;
  resolve_symbols(code.modules, code.frames, {FrameId{0}, FrameId{2}, FrameId{4}}, {},
                  [&](FrameId frame, const std::vector<Location>& locations) {
                    CHECK(index(frame) % 2 == 0);
                    CHECK(text_of(locations) == all[index(frame)]);
                    ++named;
                  });
  CHECK(named <= 3);
}

TEST_CASE("a frame of a module that is not there has no name", "[symbols][robustness]") {
  const std::vector<Module> modules(1);
  const std::vector<Frame> frames{{ModuleId{7}, 0x1234}, {ModuleId{0xffffffff}, 1}};
  resolve_symbols(modules, frames, every_frame(frames), {},
                  [](FrameId, const std::vector<Location>&) { FAIL("named"); });
  CHECK(every_frame(frames).size() == 2);
}

TEST_CASE("the cache's names are the ones of the files", "[symbols][symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  const Code code(several_files());
  const auto names = code.names();

  CHECK(code.names(with(cache)) == names);
  CHECK(files_in(scratch.file("symbols")) > 4);
  CHECK(code.names(with(cache)) == names);
}

TEST_CASE("what the cache knows is not looked up again", "[symbols][symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  const Code code({scratch.copy_of(host("pie"), "program")});
  const auto names = code.names(with(cache));
  REQUIRE(count_named(names) > 10);
  overwrite(scratch.file("program"));

  CHECK(code.names(with(cache)) == names);
  CHECK(count_named(code.names()) == 0);
}

TEST_CASE("the cache grows by what it does not know", "[symbols][symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  const Code all({scratch.copy_of(host("pie"), "program")});
  Code even = all;
  Code odd = all;
  even.frames.clear();
  odd.frames.clear();
  for (std::size_t i = 0; i < all.frames.size(); ++i) {
    (i % 4 < 2 ? even : odd).frames.push_back(all.frames[i]);
  }
  const auto names = all.names();
  CHECK(count_named(even.names(with(cache))) > 0);
  CHECK(count_named(odd.names(with(cache))) > 0);
  overwrite(scratch.file("program"));

  CHECK(all.names(with(cache)) == names);
}

TEST_CASE("the cache does not hide a file that has changed", "[symbols][symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  const std::string path = scratch.copy_of(host("stripped"), "program");
  const Code code({path});
  const std::size_t stripped = count_named(code.names(with(cache)));
  // The same build, with all its symbols.
  std::filesystem::remove(path);
  scratch.copy_of(host("pie"), "program");

  CHECK(count_named(code.names(with(cache))) > stripped);
  CHECK(code.names(with(cache)) == code.names());
}

TEST_CASE("the cache does not hide a debug file that comes later", "[symbols][symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  const auto place = GENERATE(as<std::string>{}, "linked.debug", ".debug/linked.debug");
  const Code code({scratch.copy_of(host("linked"), "linked")});
  const std::size_t before = count_named(code.names(with(cache)));
  std::filesystem::create_directory(scratch.file(".debug"));

  const std::string debug = scratch.copy_of(host("linked.debug"), place);
  const auto with_debug = code.names(with(cache));
  CHECK(count_named(with_debug) > before);
  CHECK(with_debug == code.names());
  // And when it goes, its lines go: the cache says what the files say.
  std::filesystem::remove(debug);
  CHECK(count_named(code.names(with(cache))) == before);
}

TEST_CASE("names are not kept while a part of the debug information is missing",
          "[symbols][symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  // Its .dwo is named by an absolute path, or beside it.
  const Code whole({host("split")});
  CHECK(count_named(whole.names(with(cache))) > 10);
  CHECK(files_in(scratch.file("symbols")) == 1);
  Symbolizer complete(host("split"));
  complete.locate(0x1200);
  CHECK(complete.is_complete());

  Symbolizer missing("/nowhere");
  CHECK_FALSE(missing.is_complete());
  const Code nothing({"/nowhere"});
  CHECK(count_named(nothing.names(with(cache))) == 0);
  CHECK(files_in(scratch.file("symbols")) == 1);
}

TEST_CASE("a file of another build leaves the cache as it is", "[symbols][symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  Code code({host("pie")});
  code.modules[1].path = host("dwarf4");

  CHECK(count_named(code.names(with(cache))) == 0);
  CHECK(files_in(scratch.file("symbols")) == 0);
}

TEST_CASE("a cache that cannot be written changes no name", "[symbols][symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  std::filesystem::remove(scratch.file("symbols"));
  const Code code({host("pie")});

  CHECK(code.names(with(cache)) == code.names());
}
