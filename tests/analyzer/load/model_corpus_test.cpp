// W of many real loads, and of many programs that load no model: tests/data/load holds the files
// that each used.

#include "analyzer/load/file_standing.hpp"
#include "analyzer/load/model_bytes.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace tidemark::analyzer;

namespace {

struct Load {
  std::string name;
  double mib = 0;  ///< W.
  std::vector<FileUse> files{};
};

std::uint64_t bytes_of(double mib) {
  return static_cast<std::uint64_t>(std::llround(mib * (1 << 20)));
}

void mark(FileUse& file, const std::string& marks) {
  if (marks.starts_with('=')) {
    file.content = marks.substr(1);
    return;
  }
  file.executable = marks.find('x') != std::string::npos;
  file.writable = marks.find('o') != std::string::npos;
  file.written = marks.find('w') != std::string::npos;
  file.unlinked = marks.find('u') != std::string::npos;
  file.in_memory = marks.find('m') != std::string::npos;
  file.is_beside_libraries = marks.find('l') != std::string::npos;
  file.compressed = marks.find('z') != std::string::npos;
}

/// A path may hold spaces: what follows begins with the first number.
FileUse file_of(const std::string& line) {
  std::istringstream words(line);
  FileUse file;
  std::string word;
  while (words >> word && word.find_first_not_of("0123456789.") != std::string::npos) {
    file.path += (file.path.empty() ? "" : " ") + word;
  }
  double read = 0;
  double mapped = 0;
  words >> read >> mapped;
  REQUIRE(words);
  file.size = bytes_of(std::stod(word));
  file.bytes_read = bytes_of(read);
  file.bytes_mapped = bytes_of(mapped);
  while (words >> word) {
    mark(file, word);
  }
  return file;
}

std::vector<Load> loads_of(const std::string& name) {
  std::ifstream in(std::string(TIDEMARK_TEST_DATA) + "/load/" + name);
  std::vector<Load> loads;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("== ")) {
      const std::size_t colon = line.rfind(": ");
      const bool has_model = name == "loads.txt";
      loads.push_back({.name = line.substr(3, has_model ? colon - 3 : std::string::npos),
                       .mib = has_model ? std::stod(line.substr(colon + 2)) : 0});
    } else if (line.starts_with('/')) {
      loads.back().files.push_back(file_of(line));
    }
  }
  return loads;
}

double mib_of(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

/// The same file where it is none that a load reads: written, hardly read, or of the system.
std::vector<FileUse> without_reason(const FileUse& file,
                                    const std::vector<std::string>& of_system) {
  std::vector files(2, file);
  files[0].writable = files[0].written = true;
  files[1].bytes_read = 1 << 20;
  for (const std::string& path : of_system) {
    files.push_back(file);
    files.back().path = path;
  }
  return files;
}

void check_nothing_is_told_of(const std::vector<FileUse>& files) {
  for (const FileUse& file : files) {
    CAPTURE(file.path);
    CHECK(missed_model_sentence(std::vector{file}).empty());
  }
}

}  // namespace

TEST_CASE("W of eighty loads is the bytes of their weights", "[model_corpus]") {
  const auto loads = loads_of("loads.txt");
  REQUIRE(loads.size() >= 60);
  for (const Load& load : loads) {
    INFO(load.name);
    CHECK(mib_of(find_model_bytes(load.files).bytes) == Approx(load.mib).epsilon(0.001));
  }
}

TEST_CASE("ninety programs that load no model have no W", "[model_corpus]") {
  const auto programs = loads_of("programs.txt");
  REQUIRE(programs.size() >= 60);
  for (const Load& program : programs) {
    INFO(program.name);
    const auto model = find_model_bytes(program.files);
    for (const std::size_t i : model.files) {
      FAIL_CHECK(program.name << ": " << program.files[i].path);
    }
  }
}

TEST_CASE("of a file of no known format that was opened for writing as well it is said so",
          "[model_corpus]") {
  const FileUse store{
      .path = "/d/w.dat", .size = 300 << 20, .writable = true, .bytes_read = 300 << 20};
  CHECK(find_model_bytes(std::vector{store}).files.empty());
  CHECK(missed_model_sentence(std::vector{store}) ==
        "w.dat is a file that was opened for writing as well, which is not taken for a model; "
        "--model /d/w.dat says that it is one");
  check_nothing_is_told_of(without_reason(store, {"/usr/lib/w.dat", "/var/lib/w.dat", "/d/w.db"}));
}

