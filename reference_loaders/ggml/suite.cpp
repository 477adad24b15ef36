#include "reference_loaders/ggml/suite.hpp"

#include "reference_loaders/ggml/gpt2_shape.hpp"

#include <string>

namespace tidemark::loaders::ggml {
namespace {

constexpr const char* kFailure = "not enough space in the context's memory pool";

SuiteRow row(const std::string& model,
             const std::string& variant,
             Options options,
             const std::string& published = {}) {
  return {.model = model,
          .weight_bytes = weight_bytes(shape_named(model)),
          .variant = variant,
          .options = std::move(options),
          .published = published};
}

SuiteRow failing(const std::string& model,
                 const std::string& tokens,
                 const std::string& published) {
  SuiteRow failing = row(model, "hardcoded", {{"tokens", tokens}, {"no-compute", "1"}}, published);
  failing.fails_with = kFailure;
  return failing;
}

std::vector<SuiteRow> quick() {
  return {row("117M", "hardcoded", {{"tokens", "7"}}, "286 MiB, 207x the need"),
          row("117M", "recorded", {{"tokens", "7"}}, "1.38 MiB"),
          row("117M", "hardcoded", {{"tokens", "32"}}, "394 MiB, 62x the need"),
          row("117M", "recorded", {{"tokens", "32"}}, "6.32 MiB"),
          row("117M", "per-cursor", {{"tokens", "32"}}, "6.32 MiB"),
          failing("345M", "512", "2.40 GiB, needs 2.69")};
}

std::vector<SuiteRow> full() {
  std::vector<SuiteRow> rows = quick();
  rows.push_back(row("117M", "per-cursor", {{"tokens", "32"}, {"cursors", "4"}}, "4 x 6.32 MiB"));
  rows.push_back(row("117M", "hardcoded", {{"tokens", "1024"}, {"no-compute", "1"}}, "4.55 GiB"));
  rows.push_back(row("117M", "recorded", {{"tokens", "1024"}, {"no-compute", "1"}}, "202 MiB"));
  rows.push_back(row("345M", "recorded", {{"tokens", "512"}, {"no-compute", "1"}}, "162 MiB"));
  rows.push_back(row("345M", "hardcoded", {{"tokens", "32"}}, "394 MiB, 39x the need"));
  rows.push_back(row("345M", "recorded", {{"tokens", "32"}}, "10.1 MiB"));
  rows.push_back(failing("774M", "128", "806 MiB, needs 1133"));
  rows.push_back(row("774M", "recorded", {{"tokens", "128"}, {"no-compute", "1"}}, "73.1 MiB"));
  rows.push_back(row("774M", "hardcoded", {{"tokens", "32"}}, "394 MiB, 22x the need"));
  rows.push_back(row("774M", "recorded", {{"tokens", "32"}}, "18.3 MiB"));
  rows.push_back(failing("1558M", "32", "394 MiB, needs 454"));
  rows.push_back(row("1558M", "recorded", {{"tokens", "32"}}, "29.9 MiB"));
  rows.push_back(row("1558M", "hardcoded", {{"tokens", "7"}}, "286 MiB, 44x the need"));
  rows.push_back(row("1558M", "recorded", {{"tokens", "7"}}, "6.54 MiB"));
  rows.push_back(row("1558M", "per-cursor", {{"tokens", "1024"}, {"no-compute", "1"}}, "1006 MiB"));
  return rows;
}

}  // namespace

std::vector<SuiteRow> suite(SuiteSize size) {
  return size == SuiteSize::kFull ? full() : quick();
}

}  // namespace tidemark::loaders::ggml
