#include "analyzer/findings/anatomy.hpp"
#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::ChainEdge;
using analyzer::ChainNode;
using tests::kMiB;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::Load;

TEST_CASE("a chain leads from the file over the blob to the tensors", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  load.tensors_from(blob);

  const auto report = load.report();
  const auto& chain = report.anatomy.chain;

  REQUIRE(chain.nodes.size() == 3);
  CHECK(chain.nodes[0].kind == ChainNode::Kind::kFile);
  CHECK(chain.nodes[0].bytes == kModelBytes);
  CHECK(chain.nodes[1].blocks == 1);
  CHECK(chain.nodes[2].blocks == 16);
  CHECK(chain.nodes[2].bytes == kModelBytes);
  REQUIRE(chain.edges.size() == 2);
  CHECK(chain.edges[0].kind == ChainEdge::Kind::kRead);
  CHECK(chain.edges[0].count == 16);
  CHECK(chain.edges[1].kind == ChainEdge::Kind::kCopy);
  CHECK(chain.edges[1].from == 1);
  CHECK(chain.edges[1].to == 2);
  CHECK(chain.edges[1].bytes == kModelBytes);
  CHECK(chain.edges[1].first_ns == 200'000'000);
  CHECK(chain.edges[1].last_ns == 500'000'000);
  CHECK(chain.edges[1].frames.at(1).function == "copy_tensor");
}

TEST_CASE("a file that looked like a model and was hardly read is none of the chain", "[anatomy]") {
  Load load;
  const auto other = load.trace.file("/models/other.safetensors", 64 * kModelBytes);
  const auto blob = load.block("read_file", kModelBytes);
  load.trace.read_into(other, kTensorBytes, blob);
  load.read_whole(blob);
  load.tensors_from(blob);

  const auto report = load.report();
  const auto& chain = report.anatomy.chain;

  CHECK(report.model.bytes == kModelBytes);
  REQUIRE(chain.edges.size() == 2);
  CHECK(chain.edges[0].bytes == kModelBytes);
  CHECK(chain.edges[0].count == 16);
}

TEST_CASE("weights that come through a pipe are followed all the same", "[anatomy]") {
  Load load;
  const auto pipe = load.trace.file("pipe:[7].gguf", 0);
  const auto blob = load.block("read_pipe", 4 * kModelBytes);
  load.trace.read_into(pipe, 4 * kModelBytes, blob);

  const auto report = load.report(4 * kModelBytes);

  REQUIRE(report.anatomy.chain.edges.size() == 1);
  CHECK(report.anatomy.chain.edges[0].bytes == 4 * kModelBytes);
}

TEST_CASE("copies out of a mapping start at the mapping", "[anatomy]") {
  Load load;
  const auto mapping = load.trace.map(load.model, kModelBytes);
  load.tensors_from(mapping);

  const auto report = load.report();
  const auto& chain = report.anatomy.chain;

  REQUIRE(chain.edges.size() == 2);
  CHECK(chain.edges[0].kind == ChainEdge::Kind::kMap);
  CHECK(chain.nodes[1].kind == ChainNode::Kind::kMapping);
  CHECK(chain.edges[1].kind == ChainEdge::Kind::kCopy);
  CHECK(report.anatomy.findings.empty());
}

TEST_CASE("a block that is reallocated takes its bytes along", "[anatomy]") {
  Load load;
  auto blob = load.blob();
  blob = load.trace.reallocate(blob, kModelBytes + kMiB,
                               load.trace.stack({"realloc", "read_file loader.cpp:41", "main"}));
  load.tensors_from(blob);

  const auto report = load.report();

  REQUIRE(report.anatomy.chain.nodes.size() == 3);
  CHECK(report.anatomy.chain.nodes[1].bytes == kModelBytes + kMiB);
  CHECK(report.anatomy.chain.edges[1].bytes == kModelBytes);
}

TEST_CASE("a mapping that went piece by piece is still known by its stack", "[anatomy]") {
  Load load;
  const auto blob = load.block("map_weights", kModelBytes, trace::Lane::kAnon);
  load.read_whole(blob);
  for (std::uint64_t gone = 0; gone < kModelBytes; gone += kTensorBytes) {
    load.wait_ms(10);
    load.trace.release_part(blob, kTensorBytes);
  }

  const auto report = load.report();
  const auto& chain = report.anatomy.chain;

  REQUIRE(chain.nodes.size() == 2);
  CHECK(chain.nodes[1].bytes == kModelBytes);
  REQUIRE(chain.nodes[1].frames.size() > 1);
  CHECK(chain.nodes[1].frames[1].function == "map_weights");
}

TEST_CASE("bytes that left a block by no copy are not followed", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  const auto weights = load.block("convert", kModelBytes);
  load.wait_ms(100);
  load.trace.release(blob);
  load.wait_ms(100);
  load.trace.release(weights);

  const auto report = load.report();
  const auto& chain = report.anatomy.chain;

  REQUIRE(chain.nodes.size() == 2);
  CHECK(chain.nodes[1].unfollowed_bytes == kModelBytes);
}

TEST_CASE("tensors at the end of their lives are not missed", "[anatomy]") {
  Load load;
  load.release(load.streamed_tensors());

  CHECK(load.report().anatomy.chain.nodes[1].unfollowed_bytes == 0);
}

TEST_CASE("reads that went into no large block are counted", "[anatomy]") {
  Load load;
  load.trace.read(load.model, kModelBytes);

  const auto report = load.report();

  CHECK(report.anatomy.chain.empty());
  CHECK(report.anatomy.chain.unseen_read_bytes == kModelBytes);
}