TEST_CASE("a file that the program wrote is no model whatever is in it", "[model_corpus]") {
  FileUse file{.path = "/t/model.safetensors",
               .size = 300 << 20,
               .content = "safetensors",
               .bytes_read = 300 << 20};
  CHECK(standing_of(file) == FileStanding::kWeights);

  SECTION("opened for writing, and not changed") {
    file.writable = true;
    CHECK(standing_of(file) == FileStanding::kWeights);
  }
  SECTION("changed") {
    file.writable = file.written = true;
    CHECK(standing_of(file) == FileStanding::kNever);
    CHECK(ruled_out_sentence(std::vector{file}) ==
          "model.safetensors looks like weights, but it was written during the recording; "
          "--model /t/model.safetensors says that it is the model");
  }
  SECTION("without a name") {
    file.unlinked = true;
    CHECK(standing_of(file) == FileStanding::kNever);
    CHECK(missed_model_sentence(std::vector{file}).find("a scratch file") != std::string::npos);
  }
  SECTION("mapped executable") {
    file.executable = true;
    CHECK(standing_of(file) == FileStanding::kNever);
    CHECK(missed_model_sentence(std::vector{file}).empty());
  }
  SECTION("shared memory") {
    file.path = "/dev/shm/model.safetensors";
    CHECK(standing_of(file) == FileStanding::kNever);
  }
}

TEST_CASE("an archive is no model, but how to say that it is one is told", "[model_corpus]") {
  const FileUse archive{
      .path = "/t/in.tar", .size = 34 << 20, .content = "archive", .bytes_read = 34 << 20};
  const std::vector files{archive};

  CHECK_FALSE(find_model_bytes(files).is_known());
  CHECK(missed_model_sentence(files) ==
        "in.tar is an archive, and nothing says that it holds weights; "
        "--model /t/in.tar says that it is the model");

  check_nothing_is_told_of(without_reason(archive, {"/usr/lib/locale/locales.tar"}));
}

TEST_CASE("text is no model, but how to say that it is one is told", "[model_corpus]") {
  const FileUse text{
      .path = "/t/vectors.txt", .size = 55 << 20, .content = "text", .bytes_read = 55 << 20};
  FileUse smaller = text;
  smaller.path = "/t/words.json";
  smaller.size = smaller.bytes_read = 2 << 20;
  const std::vector files{smaller, text};

  CHECK_FALSE(find_model_bytes(files).is_known());
  CHECK(missed_model_sentence(files) ==
        "vectors.txt is text, which is not taken for a model; "
        "--model /t/vectors.txt says that it is one");

  check_nothing_is_told_of(without_reason(
      text, {"/usr/share/dict/words", "/usr/local/lib/python3.13/pydoc_data/topics.py"}));
}

TEST_CASE("a table is no model, but how to say that it is one is told", "[model_corpus]") {
  const FileUse table{
      .path = "/t/w.feather", .size = 128 << 20, .content = "table", .bytes_read = 128 << 20};
  CHECK_FALSE(find_model_bytes({&table, 1}).is_known());
  CHECK(missed_model_sentence({&table, 1}) ==
        "w.feather is a table, which is not taken for a model; "
        "--model /t/w.feather says that it is one");
  check_nothing_is_told_of(without_reason(table, {"/usr/share/data/t.parquet"}));
}

