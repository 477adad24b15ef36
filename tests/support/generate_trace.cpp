// Writes a trace of any length without a program to record: for benchmarks of what reads traces.
//
// It tells of a load: `--threads` threads make and drop small blocks all the time, while big blocks
// are filled from a model file one after the other, each through a staging buffer of a short life.
// With `--touch-every` the file is read piece by piece, and each piece copied on, while the small
// blocks come and go: then every block of events holds reads and copies. At the end stands one
// definition of each kind that a recording writes there. Every number follows from the options
// alone, so two runs write the same bytes.
#include "collector/trace/writer.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace tidemark::tests {
namespace {

struct Options {
  std::string output;
  std::uint64_t events = 1'000'000;
  std::uint32_t threads = 4;
  std::uint64_t big_blocks = 200;
  std::uint64_t stacks = 2000;
  std::uint64_t touch_every = 0;  // Events from one piece to the next; 0: each tensor in one.
  std::uint64_t seconds = 60;
};

constexpr std::uint64_t kBigBytes = std::uint64_t{24} << 20U;
constexpr std::uint64_t kPieceBytes = std::uint64_t{64} << 10U;
constexpr std::uint64_t kPhases = 4;
constexpr std::size_t kSmallAlive = 200'000;

/// xorshift64*: as good as needed here, and the same everywhere.
class Random {
 public:
  std::uint64_t below(std::uint64_t bound) {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return (state_ * 0x2545F4914F6CDD1DULL >> 16U) % bound;
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15ULL;
};

class Generator {
 public:
  Generator(trace::TraceWriter& writer, const Options& options)
      : writer_(writer), options_(options), small_(kSmallAlive) {
    define();
  }

  Status run() {
    const std::uint64_t big_step = options_.events / (options_.big_blocks + 1) + 1;
    const std::uint64_t sample_step = options_.events / (options_.seconds * 50) + 1;
    while (writer_.event_count() < options_.events) {
      const std::uint64_t done = writer_.event_count();
      enter_phase(done * kPhases / options_.events);
      if (done >= next_big_) {
        options_.touch_every == 0 ? load_big_block() : begin_big_block(big_step);
        next_big_ += big_step;
      }
      if (options_.touch_every != 0 && done >= next_piece_) {
        load_piece();
        next_piece_ += options_.touch_every;
      }
      if (done >= next_sample_) {
        sample();
        next_sample_ += sample_step;
      }
      replace_small_block();
    }
    writer_.append(event(trace::EventKind::kPhaseEnd, 0));
    return finish();
  }

 private:
  struct Block {
    std::uint64_t allocation = 0;
    std::uint64_t size = 0;  // 0: none.
  };

  void define() {
    trace::Process process;
    process.pid = 100;
    process.command = "generated";
    process.executable = "/usr/bin/generated";
    const auto id = writer_.add_process(process);
    for (std::uint32_t i = 0; i < options_.threads; ++i) {
      writer_.add_thread({.process = id, .tid = 100 + i, .name = "worker"});
    }
    module_ = writer_.add_module({.path = "/usr/bin/generated", .build_id = "", .base = 0});
    model_ = writer_.add_file({.path = "/models/generated.gguf", .size = model_bytes()});
    staging_ = stack({"read_tensor", "load_model", "main"});
    tensor_ = stack({"Tensor::allocate", "load_model", "main"});
    // A tree as programs have it: some trunks, many branches.
    for (std::size_t i = 0; i < options_.stacks; ++i) {
      stacks_.push_back(stack({"leaf_" + std::to_string(i), "step_" + std::to_string(i % 300),
                               "pass_" + std::to_string(i % 40), "part_" + std::to_string(i % 7),
                               "work", "main"}));
    }
    for (const char* name : {"open", "read", "convert", "warm up"}) {
      phases_.push_back(writer_.add_name(name));
    }
  }

  [[nodiscard]] std::uint64_t model_bytes() const {
    return options_.touch_every == 0 ? options_.big_blocks * kBigBytes
                                     : options_.events / options_.touch_every * kPieceBytes;
  }

