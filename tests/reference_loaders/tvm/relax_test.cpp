#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/loaders.hpp"
#include "reference_loaders/tvm/relax_reader.hpp"
#include "reference_loaders/tvm/relax_writer.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/tvm/tiny_files.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;
using namespace tidemark::loaders::tvm;
using test::tiny_relax_file;

namespace {

RelaxExecutable relax_in(std::string bytes) {
  MemoryStringStream stream(&bytes);
  return read_relax(stream, "model.ro");
}

std::string written(const RelaxExecutable& executable) {
  std::string bytes;
  MemoryStringStream stream(&bytes);
  write_relax(stream, executable);
  return bytes;
}

bool relax_is_refused_or_harmless(const std::string& bytes) {
  try {
    return written(relax_in(bytes)).size() == bytes.size();
  } catch (const BadInput&) {
    return true;
  } catch (const std::exception&) {
    return false;  // std::bad_alloc, std::length_error: something was believed
  }
}

}  // namespace

TEST_CASE("a Relax executable written by hand is read", "[tvm]") {
  const RelaxExecutable executable = relax_in(tiny_relax_file());

  CHECK(executable.functions.at(0).name == "main");
  CHECK(executable.functions.at(0).registers == 2);
  CHECK(executable.memory_scopes.at(0).second == "global");
  REQUIRE(executable.constants.size() == 6);
  CHECK(std::get<std::int64_t>(executable.constants[0]) == -1);
  CHECK(std::get<double>(executable.constants[1]) == 0.5);
  CHECK(std::get<DataType>(executable.constants[2]) == kFloat32);
  CHECK(std::get<std::string>(executable.constants[3]) == "hi");
  CHECK(std::get<RelaxShape>(executable.constants[4]) == RelaxShape{3, 4});
  CHECK(std::get<NDArray>(executable.constants[5]).data().size() == 8);
  CHECK(executable.instructions == std::vector<std::int64_t>{7, 8});
}

TEST_CASE("a Relax executable that was read is written byte for byte as it was", "[tvm]") {
  CHECK(written(relax_in(tiny_relax_file())) == tiny_relax_file());
}

TEST_CASE("version 1 of a Relax executable has no memory scopes", "[tvm]") {
  RelaxExecutable executable = relax_in(tiny_relax_file());
  executable.magic = kRelaxMagicV1;

  const RelaxExecutable again = relax_in(written(executable));

  CHECK(again.memory_scopes.empty());
  CHECK(again.constants.size() == 6);
}

TEST_CASE("a Relax executable cut off anywhere is refused", "[tvm][robustness]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("cut.ro");
  for (std::size_t kept = 0; kept < tiny_relax_file().size(); ++kept) {
    CAPTURE(kept);
    test::write_file(file, tiny_relax_file().substr(0, kept));

    CHECK_THROWS_AS(load_relax(file), BadInput);
  }
}

TEST_CASE("no damage crashes the Relax reader or makes it allocate", "[tvm][robustness]") {
  CHECK(test::survives_damage(tiny_relax_file(), relax_is_refused_or_harmless));
}

TEST_CASE("each wrong field of a Relax executable is named with its offset", "[tvm][robustness]") {
  struct Wrong {
    std::size_t offset;
    std::uint64_t value;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {0, 1, "offset 0: not a Relax executable"},
      {8, 1000, "offset 8: a version of 1000 bytes"},
      {test::tiny_relax::kVersion, 0x0000000135312e30,
       "offset 16: version '0.15' cannot be loaded"},
      {test::tiny_relax::kKind, 0x0000000400000003, "offset 28: there is no kind 3 of functions"},
      {test::tiny_relax::kKind, 0x00000004ffffffff, "offset 28: there is no kind -1 of functions"},
      {test::tiny_relax::kScopeConstant, ~std::uint64_t{0}, "constant -1 has a memory scope"},
      {test::tiny_relax::kScopeConstant, 6,
       "offset 123: constant 6 has a memory scope, but there are 6"},
      {test::tiny_relax::kConstantCount, 1000, "offset 123: 1000 x a constant is announced"},
      {test::tiny_relax::kFirstTag, 0xffffffff00000000, "offset 131: constant 0 has type index 0"},
      {test::tiny_relax::kTensor, 1, "offset 209: not a tensor"},
      {test::tiny_relax::kOffsets + 8, 2, "an instruction begins at word 2 of 2"},
      {test::tiny_relax::kOffsets + 8, ~std::uint64_t{0}, "an instruction begins at word -1 of 2"},
      {test::tiny_relax::kOffsets + 16, 1, "8 bytes follow the bytecode"},
  }));
  CAPTURE(wrong.offset, wrong.value);

  CHECK_THROWS_WITH(relax_in(test::with_u64(tiny_relax_file(), wrong.offset, wrong.value)),
                    Catch::Contains(wrong.says));
}

TEST_CASE("a made Relax executable has the announced size", "[tvm]") {
  const auto model = model_of(1'000'000);
  std::string bytes;
  MemoryStringStream stream(&bytes);

  write_random_relax(stream, model, 1);

  CHECK(bytes.size() == relax_file_bytes(model));
  CHECK(relax_in(bytes).constants.size() == model.size());
}
