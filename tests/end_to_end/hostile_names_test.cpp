// A program whose every name is hostile, from its recording to the files of a comparison. That no
// format passes such names on is tested format by format in
// tests/analyzer/cli/hostile_text_test.cpp.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

using namespace tidemark::tests;

namespace {

const std::string kHostile = "\x1b[31m\x07\n::error::\xff\xe2\x80\xae|`<b>";

class HostileNames : public EndToEnd {
 public:
  HostileNames() : folder_(path("in" + kHostile)), program_(folder_ + "/load" + kHostile) {
    std::filesystem::create_directory(folder_);
    std::filesystem::copy_file(host("hostile_names")[0], program_);
    file_ = a_file_of(4 << 20, "in" + kHostile + "/model" + kHostile + ".params");
  }
  [[nodiscard]] Words words() const { return {program_, file_, kHostile}; }

  static void check_harmless(const std::string& text) {
    CAPTURE(text);
    CHECK(std::ranges::none_of(text, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte < 0x20 && c != '\n') || byte == 0x7f || byte == 0xff;
    }));
    CHECK(text.find("\xe2\x80\xae") == std::string::npos);
    CHECK(text.find("\n::error") == std::string::npos);
  }

 private:
  std::string folder_;
  std::string program_;
  std::string file_;
};

}  // namespace

TEST_CASE_METHOD(HostileNames,
                 "a recording says nothing of hostile names but what they show",
                 "[hostile]") {
  Words record{"record", "-o", path("in" + kHostile + "/host.tmk"), "--"};
  const Words program = words();
  record.insert(record.end(), program.begin(), program.end());

  const Outcome recorded = tidemark(record);
  const Outcome reported = tidemark({"report", record[2]});

  CHECK(recorded.status == 0);
  check_harmless(recorded.err);
  CHECK(reported.status == 0);
  check_harmless(reported.out);
  // They were recorded, and can be told.
  for (const std::string shown : {"in phase ?]0;title?\?::error title=x::PWN?\?</script>|`",
                                  "/model?[31m??::error::??|`<b>.params"})
    CHECK_THAT(reported.out, Catch::Contains(shown));
}

TEST_CASE_METHOD(HostileNames, "a model of a hostile name is found by that name", "[hostile]") {
  const Recording recording = record(words());

  const Outcome reported = tidemark({"report", recording.trace, "--model", words()[1]});

  CHECK(reported.status == 0);
  CHECK_THAT(reported.out, Catch::Contains("x the 4.00 MiB model"));
}

TEST_CASE_METHOD(HostileNames, "nothing of a comparison passes hostile names on", "[hostile]") {
  std::string command;
  for (const std::string& word : words())
    command += '\'' + word + "' ";

  const Outcome said =
      tidemark({"compare", "--before", command, "--after", "sh -c 'exit 3' '" + kHostile + '\'',
                "-o", path("results" + kHostile), "--runs", "2"});

  CHECK(said.status == 1);
  check_harmless(said.out);
  check_harmless(said.err);
  for (const auto& entry : std::filesystem::directory_iterator(path("results" + kHostile))) {
    CAPTURE(entry.path().filename());
    if (entry.path().extension() != ".png" && entry.path().extension() != ".tmk")
      check_harmless(read_text(entry.path().string()));
  }
}
