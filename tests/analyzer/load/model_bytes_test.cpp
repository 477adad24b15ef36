#include "analyzer/load/model_bytes.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <fstream>

using namespace tidemark::analyzer;
using tidemark::tests::kMiB;

namespace {

FileUse read_file(const std::string& path,
                  std::uint64_t size,
                  std::uint64_t bytes_read,
                  std::uint64_t bytes_mapped = 0) {
  return FileUse{
      .path = path, .size = size, .bytes_read = bytes_read, .bytes_mapped = bytes_mapped};
}

}  // namespace

TEST_CASE("a file read whole is the model", "[model_bytes]") {
  const auto model = find_model_bytes(std::vector{read_file("/m/weights", 50 * kMiB, 50 * kMiB)});

  CHECK(model.bytes == 50 * kMiB);
  CHECK(model.source == ModelSource::kFiles);
}

TEST_CASE("a small file with a weight ending does not outdo large weights without one",
          "[model_bytes]") {
  const auto model =
      find_model_bytes(std::vector{read_file("/m/tokenizer.model", 2 * kMiB, 2 * kMiB),
                                   read_file("/m/blobs/sha256-1", 5000 * kMiB, 5000 * kMiB)});

  CHECK(model.bytes == 5000 * kMiB);
  CHECK(model.files == std::vector<std::size_t>{1});
}

TEST_CASE("a file read and mapped counts once", "[model_bytes]") {
  CHECK(find_model_bytes(std::vector{read_file("/m/w", 50 * kMiB, 40 * kMiB, 50 * kMiB)}).bytes ==
        50 * kMiB);
}

TEST_CASE("small files, files hardly touched and programs are no model", "[model_bytes]") {
  auto program = read_file("/usr/lib/libtorch.so", 100 * kMiB, 0, 100 * kMiB);
  program.executable = true;
  const auto model =
      find_model_bytes(std::vector{read_file("/m/config.json", 1000, 1000),
                                   read_file("/m/huge", 900 * kMiB, 2 * kMiB), program});

  CHECK(model.bytes == 0);
  CHECK(model.files.empty());
  CHECK_FALSE(model.is_known());
}

TEST_CASE("files with a weight extension push all others out", "[model_bytes]") {
  const auto model =
      find_model_bytes(std::vector{read_file("/m/tokens.txt", 400 * kMiB, 400 * kMiB),
                                   read_file("/m/a.safetensors", 5 * kMiB, 5 * kMiB),
                                   read_file("/m/b.safetensors", 300 * kMiB, 0, 300 * kMiB)});

  CHECK(model.bytes == 305 * kMiB);
  CHECK(model.files == std::vector<std::size_t>{1, 2});
}

TEST_CASE("without a known extension only files near the largest are taken", "[model_bytes]") {
  const auto model = find_model_bytes(std::vector{read_file("/m/part1", 160 * kMiB, 160 * kMiB),
                                                  read_file("/m/part2", 10 * kMiB, 10 * kMiB),
                                                  read_file("/m/vocabulary", 9 * kMiB, 9 * kMiB)});

  CHECK(model.files == std::vector<std::size_t>{0, 1});
}

TEST_CASE("of a file of unknown size the bytes read count", "[model_bytes]") {
  CHECK(find_model_bytes(std::vector{read_file("/dev/fd/63", 0, 7 * kMiB)}).bytes == 7 * kMiB);
}

TEST_CASE("weights of which less than half was read are named, and how to go on", "[model_bytes]") {
  const auto library = read_file("/usr/lib/libm.so", 900 * kMiB, kMiB);
  const auto small = read_file("/m/tokenizer.model", kMiB / 2, 1000);

  CHECK(partly_read_sentence(std::vector{library, small}).empty());
  CHECK(partly_read_sentence(
            std::vector{library, small, read_file("/m/tvm.params", 200 * kMiB, 91 * kMiB)}) ==
        "tvm.params was read to 45 % only, so it is not taken for the model; "
        "--model /m/tvm.params says that it is");
  CHECK_THAT(partly_read_sentence(std::vector{read_file("/m/a.gguf", 900 * kMiB, 4096, kMiB)}),
             Catch::StartsWith("a.gguf was mapped to less than 1 % only, "));
}

TEST_CASE("of several files read in part the largest is named", "[model_bytes]") {
  CHECK_THAT(partly_read_sentence(std::vector{read_file("/m/a.onnx", 20 * kMiB, 8 * kMiB),
                                              read_file("/m/b.pt", 900 * kMiB, 2 * kMiB),
                                              read_file("/m/c.pt", 30 * kMiB, 12 * kMiB)}),
             Catch::StartsWith("b.pt was read to less than 1 % only"));
}

