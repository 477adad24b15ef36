#include "tests/analyzer/sample_loads.hpp"

#include <filesystem>
#include <random>
#include <utility>
#include <vector>

namespace tidemark::tests {
namespace {

constexpr std::uint64_t kTensorBytes = 128 * kMiB;
constexpr std::uint64_t kTensors = 40;
constexpr std::uint64_t kModelBytes = kTensors * kTensorBytes;

/// What every program does before it does anything: libraries mapped, a few tables.
void append_start(TraceBuilder& trace) {
  const auto library = trace.file("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 2'190'440, true);
  const auto start = trace.stack({"malloc", "_GLOBAL__sub_I_eh_alloc.cc", "_dl_init"});
  trace.at_ms(1).map(library, 2'190'440);
  trace.at_ms(2).allocate(72'704, start);
  trace.read(trace.file("/etc/ld.so.cache", 24'891), 24'891);
  trace.sample(2 * kMiB, 3 * kMiB);
}

}  // namespace

void append_naive_load(TraceBuilder& trace) {
  append_start(trace);
  const auto file = trace.file("/models/llama-5b/model.params", kModelBytes);
  const auto buffer = trace.stack(
      {"operator new(unsigned long)",
       "std::vector<char, std::allocator<char> >::_M_default_append(unsigned long) vector.tcc:650",
       "std::vector<char, std::allocator<char> >::resize(unsigned long) stl_vector.h:1011",
       "read_whole_file(std::string const&) loader.cpp:40", "load_model(char const*) loader.cpp:71",
       "main loader.cpp:102", "__libc_start_call_main", "__libc_start_main_impl", "_start"});
  const auto tensor = trace.stack(
      {"posix_memalign", "tvm::runtime::NDArray::Empty(tvm::runtime::ShapeTuple) ndarray.cc:212",
       "load_tensor(dmlc::Stream*) loader.cpp:55", "load_model(char const*) loader.cpp:74",
       "main loader.cpp:102", "__libc_start_call_main", "__libc_start_main_impl", "_start"});
  trace.at_ms(10).begin_phase("read");
  const auto whole = trace.allocate(kModelBytes, buffer);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    trace.at_ms(20 + 45 * i).read(file, kTensorBytes);
    trace.sample(2 * kMiB + i * kTensorBytes, 4 * kMiB);
  }
  trace.at_ms(1825).end_phase("read");
  trace.begin_phase("deserialize");
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    trace.at_ms(1830 + 35 * i).allocate(kTensorBytes, tensor);
    trace.allocate(96, tensor);
    trace.sample(12 * kMiB + kModelBytes + i * kTensorBytes, 4 * kMiB);
  }
  trace.at_ms(3230).end_phase("deserialize");
  trace.at_ms(3240).release(whole);
  trace.session.duration_ns = 4'120'000'000;
  trace.session.command = {"./loader", "/models/llama-5b/model.params"};
}

std::string naive_trace(TraceBuilder& trace) {
  append_naive_load(trace);
  return trace.finish();
}

void append_streamed_load(TraceBuilder& trace) {
  append_start(trace);
  const auto file = trace.file("/models/llama-5b/model.params", kModelBytes);
  std::vector<std::string> deep{
      "malloc", "c10::alloc_cpu(unsigned long)",
      "at::detail::empty_generic(c10::ArrayRef<long>) EmptyTensor.cpp:163",
      "at::_ops::empty_memory_format::call(c10::ArrayRef<c10::SymInt>)", "?torch"};
  for (int i = 0; i < 24; ++i) {
    deep.push_back("_PyEval_EvalFrameDefault" + std::to_string(i) + " ceval.c:5012");
  }
  deep.insert(deep.end(), {"Py_RunMain main.c:680", "main", "_start"});
  const auto tensor = trace.stack(deep);
  const auto chunk = trace.stack({"mmap", "read_chunk stream.cpp:17", "main stream.cpp:30"});
  const auto child =
      trace.process(101, "python3 -c 'from multiprocessing.resource_tracker import main'");
  const auto child_thread = trace.thread(child);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    trace.on(trace::ThreadId{0}).at_ms(20 + 50 * i);
    const auto staging = trace.allocate(8 * kMiB, chunk, trace::Lane::kAnon);
    trace.read(file, kTensorBytes);
    trace.allocate(kTensorBytes, tensor);
    trace.release(staging);
    trace.sample(30 * kMiB + i * kTensorBytes, 4 * kMiB);
  }
  trace.on(child_thread).at_ms(500).allocate(12 * kMiB, trace.stack({"malloc", "main"}));
  trace.at_ms(600).end_process(child);
  trace.on(trace::ThreadId{0}).at_ms(2200).fail(900 * kMiB, tensor);
  trace.session.duration_ns = 2'300'000'000;
  trace.session.exit_status = 3;
  trace.session.command = {"python3", "load.py", "--streamed"};
}

void append_random_load(TraceBuilder& trace, unsigned seed, int steps) {
  std::mt19937 random(seed);
  const std::vector stacks{trace.stack({"malloc", "load", "main"}), trace.stack({"copy", "main"}),
                           trace.stack({"mmap", "main"})};
  const auto child = trace.process(200, "child");
  const std::vector threads{trace::ThreadId{0}, trace.thread(child)};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> alive;  // Of the parent: number, bytes.
  for (int step = 0; step < steps; ++step) {
    trace.at_ms(static_cast<std::uint64_t>(step));
    trace.on(threads[0]);
    const auto lane = random() % 3 == 0 ? trace::Lane::kAnon : trace::Lane::kHeap;
    const std::uint64_t bytes = 100 + random() % 1000;
    const std::size_t chosen = alive.empty() ? 0 : random() % alive.size();
    switch (alive.size() < 3 ? 0 : random() % 6) {
      case 0:
      case 1:
        alive.emplace_back(trace.allocate(bytes, stacks[random() % 3], lane), bytes);
        break;
      case 2:
        trace.release(alive[chosen].first);
        alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(chosen));
        break;
      case 3:
        alive[chosen] = {trace.reallocate(alive[chosen].first, bytes, stacks[random() % 3]), bytes};
        break;
      case 4:
        trace.release_part(alive[chosen].first, alive[chosen].second / 2);
        alive[chosen].second -= alive[chosen].second / 2;
        break;
      default:
        trace.on(threads[1]);
        trace.allocate(bytes, stacks[random() % 3], lane);
    }
    if (random() % 8 == 0) {
      const std::string phase = random() % 2 == 0 ? "read" : "convert";
      trace.on(threads[random() % 2]);
      if (random() % 2 == 0) {
        trace.begin_phase(phase);
      } else {
        trace.end_phase(phase);
      }
    }
    if (random() % 5 == 0) {
      trace.flush();
    }
    if (step == steps / 2) {
      trace.on(threads[1]).end_process(child);
      trace.on(threads[0]);
      alive.reserve(alive.size());
      trace.flush();
    }
  }
}

void append_two_callers(TraceBuilder& trace) {
  const auto first = trace.stack({"malloc", "parse loader.cpp:10", "header loader.cpp:80"});
  const auto second = trace.stack({"malloc", "parse loader.cpp:12", "body loader.cpp:90"});
  const auto keep = trace.stack({"malloc", "keep loader.cpp:20", "body loader.cpp:91"});
  for (int i = 0; i < 4; ++i) {
    trace.allocate(64, keep);
  }
  for (int i = 0; i < 3; ++i) {
    trace.release(trace.allocate(100, first));
    trace.allocate(200, second);
  }
}

std::string finish_torn(TraceBuilder& trace) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    trace.at_ms(i).allocate(77, trace.stack({"malloc", "main"}));
    if (i % 100 == 0) {
      trace.flush();
    }
  }
  std::string path = trace.finish();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  return path;
}

}  // namespace tidemark::tests
