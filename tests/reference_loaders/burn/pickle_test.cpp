#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/pickle_reader.hpp"
#include "reference_loaders/burn/pickle_writer.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace tidemark::loaders;
using namespace tidemark::loaders::burn;

namespace {

using namespace std::string_literals;

/// {"a": a float32 tensor [2]} with the version of one module, as Python 3 and PyTorch pickle it.
std::string pickle_by_hand() {
  return "\x80\x02"s + "ccollections\nOrderedDict\nq\0)Rq\x01"s  //
         + "X\1\0\0\0aq\x02"s                                    // the key, and SETITEM below
         + "ctorch._utils\n_rebuild_tensor_v2\nq\x03("s          //
         + "(X\7\0\0\0storageq\x04"s + "ctorch\nFloatStorage\nq\x05"s + "X\1\0\0\0"s +
         "0q\x06X\3\0\0\0cpuq\x07K\x02tq\x08Q"s  //
         + "K\0K\x02\x85q\x09K\1\x85q\x0a"s      // offset, shape, stride
         + "\x89h\0)Rq\x0btq\x0cRq\x0ds"s        //
         + "}q\x0eX\x09\0\0\0_metadataq\x0fh\0)Rq\x10"s +
         "X\0\0\0\0q\x11}q\x12X\7\0\0\0versionq\x13K\1sssb."s;
}

StateDict read_pickle(const std::string& pickle) {
  return read_state_dict(pickle, "model.pt", 1000);
}

}  // namespace

TEST_CASE("a pickle written by hand is read", "[burn][pickle]") {
  const StateDict tensors = read_pickle(pickle_by_hand());

  REQUIRE(tensors.size() == 1);
  CHECK(tensors[0].name == "a");
  CHECK(tensors[0].dtype == Dtype::kFloat32);
  CHECK(tensors[0].storage == "0");
  CHECK(tensors[0].storage_elements == 2);
  CHECK(tensors[0].offset == 0);
  CHECK(tensors[0].shape == std::vector<std::int64_t>{2});
  CHECK(tensors[0].stride == std::vector<std::int64_t>{1});
}

TEST_CASE("a state_dict is pickled byte for byte as by hand", "[burn][pickle]") {
  const StateDict tensors = state_dict_of({.tensors = {{"a", Dtype::kFloat32, {2}}}});

  CHECK(state_dict_pickle(tensors, {{""}}) == pickle_by_hand());
}

