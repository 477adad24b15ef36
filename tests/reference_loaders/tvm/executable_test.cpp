#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/executable_reader.hpp"
#include "reference_loaders/tvm/executable_writer.hpp"
#include "reference_loaders/tvm/loaders.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/tvm/tiny_files.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;
using namespace tidemark::loaders::tvm;
using test::tiny_executable_file;

namespace {

Executable executable_in(const std::string& file) {
  std::string code = file.substr(std::min(file.size(), std::size_t{kCodeLengthBytes}));
  MemoryStringStream stream(&code);
  Executable executable;
  read_executable(stream, "model.ro", kCodeLengthBytes, &executable);
  return executable;
}

std::string written(const Executable& executable) {
  std::string bytes;
  MemoryStringStream stream(&bytes);
  write_executable(stream, executable);
  return bytes;
}

bool executable_is_refused_or_harmless(const std::string& file) {
  try {
    return written(executable_in(file)).size() + kCodeLengthBytes == file.size();
  } catch (const BadInput&) {
    return true;
  } catch (const std::exception&) {
    return false;  // std::bad_alloc, std::length_error: something was believed
  }
}

}  // namespace

TEST_CASE("an executable written by hand is read by both loaders", "[tvm]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model.ro");
  test::write_file(file, tiny_executable_file());

  for (const auto& load : {load_exec_blob, load_exec_stream}) {
    const auto executable = load(file);

    CHECK(executable->code == tiny_executable_file().substr(kCodeLengthBytes));
    CHECK(executable->devices.at(0).type == 1);
    CHECK(executable->globals.at(0) == "main");
    CHECK(executable->constants.at(0).tensor->data().size() == 8);
    CHECK_FALSE(executable->constants.at(1).tensor.has_value());
    CHECK(executable->constants.at(1).late_bound_name == "const_1");
    CHECK(executable->const_device_indexes == std::vector<std::int64_t>{0, 0});
    CHECK(executable->primitives.at(0) == "add");
    CHECK(executable->attributes.at(0).at("k") == "v");
    CHECK(executable->functions.at(0).registers == 2);
    CHECK(executable->functions.at(0).instructions.at(0).fields == std::vector<std::int64_t>{1});
  }
}

TEST_CASE("an executable that was read is written byte for byte as it was", "[tvm]") {
  CHECK(written(executable_in(tiny_executable_file())) ==
        tiny_executable_file().substr(kCodeLengthBytes));
}

TEST_CASE("an executable cut off anywhere is refused by both loaders", "[tvm][robustness]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("cut.ro");
  for (std::size_t kept = 0; kept < tiny_executable_file().size(); ++kept) {
    CAPTURE(kept);
    test::write_file(file, tiny_executable_file().substr(0, kept));

    CHECK_THROWS_AS(load_exec_blob(file), BadInput);
    CHECK_THROWS_AS(load_exec_stream(file), BadInput);
    if (kept > kCodeLengthBytes) {
      // The length made right again: the sections must notice it.
      CHECK_THROWS_AS(executable_in(tiny_executable_file().substr(0, kept)), BadInput);
    }
  }
}

TEST_CASE("no damage crashes the executable's reader or makes it allocate", "[tvm][robustness]") {
  CHECK(test::survives_damage(tiny_executable_file(), executable_is_refused_or_harmless));
}

TEST_CASE("a length that does not match is refused before it is allocated", "[tvm][robustness]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("long.ro");
  const std::uint64_t length =
      GENERATE(as<std::uint64_t>(), 0U, 347U, 349U, std::uint64_t{1} << 40, ~std::uint64_t{0});
  test::write_file(file, test::with_u64(tiny_executable_file(), 0, length));

  for (const auto& load : {load_exec_blob, load_exec_stream}) {
    CHECK_THROWS_WITH(load(file), Catch::Contains("long.ro, offset 0: an executable of"));
  }
}

