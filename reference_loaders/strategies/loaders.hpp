#pragma once

#include "reference_loaders/strategies/weights.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>

/// The ways to get the weights of a GGUF or safetensors file into memory. All read the header
/// first, through a buffer of 64 KiB, and all throw BadInput.
///
/// W is the bytes of all tensors, F those of the file.
namespace tidemark::loaders::strategies {

/// The whole file into memory, then each tensor out of it: W + F, at the last tensor.
Weights load_blob(const std::filesystem::path& file);

/// Each tensor straight into its block: W.
Weights load_stream(const std::filesystem::path& file);

/// The sizes of llama.cpp's asynchronous upload.
inline constexpr std::size_t kRingBuffers = 4;
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// Through a staging ring of 4 x 1 MiB into one block for all, as into a device: W + 4 MiB.
Weights load_chunk_ring(const std::filesystem::path& file);

/// The buffers of the direct ring; llama.cpp takes 64 MiB each, for arrays of disks.
inline constexpr std::size_t kDirectBytes = std::size_t{4} << 20;

/// Past the page cache, through a ring of 4 x 4 MiB with the alignment that disks ask for, into one
/// block for all: W + 16 MiB. A note says whether the file system allowed it.
Weights load_direct(const std::filesystem::path& file);

/// Bytes that a thread reads at a time: the chunk size of the Run:ai model streamer.
inline constexpr std::size_t kParallelChunkBytes = std::size_t{2} << 20;
inline constexpr std::uint64_t kMaxThreads = 64;

/// All blocks first, then chunks of 2 MiB into them from several threads: W.
Weights load_pread_parallel(const std::filesystem::path& file, std::uint64_t threads);

/// The weights are used in the mapped file: no memory, with F mapped.
Weights load_mapped(const std::filesystem::path& file, Mapping::Prefetch prefetch);

/// Each tensor out of the mapped file into its block, and the mapping kept until all are: W, with F
/// mapped.
Weights load_mapped_copy(const std::filesystem::path& file);

/// A model of random weights first, whose tensors the file is then read over: W, written twice.
Weights load_init_overwrite(const std::filesystem::path& file);

/// A model of random weights first, the whole file's tensors beside it, and then each tensor of the
/// model replaced: 2W, at the last tensor read.
Weights load_init_replace(const std::filesystem::path& file);

/// The header alone. Each tensor is read when it is asked for, and freed before the next: w, the
/// bytes of the largest.
std::unique_ptr<LoadedModel> load_lazy(const std::filesystem::path& file);

}  // namespace tidemark::loaders::strategies
