#include "reference_loaders/ggml/loaders.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/ggml/completion.hpp"
#include "reference_loaders/ggml/model_reader.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include <tidemark/marks.h>

namespace tidemark::loaders::ggml {
namespace {

/// One load: a model, and the steps that its variants are put together from.
class Load {
 public:
  Load(const std::filesystem::path& file, const Work& work, KeyValuesAre where)
      : work_(work), loaded_{read(file, where), {}} {
    const Hyperparameters& sizes = loaded_.file.sizes;
    if (std::int64_t{work.n_tokens} + work.n_generated > sizes.n_ctx) {
      throw UsageError(fmt::format("the model has room for {} tokens, not for {} and {} more",
                                   sizes.n_ctx, work.n_tokens, work.n_generated));
    }
    prompt_ = made_up_prompt(sizes, work.n_tokens);
    if (!loaded_.file.has_head) {
      const Phase phase("tie head");
      tie_head(loaded_.file.tensors);
    }
  }

  void add_hard_coded_cursor() {
    const Phase phase("allocate");
    const auto n_tokens =
        static_cast<std::uint64_t>(work_.n_tokens) + static_cast<std::uint64_t>(work_.n_generated);
    loaded_.cursors.push_back({{}, std::make_unique<HardCodedMemory>(n_tokens)});
  }

  /// The recording lives until its cursor has its memory, as in ggml-gobject.
  void add_recorded_cursor(KeyValuesAre where) {
    const bool has_own = where == KeyValuesAre::kSeparate;
    std::optional<TensorSet> recorded_memory;
    std::optional<LaidOutPass> recording;
    {
      const Phase phase("record");
      if (has_own) {
        recorded_memory = recorded_key_values(loaded_.file.sizes);
      }
      recording = record(pass(key_values_in(recorded_memory ? *recorded_memory : weights())));
    }
    const Phase phase("allocate");
    Cursor& cursor = loaded_.cursors.emplace_back();
    if (has_own) {
      cursor.own_key_values.emplace(key_value_specs(loaded_.file.sizes));
    }
    cursor.memory = std::make_unique<RecordedMemory>(*recording);
    loaded_.recording_bytes = recording->context.size();
  }

  /// Runs the cursor that was added last.
  void forward() {
    const Phase phase("forward");
    const auto begin = std::chrono::steady_clock::now();
    Cursor& cursor = loaded_.cursors.back();
    const TensorSet& memory = cursor.own_key_values ? *cursor.own_key_values : weights();
    cursor.logits_checksum =
        complete(*cursor.memory, pass(key_values_in(memory)), work_.n_generated,
                 work_.compute ? Arithmetic::kReal : Arithmetic::kNone);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    loaded_.forward_seconds += took.count();
  }

  LoadedGpt2 take() { return std::move(loaded_); }

 private:
  static LoadedModelFile read(const std::filesystem::path& file, KeyValuesAre where) {
    const Phase phase("read");
    FileInput stream(file);
    return read_model(stream, file.string(), where);
  }

  [[nodiscard]] const TensorSet& weights() const { return loaded_.file.tensors; }
  [[nodiscard]] Pass pass(KeyValues memory) const {
    return {loaded_.file.sizes, weights(), memory, prompt_};
  }

  Work work_;
  LoadedGpt2 loaded_;
  std::vector<std::int32_t> prompt_;
};

}  // namespace

std::uint64_t Cursor::bytes() const {
  return memory->bytes() + (own_key_values ? own_key_values->context_bytes() : 0);
}

std::uint64_t LoadedGpt2::own_weight_bytes() const {
  return weight_bytes(file.sizes) + (file.has_head ? head_spec(file.sizes).bytes() : 0);
}

std::uint64_t LoadedGpt2::work_bytes() const {
  std::uint64_t bytes = file.tensors.context_bytes() - own_weight_bytes();
  bytes += file.vocabulary.bytes() + recording_bytes;
  for (const Cursor& cursor : cursors) {
    bytes += cursor.bytes();
  }
  return bytes;
}

LoadedGpt2 load_hardcoded(const std::filesystem::path& file, const Work& work) {
  Load load(file, work, KeyValuesAre::kInTheModel);
  load.add_hard_coded_cursor();
  load.forward();
  return load.take();
}

LoadedGpt2 load_recorded(const std::filesystem::path& file, const Work& work) {
  Load load(file, work, KeyValuesAre::kInTheModel);
  load.add_recorded_cursor(KeyValuesAre::kInTheModel);
  load.forward();
  return load.take();
}

LoadedGpt2 load_per_cursor(const std::filesystem::path& file, const Work& work) {
  Load load(file, work, KeyValuesAre::kSeparate);
  for (std::int32_t cursor = 0; cursor < work.n_cursors; ++cursor) {
    load.add_recorded_cursor(KeyValuesAre::kSeparate);
    load.forward();
  }
  return load.take();
}

}  // namespace tidemark::loaders::ggml