TEST_CASE("each wrong field of an executable is named with its offset", "[tvm][robustness]") {
  struct Wrong {
    std::size_t offset;
    std::uint64_t value;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {test::tiny_executable::kMagic, 1, "offset 8: not a TVM executable"},
      {test::tiny_executable::kVersion, 0x3465642e32312e30,
       "offset 24: version '0.12.de40' cannot be loaded"},
      {test::tiny_executable::kDeviceCount, 100, "offset 33: 100 x a device is announced"},
      {test::tiny_executable::kHost, 0x100000001,
       "offset 49: the host is device 1, but there are 1 devices"},
      {test::tiny_executable::kHost, 0x1ffffffff,
       "offset 49: the host is device -1, but there are 1 devices"},
      {test::tiny_executable::kGlobalCount, 1000, "offset 53: 1000 x global is announced"},
      {test::tiny_executable::kConstantCount, 300, "offset 73: 300 x a constant is announced"},
      {test::tiny_executable::kFirstTag, 0xf0405edd00000002, "offset 81: constant 0 is neither"},
      {test::tiny_executable::kFirstTensor, 1, "offset 85: not a tensor"},
      {test::tiny_executable::kIndexCount, 1, "1 device indexes follow 2 constants"},
      {test::tiny_executable::kFirstIndex, 1, "name device 1, but there are 1"},
      {test::tiny_executable::kAttributesKey, 1,
       "offset 211: attributes of operator 1, but there are 1"},
      {test::tiny_executable::kFunctionCount, 9, "offset 245: 9 x a function is announced"},
      {test::tiny_executable::kFunctionCount, 0, "offset 253: 103 bytes follow the last function"},
      {test::tiny_executable::kRegisters, 0x0000000000000178, "counts 'x', which is no number"},
      {test::tiny_executable::kInstruction, 1, "offset 324: an instruction has no opcode"},
      {test::tiny_executable::kHash, 7,
       "offset 324: an instruction with opcode 1 does not match its hash"},
  }));
  CAPTURE(wrong.offset, wrong.value);

  CHECK_THROWS_WITH(
      executable_in(test::with_u64(tiny_executable_file(), wrong.offset, wrong.value)),
      Catch::Contains(wrong.says));
}

TEST_CASE("names and attributes that appear twice are refused", "[tvm][robustness]") {
  Executable executable = executable_in(tiny_executable_file());
  executable.globals = {"main", "main"};
  CHECK_THROWS_WITH(executable_in("12345678" + written(executable)),
                    Catch::Contains("appears twice"));

  executable = executable_in(tiny_executable_file());
  executable.primitives = {"add", "add"};
  CHECK_THROWS_WITH(executable_in("12345678" + written(executable)),
                    Catch::Contains("appears twice"));

  executable = executable_in(tiny_executable_file());
  executable.functions.at(0).name = "other";
  CHECK_THROWS_WITH(executable_in("12345678" + written(executable)),
                    Catch::Contains("not a global's name"));
}

TEST_CASE("a function with a negative number of registers is refused", "[tvm][robustness]") {
  Executable executable = executable_in(tiny_executable_file());
  executable.functions.at(0).registers = -1;

  CHECK_THROWS_WITH(executable_in("12345678" + written(executable)),
                    Catch::Contains("counts '-1'"));
}

TEST_CASE("attributes that are out of order, as no map is, are refused", "[tvm][robustness]") {
  Executable executable = executable_in(tiny_executable_file());
  executable.attributes = {{0, {{"Q", "1"}, {"R", "2"}}}};
  std::string file = "12345678" + written(executable);
  file.at(file.find('Q')) = 'R';
  CHECK_THROWS_WITH(executable_in(file), Catch::Contains("attribute 'R' is out of order"));

  executable.primitives = {"Y", "Z"};
  executable.attributes = {{0, {}}, {1, {}}};
  file = "12345678" + written(executable);
  // Behind the names: the count, operator 0 and how many attributes it has, operator 1.
  file = test::with_u64(file, file.find('Z') + 1 + 24, 0);
  CHECK_THROWS_WITH(executable_in(file),
                    Catch::Contains("attributes of operator 0 are out of order"));
}

TEST_CASE("a made executable has the announced size and no code", "[tvm]") {
  const auto model = model_of(1'000'000);
  std::string written;
  MemoryStringStream stream(&written);

  write_random_executable(stream, model, 1);

  CHECK(written.size() == executable_file_bytes(model));
  const Executable executable = executable_in(written);
  CHECK(executable.constants.size() == model.size());
  CHECK(executable.functions.empty());
}