TEST_CASE("blocks of one helper are told apart by its callers", "[anatomy]") {
  Load load;
  const auto ask = [&load](const std::string& caller) {
    return load.trace.allocate(kModelBytes, load.trace.stack({"malloc", "reserve buffer.cpp:9",
                                                              "std::vector<char>::resize",
                                                              caller + " loader.cpp:50", "main"}));
  };
  const auto blob = ask("read_file");
  load.read_whole(blob);
  load.trace.copy(kModelBytes, blob, ask("load_code"));

  const auto report = load.report();
  const auto& nodes = report.anatomy.chain.nodes;

  REQUIRE(nodes.size() == 3);
  CHECK(nodes[1].name == "read_file (loader.cpp:50)");
  CHECK(nodes[2].name == "load_code (loader.cpp:50)");
  CHECK(nodes[1].frames[nodes[1].telling_frame].function == "read_file");
}

TEST_CASE("blocks of one template are told apart by its arguments", "[anatomy]") {
  Load load;
  const auto ask = [&load](const std::string& type) {
    return load.trace.allocate(
        kModelBytes,
        load.trace.stack({"malloc", "char* make<" + type + ", 4>(int) buffer.cpp:9", "main"}));
  };
  const auto blob = ask("char");
  load.read_whole(blob);
  load.trace.copy(kModelBytes, blob, ask("float"));

  const auto report = load.report();
  const auto& nodes = report.anatomy.chain.nodes;

  REQUIRE(nodes.size() == 3);
  CHECK(nodes[1].name == "make<> (buffer.cpp:9) with <char>");
  CHECK(nodes[2].name == "make<> (buffer.cpp:9) with <float>");
  CHECK_THAT(analyzer::chain_picture(report, {}), Catch::Contains("make<>  with <float>"));
}

TEST_CASE("a buffer that moves what it had passed on waits for nothing", "[anatomy]") {
  Load load;
  const auto small = load.block("shard", kModelBytes / 2);
  load.trace.read_into(load.model, kModelBytes / 2, small);
  load.trace.copy(kModelBytes / 2, small, load.block("Empty", kModelBytes / 2));
  const auto large = load.block("shard", kModelBytes);
  load.trace.copy(kModelBytes / 2, small, large);
  load.trace.release(small);
  load.trace.read_into(load.model, kModelBytes / 2, large);
  const auto last = load.block("Empty", kModelBytes / 2);
  load.trace.copy(kModelBytes / 2, large, last);
  load.trace.release(large);

  const auto report = load.report();
  const auto& nodes = report.anatomy.chain.nodes;

  REQUIRE(nodes.size() == 3);
  CHECK(nodes[1].unfollowed_bytes == 0);
}

TEST_CASE("bytes of other files are no part of the chain", "[anatomy]") {
  Load load;
  load.streamed_tensors();
  const auto log = load.trace.file("/var/log/big.log", 64 * kMiB);
  const auto buffer = load.block("read_log", 64 * kMiB);
  load.trace.read_into(log, 20 * kMiB, buffer);

  CHECK(load.report().anatomy.chain.nodes.size() == 2);
}

TEST_CASE("blocks of a process that ended are gone from the chain", "[anatomy]") {
  Load load;
  load.blob();
  load.wait_ms(10);
  load.trace.end_process(trace::ProcessId{0});

  const auto report = load.report();

  CHECK(report.anatomy.chain.nodes.at(1).unfollowed_bytes == 0);
  CHECK(report.anatomy.chain.nodes.at(1).bytes == kModelBytes);
}

TEST_CASE("a chain begins with the largest of its files, and says how much of them was read",
          "[anatomy]") {
  Load load;
  const auto small = load.trace.file("/models/small/index.params", kMiB);
  const auto blob = load.block("read_file", 2 * kModelBytes);
  load.trace.read_into(small, kMiB, blob);
  const std::uint64_t again = GENERATE(0U, kMiB);
  load.read_whole(blob);
  if (again != 0) {
    load.trace.read_into(load.model, again, blob);
  }

  const auto report = load.report(kModelBytes + kMiB);

  const auto& files = report.anatomy.chain.nodes.at(0);
  CHECK(files.name == "/models/small/model.params");
  CHECK(files.file_count == 2);
  CHECK(files.bytes == kModelBytes + kMiB + again);
  CHECK(files.file_bytes == kModelBytes + kMiB);
  CHECK_THAT(analyzer::chain_picture(report, {.width = 120}),
             Catch::Contains(again == 0 ? "model.params and 1 more, 257.0 MiB\n"
                                        : "model.params and 1 more, 257.0 MiB (258.0 MiB read or "
                                          "mapped in all)\n"));
}

TEST_CASE("a chain says how much of a file was read where that is not all", "[anatomy]") {
  Load load;
  load.model = load.trace.file("/models/part/model.params", kModelBytes + 16 * kMiB);
  load.read_whole(load.block("read_file", kModelBytes));
  CHECK_THAT(analyzer::chain_picture(load.report(), {.width = 120}),
             Catch::Contains("model.params, 272.0 MiB (256.0 MiB of it read or mapped)\n"));
}

TEST_CASE("a chunk is named with its folders, another file without", "[anatomy]") {
  CHECK(analyzer::telling_file_name("/models/small/model.params") == "model.params");
  CHECK(analyzer::telling_file_name("/models/z.zarr/w0/c/2/0") == "c/2/0");
  CHECK(analyzer::telling_file_name("/models/t.zarr/0.0.0") == "t.zarr/0.0.0");
  CHECK(analyzer::telling_file_name("/0/1") == "0/1");
  CHECK(analyzer::telling_file_name("weights.bin") == "weights.bin");
  CHECK(analyzer::telling_file_name("7") == "7");
  CHECK(analyzer::telling_file_name("").empty());
}
