// Every chain against its prediction, with an allocator that counts. A program of its own: the
// counting replaces malloc.
#include "reference_loaders/burn/model_writer.hpp"
#include "reference_loaders/burn/system.hpp"
#include "reference_loaders/measured_load.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>

namespace {

std::atomic<std::size_t> g_live_bytes{0};
std::atomic<std::size_t> g_peak_bytes{0};

}  // namespace

#if !TIDEMARK_SANITIZED

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_realloc(void*, std::size_t);
void __libc_free(void*);
}

namespace {

/// Before each block: the bytes asked for, which is what predictions are about.
constexpr std::size_t kHeadBytes = 16;

void count(std::size_t gone, std::size_t come) {
  const std::size_t live = g_live_bytes += come - gone;
  g_peak_bytes = std::max(g_peak_bytes.load(), live);
}

std::size_t* head_of(void* block) {
  return reinterpret_cast<std::size_t*>(static_cast<char*>(block) - kHeadBytes);
}

void* counted(void* raw, std::size_t bytes, std::size_t gone) {
  if (raw == nullptr) {
    return nullptr;
  }
  *static_cast<std::size_t*>(raw) = bytes;
  count(gone, bytes);
  return static_cast<char*>(raw) + kHeadBytes;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
  return counted(__libc_malloc(bytes + kHeadBytes), bytes, 0);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  void* block = malloc(count * size);
  return block == nullptr ? nullptr : std::memset(block, 0, count * size);
}

void* realloc(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) {
    return malloc(bytes);
  }
  const std::size_t gone = *head_of(block);
  return counted(__libc_realloc(head_of(block), bytes + kHeadBytes), bytes, gone);
}

void free(void* block) noexcept {
  if (block != nullptr) {
    count(*head_of(block), 0);
    __libc_free(head_of(block));
  }
}

}  // extern "C"

#endif  // TIDEMARK_SANITIZED

namespace {

using namespace tidemark::loaders;

/// Sizes just above and just below powers of two, the largest neither first nor last.
burn::ModelSpec a_model() {
  using burn::Dtype;
  return {.tensors = {{"stem.weight", Dtype::kFloat32, {64, 129}},
                      {"layers.0.conv.weight", Dtype::kFloat32, {128, 33, 3, 3}},
                      {"layers.0.bn.weight", Dtype::kFloat32, {128}},
                      {"layers.0.bn.num_batches_tracked", Dtype::kInt64},
                      {"layers.1.conv.weight", Dtype::kFloat32, {128, 700, 3, 3}},
                      {"layers.2.conv.weight", Dtype::kFloat32, {127, 128, 3, 3}},
                      {"fc.weight", Dtype::kFloat32, {500, 512}},
                      {"fc.bias", Dtype::kFloat32, {500}}},
          .modules = {{""}}};
}

burn::FileForm form_for(const std::string& variant) {
  return variant == "mpk-elements" ? burn::FileForm::kMpkElements
         : variant == "mpk-bytes"  ? burn::FileForm::kMpkBytes
                                   : burn::FileForm::kPytorch;
}

}  // namespace

TEST_CASE("the peak of every variant is the predicted one", "[burn][peaks]") {
#if TIDEMARK_SANITIZED
  SKIP_TEST("a sanitizer stands in for malloc");
#else
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  const System system = burn::make_system();
  for (const Variant& variant : system.variants) {
    burn::write_model_file(file, form_for(variant.name), a_model(), 1);
    const std::size_t before = g_live_bytes;
    g_peak_bytes = before;

    const MeasuredLoad load = measure_load(variant, {.file = file});

    const std::size_t peak = g_peak_bytes - before;
    CAPTURE(variant.name, peak, load.predicted.footprint_bytes);
    // What is not predicted: names, maps, and the buffers of files and of inflating.
    constexpr std::size_t kRest = std::size_t{200} << 10;
    CHECK(peak >= load.predicted.footprint_bytes);
    CHECK(peak <= load.predicted.footprint_bytes + kRest);
  }
#endif
}