TEST_CASE("the chunks of an array store are the model together", "[model_corpus]") {
  const auto [description, chunk] = GENERATE(table<std::string, std::string>({
      {"/t/w.zarr/zarr.json", "/t/w.zarr/layer0/c/"},
      {"/t/w.zarr/layer0/.zarray", "/t/w.zarr/layer0/0."},
      {"/t/checkpoint/manifest.ocdbt", "/t/checkpoint/ocdbt.process_0/d/"},
  }));
  std::vector<FileUse> files{
      {.path = description, .size = 400, .content = "text", .bytes_read = 400},
      {.path = "/t/others.dat", .size = 8 << 20, .bytes_read = 8 << 20}};
  for (int i = 0; i < 100; ++i) {
    files.push_back({.path = chunk + std::to_string(i),
                     .size = 256 << 10,
                     .compressed = true,
                     .content = "archive",
                     .bytes_read = 256 << 10});
  }
  SECTION("each of them, and nothing else") {
    const auto model = find_model_bytes(files);
    CHECK(model.bytes == 25 << 20);
    CHECK(model.files.size() == 100);
    CHECK_FALSE(model.is_guess);
    CHECK(is_model_compressed(model, files));
  }
  SECTION("but none that was written, or read to less than half") {
    files[10].written = true;
    files[11].bytes_read = 100;
    CHECK(find_model_bytes(files).bytes == (25 << 20) - (512 << 10));
  }
  SECTION("where the store was not opened, size decides as ever") {
    files[0].bytes_read = 0;
    CHECK(find_model_bytes(files).bytes == 8 << 20);
  }
  SECTION("a file of weights beside them does not stand for all of them") {
    files.push_back({.path = "/t/checkpoint/optimizer.pt",
                     .size = 1 << 20,
                     .content = "torch",
                     .bytes_read = 1 << 20});
    files.back().path.replace(0, 13, description.substr(0, description.rfind('/')));
    CHECK(find_model_bytes(files).bytes == 26 << 20);
  }
  SECTION("weights that are known by their content are the model") {
    files.push_back(
        {.path = "/t/w.gguf", .size = 40 << 20, .content = "gguf", .bytes_read = 40 << 20});
    CHECK(find_model_bytes(files).bytes == 40 << 20);
  }
}

namespace {

/// A file of 2 MiB that is surely weights, in a folder of which 100 files of 1 MiB were read too.
std::vector<FileUse> weights_among(const std::vector<std::string>& endings) {
  std::vector<FileUse> files{{.path = "/t/tree/tests/data/boost.npz",
                              .size = 2 << 20,
                              .content = "npz",
                              .bytes_read = 2 << 20}};
  for (std::size_t i = 0; i < 100; ++i) {
    files.push_back({.path = "/t/tree/part" + std::to_string(i) + endings[i % endings.size()],
                     .size = 1 << 20,
                     .content = "text",
                     .bytes_read = 1 << 20});
  }
  return files;
}

}  // namespace

TEST_CASE("weights that are met on a walk through a folder are no model", "[model_corpus]") {
  const std::vector<std::string> many{".c",  ".h",   ".txt", ".json", ".so",
                                      ".md", ".pyi", ".png", ".toml", ".f90"};
  CHECK_FALSE(find_model_bytes(weights_among(many)).is_known());
  SECTION("but they are where they are much of it") {
    auto files = weights_among(many);
    files[0].size = files[0].bytes_read = 64 << 20;
    CHECK(find_model_bytes(files).bytes == 64 << 20);
  }
  SECTION("or where the program works on files of a few kinds") {
    CHECK(find_model_bytes(weights_among({".jpg", ".json", ".png"})).bytes == 2 << 20);
  }
  SECTION("or imports what else is there") {
    auto files = weights_among(many);
    for (std::size_t i = 1; i < files.size(); ++i)
      files[i].executable = true;
    CHECK(find_model_bytes(files).bytes == 2 << 20);
  }
  SECTION("or reads many pieces of one thing") {
    std::vector<std::string> numbers;
    for (int i = 0; i < 100; ++i)
      numbers.push_back("." + std::to_string(i));
    CHECK(find_model_bytes(weights_among(numbers)).bytes == 2 << 20);
  }
}

TEST_CASE("many files of unknown content are no model, but their folder is told",
          "[model_corpus]") {
  std::vector<FileUse> files{
      {.path = "/usr/lib/python3/os.py", .size = 9 << 20, .bytes_read = 9 << 20}};
  for (int i = 0; i < 100; ++i) {
    files.push_back({.path = "/t/w.store/part" + std::to_string(i % 4) + '/' + std::to_string(i),
                     .size = 256 << 10,
                     .bytes_read = 256 << 10});
  }
  CHECK_FALSE(find_model_bytes(files).is_known());
  CHECK(missed_model_sentence(files) ==
        "25.0 MiB of 100 files in /t/w.store were read, none of them known as weights; "
        "--model /t/w.store says that they are the model");
  const auto given = given_model_bytes("/t/w.store", files);
  REQUIRE(given.ok());
  CHECK(given.value().bytes == 25 << 20);
  CHECK(given.value().files.size() == 100);
  CHECK(given_model_bytes("/t/w.stor", files).error().message.find("nor a file or folder") !=
        std::string::npos);
  files.resize(4);
  for (std::size_t i = 1; i < files.size(); ++i) {
    files[i].size = files[i].bytes_read = 800 << 10;
  }
  CHECK(missed_model_sentence(files).empty());  // three are not many
}

