#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/gzip_writer.hpp"
#include "reference_loaders/burn/model_writer.hpp"
#include "reference_loaders/burn/record_reader.hpp"
#include "tests/reference_loaders/burn/checkpoints.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <cstring>

#include <zlib.h>

using namespace tidemark::loaders;
using namespace tidemark::loaders::burn;
using test::from_hex;

namespace {

using LoadRecord = Module (*)(ByteSource&);

/// As a gzip file whose deflate blocks are compressed for real.
std::string compressed(const std::string& content) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string file(deflateBound(&z, content.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  z.avail_in = static_cast<uInt>(content.size());
  z.next_out = reinterpret_cast<Bytef*>(file.data());
  z.avail_out = static_cast<uInt>(file.size());
  deflate(&z, Z_FINISH);
  file.resize(z.total_out);
  deflateEnd(&z);
  return file;
}

std::string stored(const std::string& content) {
  std::string file;
  StringSink sink(&file);
  StoredGzipWriter gzip(sink);
  gzip.write(content.data(), content.size());
  gzip.finish();
  return file;
}

Module loaded(const std::string& file, LoadRecord load) {
  return load(*open_memory(file, "model.mpk.gz"));
}

/// {"metadata": {}, "item": ...}
std::string record_of(const std::string& item_in_hex) {
  return from_hex("82 a8 6d65746164617461 80 a4 6974656d" + item_in_hex);
}

/// {"fc": {"weight": a param, "bias": nil}, "list": [3, {"b": a param}]}, as burn nests modules.
std::string elements_by_hand() {
  return record_of(R"(
      82
        a2 6663 82
          a6 776569676874 82
            a2 6964 a1 78
            a5 706172616d 82
              a5 76616c7565 92 ca 3f800000 ca c0000000
              a5 7368617065 92 01 02
          a4 62696173 c0
        a4 6c697374 92
          03
          81 a1 62 82
            a2 6964 a1 79
            a5 706172616d 82
              a5 76616c7565 95 00 ff cd 0100 d1 ff00 cf 7fffffffffffffff
              a5 7368617065 91 05)");
}

/// {"a": float16 [1, 2]}
std::string bytes_by_hand() {
  return record_of(R"(
      81 a1 61 82
        a2 6964 a1 78
        a5 706172616d 83
          a5 6279746573 c4 04 003c00c0
          a5 7368617065 92 01 02
          a5 6474797065 a3 463136)");
}

std::string a_small_record(FileForm form) {
  std::string file;
  StringSink sink(&file);
  write_model(sink, form, test::a_small_model(), 1);
  return file;
}

}  // namespace

TEST_CASE("a record of elements written by hand is read", "[burn][record]") {
  const Module module = loaded(compressed(elements_by_hand()), load_mpk_elements);

  REQUIRE(module.size() == 2);
  CHECK(test::values_of<float>(module, "fc.weight") == std::vector<float>{1, -2});
  CHECK(test::tensor_of(module, "fc.weight").shape == std::vector<std::int64_t>{1, 2});
  CHECK(test::values_of<std::int64_t>(module, "list.1.b") ==
        std::vector<std::int64_t>{0, -1, 256, -256, 0x7fffffffffffffff});
}

TEST_CASE("a record of bytes written by hand is read", "[burn][record]") {
  const Module module = loaded(stored(bytes_by_hand()), load_mpk_bytes);

  REQUIRE(module.size() == 1);
  CHECK(module[0].name == "a");
  CHECK(module[0].dtype == Dtype::kFloat16);
  CHECK(test::values_of<std::uint16_t>(module, "a") == std::vector<std::uint16_t>{0x3c00, 0xc000});
}

TEST_CASE("a made record is the bytes that rmp-serde would write", "[burn][record]") {
  const ModelSpec spec{.tensors = {{"a.0", Dtype::kInt64}}};
  const std::string metadata =
      "85 a5 666c6f6174 a3 663332  a3 696e74 a3 693634  a6 666f726d6174 d9 2f "
      "6275726e5f636f72653a3a7265636f72643a3a66696c653a3a4e616d65644d706b477a46696c655265636f726465"
      "72"
      "a7 76657273696f6e a6 302e31332e32  a8 73657474696e6773 b5 "
      "46756c6c507265636973696f6e53657474696e6773";
  const std::string content = from_hex("82 a8 6d65746164617461" + metadata + R"( a4 6974656d
      81 a1 61 91 82
        a2 6964 d9 24
          30303030303030302d303030302d343030302d383030302d303030303030303030303030
        a5 706172616d 82
          a5 76616c7565 91 cd 03e8
          a5 7368617065 90)");
  std::string file;
  StringSink sink(&file);

  write_model(sink, FileForm::kMpkElements, spec, 1);

  CHECK(file == stored(content));
}

TEST_CASE("a stored gzip file is written byte for byte as by hand", "[burn][gzip]") {
  CHECK(stored("xy") == from_hex("1f8b0800000000 0000ff 01 0200 fdff 7879 9928e68f 02000000"));
  CHECK(stored("xy").size() == StoredGzipWriter::file_size(2));
  CHECK(stored("").size() == StoredGzipWriter::file_size(0));
  CHECK(stored(std::string(65'536, 'x')).size() == StoredGzipWriter::file_size(65'536));
}

TEST_CASE("both forms of a record hold the same tensors as the .pt file", "[burn][record]") {
  std::string file;
  StringSink sink(&file);
  write_model(sink, FileForm::kPytorch, test::a_small_model(), 1);
  Checkpoint checkpoint = test::opened(file);
  const Module pytorch = test::all_loaders()[0](checkpoint);
  const Module elements = loaded(a_small_record(FileForm::kMpkElements), load_mpk_elements);
  const Module bytes = loaded(a_small_record(FileForm::kMpkBytes), load_mpk_bytes);

  REQUIRE(elements.size() == pytorch.size());
  REQUIRE(bytes.size() == pytorch.size());
  for (const ModuleTensor& tensor : pytorch) {
    CAPTURE(tensor.name);
    for (const Module& other : {std::cref(elements), std::cref(bytes)}) {
      const ModuleTensor& same = test::tensor_of(other, tensor.name);
      CHECK(same.dtype == tensor.dtype);
      CHECK(same.shape == tensor.shape);
      CHECK(std::ranges::equal(same.data.bytes(), tensor.data.bytes()));
    }
  }
}

TEST_CASE("what is wrong in a record is named with its offset", "[burn][record][robustness]") {
  struct Wrong {
    std::string content;
    const char* says;
  };
  const std::string head = "81 a1 61 82 a2 6964 a1 78 a5 706172616d ";
  const auto wrong = GENERATE_COPY(values<Wrong>({
      {from_hex("93"), "a map is expected here"},
      {from_hex("81"), "a record has two parts"},
      {from_hex("82 a1 78"), "'metadata' is expected here, not 'x'"},
      {record_of("91 c1"), "an integer is expected"},
      {record_of("dd ffffffff"), "a value of length 4294967295 is longer"},
      {record_of("df ffffffff"), "a value of length 4294967295 is longer"},
      {record_of("81 da ffff"), "a string of 65535 bytes"},
      {record_of(head + "81"), "other parts than value and shape"},
      {record_of(head + "82 a5 76616c7565 dd 20000000 ca"), "a value of length 536870912"},
      {record_of(head + "82 a5 76616c7565 92 ca 3f800000 01"), "a float32 is expected"},
      {record_of(head + "82 a5 76616c7565 91 cf ffffffffffffffff"), "a number beyond int64"},
      {record_of(head + "82 a5 76616c7565 91 01 a5 7368617065 91 02"), "not what its shape makes"},
      {record_of(head + "82 a5 76616c7565 91 01 a5 7368617065 91 ff"), "not what its shape makes"},
      {record_of(head + "82 a5 76616c7565 91 01 a5 7368617065 dc 0011"), "17 dimensions"},
      {record_of("82 a1 61 82 a2 6964 a0 a5 706172616d 82 a5 76616c7565 90 a5 7368617065 91 00"
                 "   a1 61 82 a2 6964 a0 a5 706172616d 82 a5 76616c7565 90 a5 7368617065 91 00"),
       "the tensor 'a' is there twice"},
      {record_of(std::string(2 * 70, '9') + "1"), "more than 64 levels"},
      {elements_by_hand() + "x", "more data follows"},
  }));
  CAPTURE(wrong.says);

  CHECK_THROWS_WITH(loaded(compressed(wrong.content), load_mpk_elements),
                    Catch::Contains(wrong.says));
  CHECK_THROWS_AS(loaded(stored(wrong.content), load_mpk_elements), BadInput);
}

TEST_CASE("bytes of an unknown type or wrong length are refused", "[burn][record][robustness]") {
  const std::string head = "81 a1 61 82 a2 6964 a1 78 a5 706172616d 83 a5 6279746573 ";
  const std::string shape = " a5 7368617065 91 01 a5 6474797065 ";
  const auto refused = [&](const std::string& item, const char* says) {
    CHECK_THROWS_WITH(loaded(stored(record_of(item)), load_mpk_bytes), Catch::Contains(says));
  };

  refused(head + "c4 04 00000000" + shape + "a3 513332", "an unknown element type 'Q32'");
  refused(head + "c4 04 00000000" + shape + "a3 463634", "a tensor of 4 bytes");
  refused(head + "c6 ffffffff", "a value of length 4294967295");
  refused(head + "91", "bytes are expected here");
}

TEST_CASE("what is no gzip file, damaged, or followed by more is refused", "[burn][gzip]") {
  const std::string good = compressed(elements_by_hand());
  std::string damaged = good;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);

  CHECK_THROWS_WITH(loaded("PK", load_mpk_elements), Catch::Contains("no gzip data"));
  CHECK_THROWS_WITH(loaded(damaged, load_mpk_elements), Catch::Contains("incorrect data check"));
  CHECK_THROWS_WITH(loaded(good + "xy", load_mpk_elements), Catch::Contains("2 bytes follow"));
}

TEST_CASE("a record cut off anywhere is refused", "[burn][record][robustness]") {
  using Whole = std::pair<std::string, LoadRecord>;
  for (const auto& [file, load] : {Whole(compressed(elements_by_hand()), load_mpk_elements),
                                   Whole(stored(bytes_by_hand()), load_mpk_bytes)}) {
    for (std::size_t kept = 0; kept < file.size(); ++kept) {
      CAPTURE(kept);
      CHECK_THROWS_AS(loaded(file.substr(0, kept), load), BadInput);
    }
  }
}

TEST_CASE("no flipped bit crashes a loader of records or makes it allocate",
          "[burn][record][robustness]") {
  // The bits are flipped inside: a checksum would catch nearly all of them outside.
  const auto in_gzip = [](LoadRecord load) {
    return [load](const std::string& content) { return loaded(stored(content), load); };
  };
  CHECK(test::survives_flipped_bits(elements_by_hand(), in_gzip(load_mpk_elements)));
  CHECK(test::survives_flipped_bits(bytes_by_hand(), in_gzip(load_mpk_bytes)));
  CHECK(test::survives_flipped_bits(compressed(elements_by_hand()), [](const std::string& file) {
    return loaded(file, load_mpk_elements);
  }));
}
