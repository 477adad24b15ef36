#include "analyzer/export/pprof.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <array>

#include <profile.pb.h>
#include <zlib.h>

using namespace tidemark;
using perftools::profiles::Profile;
using tests::TraceBuilder;

namespace {

std::string unzipped(const std::string& bytes) {
  constexpr int kGzip = 15 + 16;
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, kGzip) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, 4096> buffer{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  REQUIRE(status == Z_STREAM_END);
  return out;
}

Profile profile_of(const analyzer::LoadedTrace& trace, const exports::StackTable& table) {
  Profile profile;
  REQUIRE(profile.ParseFromString(unzipped(exports::pprof_profile(trace.definitions(), table))));
  return profile;
}

Profile profile_at_end(TraceBuilder& builder) {
  auto trace = builder.open();
  return profile_of(trace, exports::stacks_at(trace, trace.instant_at(UINT64_MAX)));
}

const std::string& text(const Profile& profile, std::int64_t id) {
  return profile.string_table(static_cast<int>(id));
}

std::vector<std::string> types_of(const Profile& profile) {
  std::vector<std::string> types;
  for (const auto& type : profile.sample_type()) {
    types.push_back(text(profile, type.type()) + '/' + text(profile, type.unit()));
  }
  return types;
}

/// `function:line` of each line of the sample's locations, innermost first.
std::vector<std::string> lines_of(const Profile& profile,
                                  const perftools::profiles::Sample& sample) {
  std::vector<std::string> lines;
  for (const auto id : sample.location_id()) {
    for (const auto& line : profile.location(static_cast<int>(id) - 1).line()) {
      const auto& function = profile.function(static_cast<int>(line.function_id()) - 1);
      lines.push_back(text(profile, function.name()) + ':' + std::to_string(line.line()));
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("pprof: a heap profile of the live set", "[export]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load a.cpp:4", "main"});
  trace.allocate(100, load);
  trace.allocate(200, load);
  trace.allocate(4096, trace.stack({"mmap", "main"}), trace::Lane::kAnon);

  const auto profile = profile_at_end(trace);

  CHECK(profile.string_table(0).empty());
  CHECK(types_of(profile) == std::vector<std::string>{"inuse_objects/count", "inuse_space/bytes",
                                                      "mapped_file_space/bytes"});
  CHECK(text(profile, profile.default_sample_type()) == "inuse_space");
  REQUIRE(profile.sample_size() == 2);
  const auto& heap = profile.sample(1);
  CHECK(heap.value(0) == 2);
  CHECK(heap.value(1) == 300);
  CHECK(text(profile, heap.label(0).key()) == "lane");
  CHECK(text(profile, heap.label(0).str()) == "heap");
  CHECK(text(profile, profile.sample(0).label(0).str()) == "anon");
  CHECK(lines_of(profile, heap) == std::vector<std::string>{"malloc:0", "load:4", "main:0"});
}

TEST_CASE("pprof: inlined calls are lines of one location", "[export]") {
  TraceBuilder trace;
  trace.allocate(100, trace.stack({"malloc", "load", "main"}));
  trace.writer().set_locations(trace::FrameId{1},
                               {{"inner", "/src/a.hpp", 7}, {"outer", "/src/a.cpp", 9}});

  const auto profile = profile_at_end(trace);

  CHECK(profile.sample(0).location_id_size() == 3);
  CHECK(lines_of(profile, profile.sample(0)) ==
        std::vector<std::string>{"malloc:0", "inner:7", "outer:9", "main:0"});
}

TEST_CASE("pprof: addresses lie in their module, which has its build id", "[export]") {
  TraceBuilder trace;
  const auto module =
      trace.writer().add_module({.path = "/lib/x.so", .build_id = "abc123", .base = 0x7f0000});
  const auto frame = trace.writer().add_frame({.module = module, .offset = 0x5010});
  trace.allocate(100, trace.writer().add_stack({.parent = trace::kNoStack, .frame = frame}));

  const auto profile = profile_at_end(trace);

  REQUIRE(profile.location_size() == 1);
  const auto& location = profile.location(0);
  const auto& mapping = profile.mapping(static_cast<int>(location.mapping_id()) - 1);
  CHECK(text(profile, mapping.filename()) == "/lib/x.so");
  CHECK(text(profile, mapping.build_id()) == "abc123");
  CHECK(location.address() == 0x7f500f);  // In the call, not where it returns to.
  CHECK(mapping.memory_start() <= location.address());
  CHECK(location.address() < mapping.memory_limit());
}

TEST_CASE("pprof: a range also says what was allocated", "[export]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load", "main"});
  trace.at_ms(2).release(trace.allocate(300, load));
  trace.allocate(40, load);
  auto loaded = trace.open();

  const auto profile =
      profile_of(loaded, exports::stacks_between(loaded, {}, loaded.instant_at(3'000'000)));

  CHECK(types_of(profile) == std::vector<std::string>{"alloc_objects/count", "alloc_space/bytes",
                                                      "inuse_objects/count", "inuse_space/bytes",
                                                      "mapped_file_space/bytes"});
  const auto& values = profile.sample(0).value();
  CHECK(std::vector<std::int64_t>(values.begin(), values.end()) ==
        std::vector<std::int64_t>{2, 340, 1, 40, 0});
  CHECK(profile.duration_nanos() == 3'000'000);
}

TEST_CASE("pprof: file mappings are apart from memory in use", "[export]") {
  TraceBuilder trace;
  trace.map(trace.file("/m/model", 4096), 4096);

  const auto profile = profile_at_end(trace);
  const auto& values = profile.sample(0).value();

  CHECK(std::vector<std::int64_t>(values.begin(), values.end()) ==
        std::vector<std::int64_t>{0, 0, 4096});
}

TEST_CASE("pprof: names that are no UTF-8 are mended, and nothing alive is a profile", "[export]") {
  TraceBuilder bad;
  bad.allocate(8, bad.stack({"bad\xff name", "main"}));
  TraceBuilder empty;

  CHECK(profile_at_end(bad).sample_size() == 1);
  CHECK(profile_at_end(empty).sample_size() == 0);
}