TEST_CASE("uses of one path from two processes are one file", "[model_bytes]") {
  tidemark::tests::TraceBuilder trace;
  const auto first = trace.file("/m/w.bin", 4 * kMiB);
  const auto again = trace.file("/m/w.bin", 4 * kMiB);
  trace.read(first, 4 * kMiB);
  trace.read(again, 4 * kMiB);
  auto loaded = trace.open();
  FileUseCollector collector(loaded.definitions());
  for (const auto& event : *loaded.events(0)) {
    collector.see(event);
  }

  const auto files = collector.take();

  REQUIRE(files.size() == 1);
  CHECK(files[0].bytes_read == 8 * kMiB);
  CHECK(find_model_bytes(files).bytes == 4 * kMiB);
}

TEST_CASE("the model can be given as a size", "[model_bytes]") {
  const auto model = given_model_bytes("5GiB", {});
  REQUIRE(model.ok());
  CHECK(model.value().bytes == 5120 * kMiB);
  CHECK(model.value().source == ModelSource::kGiven);
}

TEST_CASE("the model can be given as a file, from the trace before the disk", "[model_bytes]") {
  const std::vector files{read_file("/gone/w.bin", 4 * kMiB, 2)};
  CHECK(given_model_bytes("/gone/w.bin", files).value().bytes == 4 * kMiB);

  const tidemark::tests::TemporaryFolder folder;
  std::ofstream(folder.file("w.bin")) << "12345";
  CHECK(given_model_bytes(folder.file("w.bin"), files).value().bytes == 5);
}

TEST_CASE("the model can be given as a folder of which files were read", "[model_bytes]") {
  const tidemark::tests::TemporaryFolder folder;
  const std::vector files{read_file(folder.file("a"), 4 * kMiB, 2),
                          read_file(folder.file("b/c"), 2 * kMiB, 0, 2 * kMiB),
                          read_file(folder.file("unread"), 2 * kMiB, 0),
                          read_file(folder.path() + ".other", 2 * kMiB, 2 * kMiB)};
  const auto model = given_model_bytes(folder.path(), files);
  REQUIRE(model.ok());
  CHECK(model.value().bytes == 6 * kMiB);
  CHECK(model.value().files == std::vector<std::size_t>{0, 1});
  CHECK(given_model_bytes(folder.path() + '/', files).value().bytes == 6 * kMiB);
  CHECK_THAT(given_model_bytes(folder.path(), {}).error().message,
             Catch::Contains("is a folder, and nothing in it was read"));
}

TEST_CASE("a model that was given from another folder is found by the ending of its path",
          "[model_bytes]") {
  const std::vector files{read_file("/gone/models/w.bin", 4 * kMiB, 2),
                          read_file("/gone/models/more/v.bin", 2 * kMiB, 2 * kMiB),
                          read_file("/gone/old/v.bin", kMiB, 2),
                          read_file("/gone/models.old/u.bin", kMiB, 2)};
  for (const char* const given : {"w.bin", "models/w.bin", "./models/w.bin", "../models/w.bin"}) {
    CAPTURE(given);
    const auto model = given_model_bytes(given, files);
    REQUIRE(model.ok());
    CHECK(model.value().bytes == 4 * kMiB);
    CHECK(model.value().files == std::vector<std::size_t>{0});
  }
  CHECK(given_model_bytes("models/", files).value().bytes == 6 * kMiB);
  CHECK(given_model_bytes("gone/models", files).value().bytes == 6 * kMiB);
  CHECK_THAT(given_model_bytes("v.bin", files).error().message,
             Catch::Contains("'v.bin' is what several paths of the trace end with, as "
                             "'/gone/models/more/v.bin'"));
  // None ends so: a name goes on, before or behind it; and one name alone is no folder's.
  for (const char* const given : {".bin", "odels/w.bin", "gone/model", "models", "../.."}) {
    CAPTURE(given);
    CHECK_FALSE(given_model_bytes(given, files).ok());
  }
}

TEST_CASE("a model that is neither size nor file is said to be so", "[model_bytes]") {
  const auto model = given_model_bytes("/no/such/file", {});
  REQUIRE_FALSE(model.ok());
  CHECK_THAT(model.error().message,
             Catch::Contains("'/no/such/file' is neither a size nor a file"));
}
