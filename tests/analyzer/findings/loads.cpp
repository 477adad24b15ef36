#include "tests/analyzer/findings/loads.hpp"

#include "tests/support/catch.hpp"

namespace tidemark::tests {

Load::Load() : model(trace.file("/models/small/model.params", kModelBytes)) {
  wait_ms(10);
}

void Load::wait_ms(std::uint64_t ms) {
  now_ms_ += ms;
  trace.at_ms(now_ms_);
}

std::uint64_t Load::block(const std::string& function, std::uint64_t size, trace::Lane lane) {
  wait_ms(10);
  return trace.allocate(size, trace.stack({"malloc", function + " loader.cpp:40", "main"}), lane);
}

void Load::read_whole(std::uint64_t into, std::optional<double> resident) {
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    wait_ms(10);
    trace.read_into(model, kTensorBytes, into, resident,
                    trace.stack({"read", "read_file", "main"}));
  }
}

std::uint64_t Load::blob() {
  const auto blob = block("read_file", kModelBytes);
  read_whole(blob);
  return blob;
}

std::vector<std::uint64_t> Load::tensors_from(std::uint64_t from, const std::string& function) {
  std::vector<std::uint64_t> tensors;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    tensors.push_back(block(function, kTensorBytes));
    wait_ms(10);
    trace.copy(kTensorBytes, from, tensors.back(), trace.stack({"memcpy", "copy_tensor", "main"}));
  }
  return tensors;
}

std::vector<std::uint64_t> Load::streamed_tensors() {
  std::vector<std::uint64_t> tensors;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    tensors.push_back(block("Empty", kTensorBytes));
    wait_ms(10);
    trace.read_into(model, kTensorBytes, tensors.back());
  }
  return tensors;
}

void Load::release(const std::vector<std::uint64_t>& blocks) {
  for (const std::uint64_t block : blocks) {
    trace.release(block);
  }
}

analyzer::Report Load::report(std::uint64_t model_bytes) {
  wait_ms(10);
  auto loaded = trace.open();
  auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  REQUIRE(report.value().model.bytes == model_bytes);
  return std::move(report.value());
}

analyzer::Report Load::report_of_all(const std::vector<std::vector<std::uint64_t>>& blocks,
                                     std::uint64_t model_bytes) {
  wait_ms(1000);
  for (const auto& some : blocks) {
    release(some);
  }
  return report(model_bytes);
}

std::vector<analyzer::Finding> findings_of(const analyzer::Report& report,
                                           analyzer::FindingKind kind) {
  std::vector<analyzer::Finding> found;
  for (const analyzer::Finding& finding : report.anatomy.findings) {
    if (finding.kind == kind) {
      found.push_back(finding);
    }
  }
  return found;
}

}  // namespace tidemark::tests
