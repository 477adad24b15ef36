#include "analyzer/tensors/held_tensors.hpp"

#include "analyzer/report/parts/tensor_table.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/tensor_groups.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using namespace tidemark::analyzer;
using tests::TraceBuilder;

namespace {

constexpr std::uint64_t kKiB = 1024;

/// Four tensors of 100 KiB in a file: two layers, two types.
struct Model : TraceBuilder {
  Model() {
    for (const char* name : {"h.0.w", "h.0.b", "h.1.w", "wte"}) {
      tensor(weights, 25 * kKiB, 100 * kKiB, name, name[0] == 'h' ? "f32" : "f16");
    }
  }
  /// At the end of the trace.
  static HeldTensors held_in(LoadedTrace& trace, const std::vector<SizedBlock>& sized = {}) {
    return tensors_held_at(trace, trace.instant_at(1'000'000'000'000), sized);
  }

  trace::FileId weights = file("/m/w.safetensors", 400 * kKiB);
  trace::StackId loads = stack({"load loader.cpp:3", "main"});
};

std::vector<std::string> lines_of(const std::vector<TensorRow>& rows) {
  std::vector<std::string> lines;
  for (const TensorRow& row : rows) {
    lines.push_back(row.name + ' ' + row.type + ' ' + std::to_string(row.tensors) + ' ' +
                    std::to_string(row.file_bytes / kKiB) + ' ' + std::to_string(row.bytes / kKiB) +
                    (row.is_by_size ? " ~" : ""));
  }
  return lines;
}

}  // namespace

TEST_CASE("tensors are where a part of a mapping was seen to have them", "[tensors]") {
  Model model;
  model.at_ms(1);
  const auto heap = model.allocate(1024 * kKiB, model.loads, trace::Lane::kAnon);
  const std::uint64_t begin = GENERATE(300U, 2000U) * kKiB;  // Not all in front of it is touched.
  model.part_of_file(heap, begin, 200 * kKiB, model.weights, 100 * kKiB);
  // Read to where it was seen: once.
  model.origin(heap, 0, model.weights, 0, 100 * kKiB);
  model.part_of_file(heap, 10 * kKiB, 80 * kKiB, model.weights, 10 * kKiB);
  auto trace = model.open();
  const HeldTensors held = Model::held_in(trace);
  CHECK(held.bytes == 300 * kKiB);
  CHECK(lines_of(tensor_rows(held, trace.definitions(), TensorGrouping::kTensor)) ==
        std::vector<std::string>{"h.0.w f32 1 100 100", "h.0.b f32 1 100 100",
                                 "h.1.w f32 1 100 100"});
}

TEST_CASE("tensors are where their bytes of the file are, whole and in part", "[tensors]") {
  Model model;
  model.at_ms(1);
  const auto blob = model.allocate(250 * kKiB, model.loads);
  model.origin(blob, 0, model.weights, 50 * kKiB, 250 * kKiB);  // half of the first, all of two
  const auto copy = model.allocate(100 * kKiB, model.loads);
  model.origin(copy, 0, model.weights, 100 * kKiB, 100 * kKiB);
  const auto gone = model.allocate(100 * kKiB, model.loads);
  model.origin(gone, 0, model.weights, 300 * kKiB, 100 * kKiB);
  model.release(gone);
  auto trace = model.open();
  const HeldTensors held = Model::held_in(trace);
  CHECK(held.listed == 4);
  CHECK(held.listed_bytes == 400 * kKiB);
  CHECK(held.bytes == 350 * kKiB);
  CHECK(
      lines_of(tensor_rows(held, trace.definitions(), TensorGrouping::kTensor)) ==
      std::vector<std::string>{"h.0.b f32 1 100 200", "h.1.w f32 1 100 100", "h.0.w f32 1 100 50"});
  CHECK(lines_of(tensor_rows(held, trace.definitions(), TensorGrouping::kLayer)) ==
        std::vector<std::string>{"h.0 f32 2 200 250", "h.1 f32 1 100 100"});
  CHECK(lines_of(tensor_rows(held, trace.definitions(), TensorGrouping::kType)) ==
        std::vector<std::string>{"f32 f32 3 300 350"});
}