TEST_CASE("of a folder whose weights lie further in, the folder of these is told",
          "[model_corpus]") {
  const bool are_deep = GENERATE(true, false);
  CAPTURE(are_deep);
  const std::string parts = are_deep ? "/t/run/steps/1/" : "/t/run/";
  std::vector<FileUse> files;
  for (const char* const path : {"/t/run/settings", "/t/run/steps/last", "/t/run/names"}) {
    files.push_back({.path = path, .size = 3 << 10, .bytes_read = 3 << 10});
  }
  files.push_back({.path = parts + "index", .size = 2 << 10, .bytes_read = 2 << 10});
  files.push_back({.path = parts + "part", .size = 9 << 20, .bytes_read = 9 << 19});
  files.back().content = "archive";
  CHECK_FALSE(find_model_bytes(files).is_known());
  CHECK(missed_model_sentence(files) ==
        (are_deep ? "4.50 MiB of 2 files in /t/run/steps/1 were read, none of them known as "
                    "weights; --model /t/run/steps/1 says that they are the model"
                  : "4.51 MiB of 5 files in /t/run were read, none of them known as weights; "
                    "--model /t/run says that they are the model"));
}

TEST_CASE("a model that is packed is said to be", "[model_corpus]") {
  std::vector files{FileUse{.path = "/m/w.npz",
                            .size = 20 << 20,
                            .compressed = true,
                            .content = "npz",
                            .bytes_read = 20 << 20}};
  const auto model = find_model_bytes(files);
  const std::uint64_t peak = std::uint64_t{80} << 20;

  CHECK(notes_on_model(model, files, peak) ==
        std::vector<std::string>{"W is compressed: 4.00 x is of the file's bytes"});
  files[0].unpacked_bytes = 78 << 20;
  CHECK(notes_on_model(model, files, peak) ==
        std::vector<std::string>{
            "W is compressed: 4.00 x is of the file's bytes, which unpack to 78.0 MiB"});
  files[0].compressed = false;
  CHECK(notes_on_model(model, files, peak).empty());
}

TEST_CASE("a model that is read more than once is said to be", "[model_corpus]") {
  std::vector files{
      FileUse{.path = "/m/w.gguf", .size = 20 << 20, .content = "gguf", .bytes_read = 40 << 20}};
  const auto model = find_model_bytes(files);

  CHECK(notes_on_model(model, files, 1) ==
        std::vector<std::string>{"w.gguf was read 2.0 times over: 40.0 MiB of its 20.0 MiB"});
  files[0].bytes_read = 21 << 20;
  CHECK(notes_on_model(model, files, 1).empty());
  SECTION("of many files once") {
    files.assign(10, files[0]);
    files[3].bytes_read = 150 << 20;
    CHECK(notes_on_model(find_model_bytes(files), files, 1) ==
          std::vector<std::string>{
              "the model's files were read 1.7 times over: 339.0 MiB of their 200.0 MiB"});
    files[3].bytes_read = 40 << 20;
    CHECK(notes_on_model(find_model_bytes(files), files, 1) ==
          std::vector<std::string>{"w.gguf was read 2.0 times over: 40.0 MiB of its 20.0 MiB"});
  }
}

TEST_CASE("files beside shared libraries whose code ran are no weights without a reason to be",
          "[model_corpus]") {
  tidemark::trace::Definitions definitions;
  for (const char* path : {"/opt/app/lib/libengine.so.1", "/opt/run/program"}) {
    definitions.modules.emplace_back().path = path;
  }
  definitions.files = {{.path = "/opt/plug/in.so", .executable = true}};
  const LibraryFolders folders(definitions);

  CHECK(folders.hold("/opt/app/lib/data"));
  CHECK(folders.hold("/opt/app/lib/assets/level1"));
  CHECK(folders.hold("/opt/plug/blob"));
  CHECK_FALSE(folders.hold("/opt/app/data"));
  CHECK_FALSE(folders.hold("/opt/run/weights"));
}