  trace::StackId stack(const std::vector<std::string>& innermost_first) {
    trace::StackId node = trace::kNoStack;
    for (auto name = innermost_first.rbegin(); name != innermost_first.rend(); ++name) {
      const auto frame = writer_.add_frame({.module = module_, .offset = 16 * ++frames_});
      writer_.set_locations(frame, {{.function = *name, .file = "/src/load.cpp", .line = 7}});
      node = writer_.add_stack({.parent = node, .frame = frame});
    }
    return node;
  }

  trace::Event event(trace::EventKind kind, std::uint64_t size) {
    const double share =
        static_cast<double>(writer_.event_count()) / static_cast<double>(options_.events);
    trace::Event event;
    event.kind = kind;
    event.size = size;
    event.at_ns = static_cast<std::uint64_t>(share * static_cast<double>(options_.seconds) * 1e9);
    event.extra = trace::index(phases_[std::min<std::uint64_t>(phase_, kPhases) - 1]);
    event.thread = trace::ThreadId{static_cast<std::uint32_t>(random_.below(options_.threads))};
    return event;
  }

  Block allocate(std::uint64_t size, trace::StackId stack) {
    trace::Event allocation = event(trace::EventKind::kAllocate, size);
    allocation.stack = stack;
    allocation.extra = 0;
    return {writer_.append(allocation), size};
  }
  void release(Block& block) {
    trace::Event release = event(trace::EventKind::kRelease, block.size);
    release.allocation = block.allocation;
    writer_.append(release);
    block = {};
  }

  /// Half of the small blocks live for a moment, the others until chance takes their place.
  void replace_small_block() {
    const trace::StackId stack = stacks_[random_.below(options_.stacks)];
    Block& place = small_[random_.below(2) == 0 ? random_.below(kSmallAlive) : 0];
    if (place.size != 0) {
      release(place);
    }
    place = allocate(16 + random_.below(4000), stack);
  }

  Block allocate_staging() {
    const Block block = allocate(kBigBytes, staging_);
    staging_blocks_.push_back(block.allocation);
    return block;
  }
  Block allocate_tensor(std::uint64_t size) {
    const Block block = allocate(size, tensor_);
    tensor_blocks_.push_back(block.allocation);
    return block;
  }

  void load_big_block() {
    Block staging = allocate_staging();
    trace::Event reading = event(trace::EventKind::kRead, kBigBytes);
    reading.extra = trace::index(model_);
    reading.stack = staging_;
    writer_.append(reading);
    allocate_tensor(kBigBytes / 2 + random_.below(kBigBytes));
    release(staging);
  }

  /// The tensor has room for all pieces until the next one; the staging buffer is used again and
  /// again.
  void begin_big_block(std::uint64_t big_step) {
    if (staged_.size != 0) {
      release(staged_);
    }
    staged_ = allocate_staging();
    tensor_block_ =
        allocate_tensor(std::max(kBigBytes, big_step / options_.touch_every * kPieceBytes));
  }
  void load_piece() {
    trace::Event piece = event(trace::EventKind::kRead, kPieceBytes);
    piece.extra = trace::index(model_);
    piece.stack = staging_;
    writer_.append(piece);
    piece.kind = trace::EventKind::kReadInto;
    piece.extra = 0;
    piece.allocation = staged_.allocation;
    writer_.append(piece);
    piece.kind = trace::EventKind::kCopy;
    piece.stack = tensor_;
    piece.released = staged_.allocation;
    piece.allocation = tensor_block_.allocation;
    writer_.append(piece);
  }

  void enter_phase(std::uint64_t number) {
    if (phase_ == number + 1) {
      return;
    }
    if (phase_ > 0) {
      writer_.append(mark(trace::EventKind::kPhaseEnd));
    }
    phase_ = number + 1;
    writer_.append(mark(trace::EventKind::kPhaseBegin));
  }
  trace::Event mark(trace::EventKind kind) {
    trace::Event mark = event(kind, 0);
    mark.thread = trace::ThreadId{0};
    return mark;
  }

  void sample() {
    const std::uint64_t bytes = writer_.totals().footprint();
    writer_.append(trace::Sample{.at_ns = event(trace::EventKind::kRead, 0).at_ns,
                                 .rss_anon_bytes = bytes / 10 * 9,
                                 .rss_file_bytes = std::uint64_t{4} << 20U});
  }