TEST_CASE("tensors are where a part of a mapping has their values converted", "[tensors]") {
  Model model;
  model.at_ms(1);
  const auto heap = model.allocate(1024 * kKiB, model.loads, trace::Lane::kAnon);
  model.part_of_file(heap, 10 * kKiB, 100 * kKiB, model.weights, 0);
  model.part_of_file(heap, 300 * kKiB, 400 * kKiB, model.weights, 100 * kKiB, "f64", "f32");
  // Not there any more.
  model.part_of_file(heap, 800 * kKiB, 200 * kKiB, model.weights, 0, "f64", "f32", 5);
  auto trace = model.open();
  CHECK(
      lines_of(tensor_rows(Model::held_in(trace), trace.definitions(), TensorGrouping::kTensor)) ==
      std::vector<std::string>{"h.0.b f32 1 100 200", "h.1.w f32 1 100 200",
                               "h.0.w f32 1 100 100"});
  const auto rows =
      tensor_rows(Model::held_in(trace), trace.definitions(), TensorGrouping::kTensor);
  CHECK(rows[0].types.text() == " as f64");
  CHECK(rows[2].types.text().empty());
  const auto by_type =
      tensor_rows(Model::held_in(trace), trace.definitions(), TensorGrouping::kType);
  CHECK(by_type.at(0).types.text() == ", also as f64");
  CHECK(analyzer::tensor_kind_of(TensorGrouping::kTensor, rows[0]) == "f32 as f64");
  CHECK(analyzer::tensor_kind_of(TensorGrouping::kType, by_type[0]) == "3 tensors, also as f64");
}

TEST_CASE("types of which there are several are listed", "[tensors]") {
  CHECK(analyzer::HeldTypes{.as_in_file = true, .converted = {}}.text().empty());
  CHECK(analyzer::HeldTypes{.converted = {"f64", "bf16", "f16"}}.text() == " as bf16, f16 and f64");
}

TEST_CASE("tensors are where converted values of theirs were seen", "[tensors]") {
  using Rows = std::vector<std::string>;
  Model model;
  model.at_ms(1);
  const auto lane = GENERATE(trace::Lane::kHeap, trace::Lane::kAnon);
  const auto holds = [&](std::uint64_t bytes, std::uint64_t offset) {
    const auto array = model.allocate(bytes, model.loads, lane);
    // The first look was behind a header.
    model.widened(array, model.weights, offset + 2 * kKiB, "f64", "f32");
    const SizedBlock by_size{.allocation = array, .bytes = bytes};
    auto trace = model.open();
    return lines_of(tensor_rows(Model::held_in(trace, {by_size}), trace.definitions(),
                                TensorGrouping::kTensor));
  };
  SECTION("one, and a little of what is behind it") {
    CHECK(holds(208 * kKiB, 100 * kKiB) == Rows{"h.0.b f32 1 100 200"});
  }
  SECTION("two") {
    CHECK(holds(404 * kKiB, 0) == Rows{"h.0.w f32 1 100 200", "h.0.b f32 1 100 200"});
  }
  SECTION("a part of one") {
    CHECK(holds(160 * kKiB, 10 * kKiB) == Rows{"h.0.w f32 1 100 160"});
  }
  SECTION("and none of another type") {
    CHECK(holds(404 * kKiB, 200 * kKiB) == Rows{"h.1.w f32 1 100 200"});
  }
}

TEST_CASE("a mapping of the file is no memory of the footprint", "[tensors]") {
  Model model;
  model.at_ms(1);
  const auto map = model.map(model.weights, 400 * kKiB);
  model.origin(map, 0, model.weights, 0, 400 * kKiB);
  auto trace = model.open();
  const HeldTensors held = Model::held_in(trace);
  CHECK(held.bytes == 0);
  REQUIRE(held.tensors.size() == 4);
  CHECK(held.tensors[3].mapped_bytes == 100 * kKiB);
  CHECK(held.tensors[3].blocks == 0);
}

TEST_CASE("a block holds what comes into it, and no more than it has room for", "[tensors]") {
  Model model;
  model.at_ms(1);
  const auto shrunk = model.allocate(150 * kKiB, model.loads);
  model.origin(shrunk, 0, model.weights, 0, 200 * kKiB);
  const auto late = model.allocate(100 * kKiB, model.loads);
  model.at_ms(2'000'000);
  model.origin(late, 0, model.weights, 300 * kKiB, 100 * kKiB);
  auto trace = model.open();
  const HeldTensors held = Model::held_in(trace);
  CHECK(held.bytes == 250 * kKiB);
  CHECK(held.tensors.size() == 3);
}

