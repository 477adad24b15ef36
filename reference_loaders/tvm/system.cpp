#include "reference_loaders/tvm/system.hpp"

#include "reference_loaders/size.hpp"
#include "reference_loaders/tvm/complete_stream.hpp"
#include "reference_loaders/tvm/executable_writer.hpp"
#include "reference_loaders/tvm/loaded_models.hpp"
#include "reference_loaders/tvm/params_writer.hpp"
#include "reference_loaders/tvm/relax_writer.hpp"
#include "reference_loaders/tvm/tensor_cache_writer.hpp"

#include <fmt/format.h>

namespace tidemark::loaders::tvm {
namespace {

constexpr const char* kParams = "params";
constexpr const char* kExecutable = "executable";
constexpr const char* kRelax = "relax";
constexpr const char* kShards = "shards";
constexpr std::uint64_t kDefaultBytes = std::uint64_t{512} << 20;

/// `files` copies of the whole file beside the tensors.
template <int files>
Prediction whole_files_and_tensors(const ModelFacts& f) {
  const std::string weights = format_size(f.weight_bytes());
  return {.footprint_bytes = files * f.file_bytes + f.weight_bytes(),
          .mapped_bytes = 0,
          .numbers = files == 0 ? weights : fmt::format("{} x {}", files + 1, weights)};
}

Prediction tensors_and_shard(const ModelFacts& f) {
  return {
      .footprint_bytes = f.weight_bytes() + f.work_bytes,
      .mapped_bytes = 0,
      .numbers = fmt::format("{} + {}", format_size(f.weight_bytes()), format_size(f.work_bytes))};
}

std::vector<Variant> variants() {
  return {
      {.name = "blob",
       .summary = "the whole file into a string, then copied into the tensors (before the fix)",
       .models = {kParams},
       .peak_formula = "2W",
       .predict = whole_files_and_tensors<1>,
       .load = blob_model},
      {.name = "stream",
       .summary = "from the file straight into the tensors (after the fix)",
       .models = {kParams},
       .peak_formula = "W",
       .predict = whole_files_and_tensors<0>,
       .load = stream_model},
      {.name = "exec-blob",
       .summary = "file, code, the executable's copy of it, tensors (before the fix)",
       .models = {kExecutable},
       .peak_formula = "4W",
       .predict = whole_files_and_tensors<3>,
       .load = exec_blob_model},
      {.name = "exec-stream",
       .summary = "code from the file, the executable's copy of it, tensors (after the fix)",
       .models = {kExecutable},
       .peak_formula = "3W",
       .predict = whole_files_and_tensors<2>,
       .load = exec_stream_model},
      {.name = "relax",
       .summary = "file, its copy in an object of bytes, tensors (as of 2026)",
       .models = {kRelax},
       .peak_formula = "3W",
       .predict = whole_files_and_tensors<2>,
       .load = relax_model},
      {.name = "shards",
       .summary = "one shard after the other through one string, s the largest (MLC)",
       .models = {kShards},
       .peak_formula = "W + s",
       .predict = tensors_and_shard,
       .load = shards_model},
  };
}

/// A model that is one file, written by `write` through a stream.
template <std::uint64_t (*FileBytes)(const std::vector<TensorSpec>&),
          void (*Write)(Stream&, const std::vector<TensorSpec>&, std::uint64_t)>
Model one_file(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .default_weight_bytes = kDefaultBytes,
          .file_bytes = [](std::uint64_t bytes) { return FileBytes(model_of(bytes)); },
          .make =
              [](const MakeRequest& request) {
                write_complete_file(request.file, [&](Stream& stream) {
                  Write(stream, model_of(request.weight_bytes), request.seed);
                });
              }};
}

Model shards() {
  return {.name = kShards,
          .summary = "a tensor cache: an index in JSON, and shards of 32 MiB beside it",
          .default_weight_bytes = kDefaultBytes,
          .file_bytes = [](std::uint64_t bytes) { return cache_bytes(model_of(bytes)); },
          .make =
              [](const MakeRequest& request) {
                write_random_cache(request.file, model_of(request.weight_bytes), request.seed);
              },
          .files = cache_files};
}

std::vector<SuiteRow> suite(SuiteSize size) {
  const bool full = size == SuiteSize::kFull;
  const std::uint64_t params = full ? 5'000'000'000 : std::uint64_t{128} << 20;
  const std::uint64_t executable = full ? 2'000'000'000 : std::uint64_t{64} << 20;
  const auto row = [](const char* model, std::uint64_t bytes, const char* variant) {
    return SuiteRow{.model = model, .weight_bytes = bytes, .variant = variant};
  };
  std::vector<SuiteRow> rows = {
      row(kParams, params, "blob"),
      row(kParams, params, "stream"),
      row(kExecutable, executable, "exec-blob"),
      row(kExecutable, executable, "exec-stream"),
      row(kRelax, executable, "relax"),
      row(kShards, executable, "shards"),
  };
  rows[0].published = "5 GB, 2x";
  rows[1].published = "5 GB, 1x";
  return rows;
}

}  // namespace

System make_system() {
  return {
      .name = "tvm",
      .summary = "Apache TVM: params, executables and tensor caches",
      .published = "apache/tvm pull request 13877: about 5 GB of weights, 2x before, 1x after",
      .models = {one_file<params_file_bytes, write_random_params>(
                     kParams, "a params file: late-bound constants"),
                 one_file<executable_file_bytes, write_random_executable>(
                     kExecutable, "a virtual machine executable with immediate constants, 2023"),
                 one_file<relax_file_bytes, write_random_relax>(
                     kRelax, "a Relax executable with its constants, 2026"),
                 shards()},
      .variants = variants(),
      .suite = suite};
}

}  // namespace tidemark::loaders::tvm