  /// Of the first big blocks what looks at them would have found.
  void define_contents() {
    const auto tensor = [this](std::size_t i) {
      return tensor_blocks_.empty() ? 0 : tensor_blocks_[i % tensor_blocks_.size()];
    };
    const std::uint64_t staging = staging_blocks_.empty() ? 0 : staging_blocks_.front();
    const std::uint64_t at_ns = options_.seconds * 500'000'000;
    writer_.add_tensor({.file = model_,
                        .name = "layers.0.weight",
                        .type = "f32",
                        .elements = kBigBytes / 4,
                        .bytes = kBigBytes,
                        .shape = {1024, kBigBytes / 4 / 1024}});
    writer_.add_look({.allocation = staging, .at_ns = at_ns, .bytes = kBigBytes});
    writer_.add_origin(
        {.allocation = staging, .file = model_, .bytes = kPieceBytes, .at_ns = at_ns});
    writer_.add_match({.allocation = tensor(0), .file = model_, .at_ns = at_ns});
    writer_.add_mismatch({.allocation = tensor(1), .at_ns = at_ns});
    writer_.add_packed(
        {.allocation = tensor(2), .file = model_, .distance = -8192, .at_ns = at_ns});
    writer_.add_heap_look({.at_ns = at_ns, .bytes = kBigBytes, .blocks = 1});
    for (const std::size_t i : {3U, 4U}) {
      writer_.add_alike({.allocation = tensor(i), .of = tensor(3), .at_ns = at_ns});
    }
    writer_.add_joined(
        {.allocation = tensor(4), .of = tensor(5), .bytes = kBigBytes, .at_ns = at_ns});
  }

  Status finish() {
    define_contents();
    trace::Session session;
    session.command = {"generated"};
    session.ended = true;
    session.duration_ns = options_.seconds * 1'000'000'000;
    return writer_.finish(session);
  }

  trace::TraceWriter& writer_;
  const Options& options_;
  Random random_;
  std::vector<Block> small_;
  std::vector<trace::StackId> stacks_;
  std::vector<trace::NameId> phases_;
  trace::ModuleId module_{0};
  trace::FileId model_{0};
  trace::StackId staging_{0};
  trace::StackId tensor_{0};
  std::vector<std::uint64_t> staging_blocks_;  // The allocations.
  std::vector<std::uint64_t> tensor_blocks_;
  Block staged_;  // The present staging buffer and tensor, where pieces are loaded.
  Block tensor_block_;
  std::uint64_t frames_ = 0;
  std::uint64_t phase_ = 0;  // 1 is the first; 0: none yet.
  std::uint64_t next_big_ = 0;
  std::uint64_t next_piece_ = 0;
  std::uint64_t next_sample_ = 0;
};

int generate(const Options& options) {
  auto writer = trace::TraceWriter::create(options.output);
  if (!writer.ok()) {
    std::fprintf(stderr, "tidemark-generate-trace: %s\n", writer.error().message.c_str());
    return 2;
  }
  const Status status = Generator(*writer.value(), options).run();
  if (!status.ok()) {
    std::fprintf(stderr, "tidemark-generate-trace: %s\n", status.error().message.c_str());
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace tidemark::tests

int main(int argc, char** argv) {
  tidemark::tests::Options options;
  CLI::App app{"Writes a trace of a load that never was", "tidemark-generate-trace"};
  app.add_option("FILE", options.output, "The trace to write")->required();
  app.add_option("--events", options.events, "About how many events (default: 1000000)");
  app.add_option("--threads", options.threads, "Threads that allocate (default: 4)")
      ->check(CLI::PositiveNumber);
  app.add_option("--big-blocks", options.big_blocks, "Tensors of 12 to 36 MiB (default: 200)");
  app.add_option("--stacks", options.stacks, "Stacks of the small blocks (default: 2000)")
      ->check(CLI::PositiveNumber);
  app.add_option("--touch-every", options.touch_every,
                 "A piece read from the file and copied on after so many events (default: none)")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "How long the load took (default: 60)")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return tidemark::tests::generate(options);
}