TEST_CASE("a size tells what a block holds only where its bytes do not", "[tensors]") {
  Model model;
  model.at_ms(1);
  const auto known = model.allocate(100 * kKiB, model.loads);
  model.origin(known, 0, model.weights, 0, 100 * kKiB);
  const auto sized = model.allocate(100 * kKiB, model.loads);
  auto trace = model.open();
  const HeldTensors held =
      Model::held_in(trace, {{trace::TensorId{2}, known, 100 * kKiB, model.loads},
                             {trace::TensorId{3}, sized, 100 * kKiB, model.loads}});
  CHECK(lines_of(tensor_rows(held, trace.definitions(), TensorGrouping::kTensor)) ==
        std::vector<std::string>{"h.0.w f32 1 100 100", "wte f16 1 100 100 ~"});
}

TEST_CASE("a block is called by what lies in it, in its order", "[tensors]") {
  Model model;
  const auto whole = model.allocate(100 * kKiB);
  model.origin(whole, 0, model.weights, 300 * kKiB, 100 * kKiB);
  const auto part = model.allocate(100 * kKiB);
  model.origin(part, 0, model.weights, 310 * kKiB, 10 * kKiB);
  const auto several = model.allocate(400 * kKiB);
  model.origin(several, 200 * kKiB, model.weights, 0, 100 * kKiB);
  model.origin(several, 0, model.weights, 100 * kKiB, 200 * kKiB);
  const auto nothing = model.allocate(100 * kKiB);
  auto trace = model.open();
  const BlockContents contents(trace.definitions());
  CHECK(content_text(trace.definitions(), contents.parts_of(whole)) == "wte");
  CHECK(content_text(trace.definitions(), contents.parts_of(part)) == "part of wte");
  CHECK(content_text(trace.definitions(), contents.parts_of(several)) ==
        "3 tensors, h.0.b to h.0.w");
  CHECK_FALSE(contents.knows(nothing));
  CHECK(content_text(trace.definitions(), {}).empty());
  CHECK(part_text(trace.definitions(), contents.parts_of(part)[0]) ==
        "wte, f16: 10.0 KiB of 100.0 KiB");
  CHECK(part_text(trace.definitions(), contents.parts_of(whole)[0]) == "wte, f16: 100.0 KiB");
}

TEST_CASE("a tensor that a block holds in two forms is counted once in what it is called",
          "[tensors]") {
  Model model;
  auto trace = model.open();
  const auto part = [](std::uint32_t tensor, std::uint64_t in_file) {
    return TensorPart{.tensor = trace::TensorId{tensor}, .bytes = in_file, .in_file = in_file};
  };
  const auto called = [&](const std::vector<TensorPart>& parts) {
    return content_text(trace.definitions(), parts);
  };
  CHECK(called({part(0, 100 * kKiB), part(1, 100 * kKiB), part(0, 100 * kKiB)}) ==
        "2 tensors, h.0.w to h.0.b");
  CHECK(called({part(0, 50 * kKiB), part(0, 100 * kKiB)}) == "h.0.w");
  CHECK(called({part(0, 50 * kKiB), part(0, 50 * kKiB)}) == "part of h.0.w");
}

TEST_CASE("of a mapping that lost a part nothing is named", "[tensors]") {
  Model model;
  const auto map = model.map(model.weights, 400 * kKiB);
  model.origin(map, 0, model.weights, 0, 400 * kKiB);
  model.release_part(map, 100 * kKiB);
  auto trace = model.open();
  CHECK(Model::held_in(trace).tensors.empty());
}

TEST_CASE("a tensor that came in two pieces, with a small one between them, is one", "[tensors]") {
  Model model;
  const auto block = model.allocate(100 * kKiB);
  model.origin(block, 0, model.weights, 0, 60 * kKiB);
  model.origin(block, 64 * kKiB, model.weights, 64 * kKiB, 36 * kKiB);
  auto trace = model.open();
  const BlockContents contents(trace.definitions());
  CHECK(content_text(trace.definitions(), contents.parts_of(block)) == "h.0.w");
}

TEST_CASE("a layer is what stands before and in the first number of a name", "[tensors]") {
  CHECK(layer_of("model.layers.3.mlp.up_proj.weight") == "model.layers.3");
  CHECK(layer_of("blk.12.ffn_down.weight") == "blk.12");
  CHECK(layer_of("model/h0/attn/c_attn/w") == "model/h0");
  CHECK(layer_of("layer1.0.conv1.weight") == "layer1");
  CHECK(layer_of("encoder.embed.weight") == "encoder.embed");
  CHECK(layer_of("wte") == "wte");
  CHECK(layer_of("const_7") == "const_7");
  CHECK(layer_of("a.b2") == "a");
  CHECK(layer_of("").empty());
}
