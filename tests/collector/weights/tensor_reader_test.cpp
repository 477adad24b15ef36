// The tensors of files as their formats' own libraries write them (tests/data/weights, by
// PyTorch 1.13 and NumPy 1.24), of files put together here, and of files that are broken in every
// way.
#include "collector/weights/tensor_reader.hpp"

#include "collector/os/content/file_content.hpp"
#include "collector/weights/formats/pickle.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <random>
#include <sstream>

#include <sys/stat.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;

namespace {

std::vector<trace::Tensor> tensors_of(const std::string& path) {
  const FileDescriptor file = open_regular_file(path);
  struct stat status {};
  REQUIRE(::fstat(file.number(), &status) == 0);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return weights::read_tensors(file, size, look_into(file, size).word);
}

/// A line each: name, type, elements, bytes and begin.
std::string text_of(const std::vector<trace::Tensor>& tensors) {
  std::string text;
  for (const trace::Tensor& it : tensors)
    text += fmt::format("{} {} {} {}@{}\n", it.name, it.type, it.elements, it.bytes, it.begin);
  return text;
}

std::string data(const std::string& name) {
  return std::string(TIDEMARK_TEST_DATA) + "/weights/" + name;
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Bytes of a file, one field after the other.
class Bytes {
 public:
  Bytes& number(std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
      bytes_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  Bytes& text(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  /// A text behind its length.
  Bytes& sized(const std::string& text, std::size_t width) {
    return number(text.size(), width).text(text);
  }
  Bytes& zeros(std::size_t count) { return text(std::string(count, '\0')); }
  Bytes& align(std::size_t to) { return zeros((to - bytes_.size() % to) % to); }
  [[nodiscard]] const std::string& all() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string a_safetensors() {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[3],"data_offsets":[24,30]},)"
      R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("n":{"dtype":"F32","shape":[0],"data_offsets":[30,30]}})";
  return Bytes().sized(header, 8).zeros(30).all();
}

std::string a_gguf() {
  Bytes bytes;
  bytes.text("GGUF").number(3, 4).number(3, 8).number(4, 8);
  bytes.sized("general.name", 8).number(8, 4).sized("tiny", 8);
  bytes.sized("tokens", 8).number(9, 4).number(8, 4).number(2, 8).sized("a", 8).sized("bc", 8);
  bytes.sized("general.alignment", 8).number(4, 4).number(64, 4);
  bytes.sized("flag", 8).number(7, 4).number(1, 1);
  bytes.sized("w.weight", 8).number(2, 4).number(256, 8).number(2, 8).number(12, 4).number(0, 8);
  bytes.sized("norm", 8).number(1, 4).number(4, 8).number(0, 4).number(320, 8);
  bytes.sized("new", 8).number(1, 4).number(4, 8).number(999, 4).number(384, 8);
  bytes.align(64);
  return bytes.zeros(448).all();
}

std::string a_ggml() {
  Bytes bytes;
  bytes.text("lmgg").number(2, 4).zeros(5 * 4).number(2, 4).sized("a", 4).sized("bc", 4);
  bytes.number(2, 4).number(3, 4).number(1, 4).number(4, 4).number(2, 4).text("wte").zeros(16);
  bytes.number(1, 4).number(1, 4).number(0, 4).number(5, 4).text("b").zeros(20);
  return bytes.all();
}

std::string a_tvm_list() {
  Bytes bytes;
  bytes.number(0xF7E58D4F05049CB7, 8).number(0, 8).number(1, 8).sized("p0", 8).number(1, 8);
  bytes.number(0xDD5E40F096B4A13F, 8).number(0, 8).number(1, 4).number(0, 4).number(2, 4);
  bytes.number(2, 1).number(16, 1).number(1, 2).number(3, 8).number(4, 8).number(24, 8).zeros(24);
  return bytes.all();
}

/// A model of three initializers: bytes with dimensions one by one and packed, floats, and one that
/// is in another file.
std::string an_onnx() {
  const auto field = [](unsigned number, const std::string& bytes) {
    return Bytes().number(number << 3U | 2U, 1).sized(bytes, 1).all();
  };
  const auto value = [](unsigned number, std::uint64_t of) {
    return Bytes().number(number << 3U, 1).number(of, 1).all();
  };
  const std::string w =
      value(1, 2) + value(1, 6) + value(2, 10) + field(8, "w") + field(9, std::string(24, 'w'));
  const std::string b =
      field(1, "\x05") + value(2, 1) + field(4, std::string(20, 'b')) + field(8, "b");
  const std::string other =
      value(1, 5) + value(2, 1) + field(8, "o") + field(9, std::string(20, 'o')) + value(14, 1);
  const std::string graph = field(2, "main") + field(5, w) + field(5, b) + field(5, other);
  return value(1, 8) + field(2, "maker") + field(7, graph);
}

class Files : public TemporaryFolder {
 public:
  std::vector<trace::Tensor> tensors(const std::string& bytes) {
    return tensors_of(file("file", bytes));
  }
};

}  // namespace

TEST_CASE("tensors of PyTorch's archives are listed as they lie", "[weights]") {
  CHECK(text_of(tensors_of(data("state_dict.pt"))) ==
        "fc.weight f16 12 24@640\nfc.bias f16 4 8@768\n"
        "norm.weight f16 4 8@896\nnorm.bias f16 4 8@1024\n");
  CHECK(text_of(tensors_of(data("module.pt"))) ==
        "fc.weight f16 12 24@1408\nfc.bias f16 4 8@1536\n"
        "norm.weight f16 4 8@1664\nnorm.bias f16 4 8@1792\n");
  CHECK(text_of(tensors_of(data("checkpoint.pt"))) ==
        "model.fc.weight f16 12 24@896\nmodel.fc.bias f16 4 8@1024\n"
        "model.norm.weight f16 4 8@1152\nmodel.norm.bias f16 4 8@1280\n"
        "optimizer.state.0.exp_avg f64 12 96@1408\nlist.2 i64 5 40@1600\n");
}

TEST_CASE_METHOD(Files, "of several archives in one file none is listed alone", "[weights]") {
  const std::string archive = content_of(data("state_dict.pt"));
  CHECK(tensors(archive).size() == 4);
  CHECK(tensors(archive + archive).empty());
  CHECK(tensors(content_of(data("checkpoint.pt")) + archive).empty());
}

TEST_CASE("arrays of NumPy are listed", "[weights]") {
  CHECK(text_of(tensors_of(data("arrays.npz"))) == "w f32 30 120@183\nb i64 7 56@486\n");
  CHECK(text_of(tensors_of(data("array.npy"))) == " f16 20 40@128\n");
  CHECK(tensors_of(data("packed.npz")).empty());
}

TEST_CASE("arrays of NumPy are listed as they lie, in this machine's byte order", "[weights]") {
  const auto tensors_with = [](const std::string& type, const std::string& is_fortran) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': " + is_fortran + ", 'shape': (3, 5), }";
    header.resize(117, ' ');
    const TemporaryFolder folder;
    const std::string path = folder.file("array.npy");
    std::ofstream(path, std::ios::binary)
        << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header << '\n'
        << std::string(120, 'x');
    return tensors_of(path);
  };
  REQUIRE(tensors_with("<f4", "False").size() == 1);
  CHECK(tensors_with("<f4", "False")[0].shape == std::vector<std::uint64_t>{3, 5});
  REQUIRE(tensors_with("<f4", "True").size() == 1);
  CHECK(tensors_with("<f4", "True")[0].shape == std::vector<std::uint64_t>{5, 3});
  CHECK(tensors_with(">f4", "False").empty());
  CHECK(tensors_with(">f8", "True").empty());
  CHECK(text_of(tensors_with(">u1", "False")) == " u8 15 15@128\n");
}