TEST_CASE("what is pickled is read back, numbers of every length and all", "[burn][pickle]") {
  StateDict tensors;
  for (const std::uint64_t number : {0ULL, 255ULL, 256ULL, 65'535ULL, 65'536ULL, 2'147'483'647ULL,
                                     2'147'483'648ULL, 1ULL << 39U, (1ULL << 62U) + 5}) {
    tensors.push_back({.name = "tensor." + std::to_string(number),
                       .dtype = Dtype::kBfloat16,
                       .storage = std::to_string(number),
                       .storage_elements = number,
                       .offset = number,
                       .shape = {1, 2, 3, 4, 5},
                       .stride = {5, 4, 3, 2, 1}});
  }

  const StateDict again = read_pickle(state_dict_pickle(tensors, {}));

  REQUIRE(again.size() == tensors.size());
  for (std::size_t at = 0; at < again.size(); ++at) {
    CHECK(again[at].name == tensors[at].name);
    CHECK(again[at].dtype == tensors[at].dtype);
    CHECK(again[at].storage_elements == tensors[at].storage_elements);
    CHECK(again[at].offset == tensors[at].offset);
    CHECK(again[at].shape == tensors[at].shape);
    CHECK(again[at].stride == tensors[at].stride);
  }
}

TEST_CASE("a dict of more than one batch and 256 memos is read back", "[burn][pickle]") {
  ModelSpec spec;
  for (int number = 0; number < 2001; ++number) {
    spec.tensors.push_back({"t" + std::to_string(number), Dtype::kInt16, {number}});
  }

  CHECK(read_pickle(state_dict_pickle(state_dict_of(spec), {})).size() == 2001);
}

TEST_CASE("a pickle cut off anywhere is refused", "[burn][pickle][robustness]") {
  for (std::size_t kept = 0; kept < pickle_by_hand().size(); ++kept) {
    CAPTURE(kept);
    CHECK_THROWS_AS(read_pickle(pickle_by_hand().substr(0, kept)), BadInput);
  }
}

TEST_CASE("a pickle of anything but a state_dict is refused", "[burn][pickle][robustness]") {
  struct Wrong {
    std::string pickle;
    const char* says;
  };
  const std::string dict = "ccollections\nOrderedDict\n)R";
  const auto wrong = GENERATE_COPY(values<Wrong>({
      {"", "not a pickle of protocol 2"},
      {"\x80\x04.", "not a pickle of protocol 2"},
      {"\x80\x02.", "offset 1002: pickle: 0 values are left"},
      {"\x80\x02}}.", "2 values are left"},
      {"\x80\x02}(.", "1 values are left"},
      {"\x80\x02}.x", "1 bytes follow the end"},
      {"\x80\x02N.", "this is none"},
      {"\x80\x02K\x01.", "this is none"},
      {"\x80\x02I1\n.", "offset 1002: pickle: opcode 0x49 is not needed"},
      {"\x80\x02"s + "0", "opcode 0x30"},
      {"\x80\x02\x95", "opcode 0x95"},
      {"\x80\x02" + "cos\nsystem\n(X\2\0\0\0idtR."s, "'os.system' is not needed"},
      {"\x80\x02" + "ctorch\nload\n"s, "'torch.load' is not needed"},
      {"\x80\x02" + "cposix"s, "a name without an end"},
      {"\x80\x02)R.", "a value is missing on the stack"},
      {"\x80\x02))R.", "a function that a state_dict calls is expected"},
      {"\x80\x02" + "ccollections\nOrderedDict\nK\1\x85R."s, "made with arguments"},
      {"\x80\x02" + dict + "}b)b.", "a dict of attributes is expected"},
      {"\x80\x02" + dict + "b.", "is missing on the stack"},
      {"\x80\x02h\0."s, "number 0 is taken from the memo, which has 0"},
      {"\x80\x02}q\1."s, "number 1 is put into the memo, which has 0"},
      {"\x80\x02q\0."s, "is put into the memo"},
      {"\x80\x02}r\xff\xff\xff\xff."s, "number 4294967295"},
      {"\x80\x02u", "a mark is missing"},
      {"\x80\x02}(u.", "do not pair"},
      {"\x80\x02}(NNNu.", "do not pair"},
      {"\x80\x02}s.", "do not pair"},
      {"\x80\x02)NNs.", "the dict to put items into is expected"},
      {"\x80\x02Na.", "nothing to append to"},
      {"\x80\x02\x86", "a value is missing on the stack"},
      {"\x80\x02X\xff\xff\xff\xff"s, "4294967295 bytes are needed, but the pickle ends after 0"},
      {"\x80\x02\x8a\x09" + std::string(9, '\0'), "a number of 9 bytes"},
      {"\x80\x02)Q.", "a persistent id that is no storage"},
      {"\x80\x02}X\5\0\0\0epochK\3s."s, "'epoch' is no tensor"},
      {"\x80\x02}NNs.", "'?' is no tensor"},
      {"\x80\x02}" + std::string(5000, 'N'), "more than 4000 values on the stack"},
      {"\x80\x02}" + std::string(5000, '('), "too many marks"},
      {"\x80\x02](" + std::string(3000, ')') + "e", "more objects than"},
  }));
  CAPTURE(wrong.pickle);

  CHECK_THROWS_WITH(read_pickle(wrong.pickle), Catch::Contains(wrong.says));
  CHECK_THROWS_AS(read_pickle(wrong.pickle), BadInput);
}

TEST_CASE("a tensor of wrong parts is refused", "[burn][pickle][robustness]") {
  struct Wrong {
    std::string part;
    std::string by;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {"K\2tq\x08Q"s, "Ntq\x08Q"s, "a number of elements must be a number"},
      {"K\2tq\x08Q"s, "J\xff\xff\xff\xfftq\x08Q"s, "a storage of -1 elements"},
      {"K\0K\2"s, "J\xff\xff\xff\xffK\2"s, "a tensor at offset -1"},
      {"K\2\x85q\x09"s, "K\2K\2\x86q\x09"s, "2 dimensions and 1 strides"},
      {"K\2\x85q\x09"s, "(" + std::string(17, 'N') + "tq\x09", "a shape of 17 dimensions"},
      {"\x89h\0)Rq\x0bt"s, "h\0)Rq\x0bt"s, "is made of 5 arguments"},
      {"FloatStorage", "ComplexStorage", "'torch.ComplexStorage' is not needed"},
      {"X\1\0\0\0000"s, "X\x21\0\0\0"s + std::string(33, '0'), "a storage key of 33 bytes"},
  }));
  CAPTURE(wrong.by);
  std::string pickle = pickle_by_hand();
  const std::size_t at = pickle.find(wrong.part);
  REQUIRE(at != std::string::npos);
  pickle.replace(at, wrong.part.size(), wrong.by);

  CHECK_THROWS_WITH(read_pickle(pickle), Catch::Contains(wrong.says));
}

TEST_CASE("a name that appears twice in a pickle is refused", "[burn][pickle][robustness]") {
  const StateDict twice = state_dict_of({.tensors = {{"a"}, {"a"}}});

  CHECK_THROWS_WITH(read_pickle(state_dict_pickle(twice, {})),
                    Catch::Contains("'a' is there twice"));
}

TEST_CASE("a container that holds itself is freed", "[burn][pickle][robustness]") {
  CHECK_THROWS_WITH(read_pickle("\x80\x02]q\0h\0a."s), Catch::Contains("this is none"));
}
