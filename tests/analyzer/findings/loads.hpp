/// Loads of a 256 MiB model in 16 tensors, with their copies, as steps that a test puts together.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "tests/analyzer/trace_builder.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::tests {

constexpr std::uint64_t kTensors = 16;
constexpr std::uint64_t kTensorBytes = 16 * kMiB;
constexpr std::uint64_t kModelBytes = kTensors * kTensorBytes;

/// A trace in the making. Every step takes 10 ms unless it says otherwise.
class Load {
 public:
  Load();

  TraceBuilder trace;
  trace::FileId model;

  [[nodiscard]] std::uint64_t now_ms() const { return now_ms_; }
  /// Goes on by this much.
  void wait_ms(std::uint64_t ms);
  /// A block allocated by `function`.
  std::uint64_t block(const std::string& function,
                      std::uint64_t size,
                      trace::Lane lane = trace::Lane::kHeap);
  /// The whole model read into a block in pieces of 16 MiB.
  void read_whole(std::uint64_t into, std::optional<double> resident = std::nullopt);
  std::uint64_t blob();
  /// Sixteen blocks, each copied out of `from` once it is there.
  std::vector<std::uint64_t> tensors_from(std::uint64_t from,
                                          const std::string& function = "Empty");
  /// Sixteen blocks, each read into.
  std::vector<std::uint64_t> streamed_tensors();
  void release(const std::vector<std::uint64_t>& blocks);

  /// What the trace says, once it says that this much is the model: a load that is not recognised
  /// has no findings, which many tests are about.
  analyzer::Report report(std::uint64_t model_bytes = kModelBytes);
  /// The same, a second later, once these have gone.
  analyzer::Report report_of_all(const std::vector<std::vector<std::uint64_t>>& blocks,
                                 std::uint64_t model_bytes = kModelBytes);

 private:
  std::uint64_t now_ms_ = 0;
};

/// The findings of one kind.
std::vector<analyzer::Finding> findings_of(const analyzer::Report& report,
                                           analyzer::FindingKind kind);

}  // namespace tidemark::tests