TEST_CASE("tensors beside a program of ExecuTorch are listed", "[weights]") {
  CHECK(text_of(tensors_of(data("two_tensors.ptd"))) == "a f32 2 8@384\nb f32 3 12@512\n");
}

TEST_CASE_METHOD(Files, "tensors of the other formats are listed", "[weights]") {
  const std::size_t at = a_safetensors().size() - 30;
  CHECK(text_of(tensors(a_safetensors())) ==
        fmt::format("a f32 6 24@{}\nb bf16 3 6@{}\n", at, at + 24));
  const std::size_t data_at = a_gguf().size() - 448;
  CHECK(text_of(tensors(a_gguf())) ==
        fmt::format("w.weight q4_k 512 288@{}\nnorm f32 4 16@{}\n", data_at, data_at + 320));
  CHECK(text_of(tensors(a_ggml())) == "wte f16 8 16@66\nb f32 5 20@99\n");
  CHECK(text_of(tensors(a_tvm_list())) == "p0 f16 12 24@98\n");
  CHECK(text_of(tensors(an_onnx())) == fmt::format("w f16 12 24@{}\nb f32 5 20@{}\n",
                                                   an_onnx().find("wwww"), an_onnx().find("bbbb")));
}

TEST_CASE_METHOD(Files, "a header that is longer than the first look at it is read", "[weights]") {
  Bytes bytes;
  bytes.text("GGUF").number(2, 4).number(1, 8).number(1, 8);
  bytes.sized("tokens", 8).number(9, 4).number(8, 4).number(100'000, 8);
  for (int i = 0; i < 100'000; ++i)
    bytes.sized("a word of the vocabulary", 8);
  bytes.sized("w", 8).number(1, 4).number(8, 8).number(1, 4).number(0, 8).align(32);
  const std::size_t at = bytes.all().size();
  bytes.zeros(16);
  CHECK(text_of(tensors(bytes.all())) == fmt::format("w f16 8 16@{}\n", at));
}

TEST_CASE_METHOD(Files, "a file that ends too soon has no tensors, or those before", "[weights]") {
  const std::string whole =
      GENERATE(a_safetensors(), a_gguf(), a_ggml(), a_tvm_list(), an_onnx(),
               content_of(data("state_dict.pt")), content_of(data("arrays.npz")));
  const std::string all = text_of(tensors(whole));
  REQUIRE_FALSE(all.empty());
  std::size_t wrong = 0;
  const std::size_t step = whole.size() > 400 ? 7 : 1;
  for (std::size_t end = 0; end < whole.size(); end += step) {
    const std::string found = text_of(tensors(whole.substr(0, end)));
    wrong += all.starts_with(found) ? 0U : 1U;
  }
  CHECK(wrong == 0);
}

TEST_CASE_METHOD(Files, "a file with wrong bytes never leads outside of itself", "[weights]") {
  const std::string whole =
      GENERATE(a_safetensors(), a_gguf(), a_ggml(), a_tvm_list(), an_onnx(),
               content_of(data("state_dict.pt")), content_of(data("checkpoint.pt")),
               content_of(data("two_tensors.ptd")), content_of(data("module.pt")),
               content_of(data("arrays.npz")));
  std::mt19937 random(20);
  std::size_t outside = 0;
  std::size_t listed = 0;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = whole;
    for (std::size_t i = 0; i <= random() % 4; ++i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    for (const trace::Tensor& tensor : tensors(bytes)) {
      outside += tensor.begin + tensor.bytes > bytes.size() || tensor.elements == 0 ? 1U : 0U;
      ++listed;
    }
  }
  CHECK(outside == 0);
  CHECK(listed > 0);
}

TEST_CASE_METHOD(Files, "a pickle that calls what it likes is only looked at", "[weights]") {
  // PROTO 2, GLOBAL os system, a text, TUPLE1, REDUCE, STOP: in the place of the state.
  std::string bytes = content_of(data("state_dict.pt"));
  const std::string begin = std::string("\x80\x02") + "c";
  const std::string call =
      Bytes().text(begin + "os\nsystem\nX").sized("true", 4).text("\x85R.").all();
  const std::size_t at = bytes.find(begin);
  REQUIRE(at != std::string::npos);
  bytes.replace(at, call.size(), call);
  CHECK(tensors(bytes).empty());
}

TEST_CASE("a pickle that uses what is not on its stack is given up", "[weights]") {
  // DUP, APPEND, APPENDS, SETITEM, BINGET with nothing there, or with a mark alone.
  const std::string what =
      GENERATE(as<std::string>(), "2", "22a", "2N2a", "(2a", "a", "NNs", "2h", "(22e");
  CAPTURE(what);
  const weights::Pickle found = weights::read_pickle("\x80\x02" + what + '.');
  CHECK_FALSE(found.is_whole);
}

TEST_CASE("what would take all memory is given up", "[weights]") {
  constexpr std::size_t kLong = std::size_t{16} << 20U;
  std::string names = std::string("X\x08\0\0\0", 5) + "aaaaaaaa";
  for (int i = 0; i < 200; ++i)
    names += "2\x93";  // put together from what is put together
  for (const std::string& what : {names, "N" + std::string(kLong, '\x94'), std::string(kLong, ']'),
                                  std::string(kLong, '('), "N" + std::string(kLong, '2')}) {
    const weights::Pickle found = weights::read_pickle("\x80\x02" + what + '.');
    std::size_t bytes = 0;
    for (const weights::PickleValue& value : found.values)
      bytes += value.text.size();
    CHECK(bytes < 1'000'000);
    CHECK(found.values.size() <= std::size_t{2} << 20U);
  }
}

TEST_CASE_METHOD(Files, "a header of brackets alone is no list of tensors", "[weights]") {
  CHECK(tensors(Bytes().sized("{\"a\":" + std::string(1 << 20, '['), 8).all()).empty());
}
