/// A file of weights in which values are looked for.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::weights {

struct PlainFile {
  /// Values of a float32 each that belong together: a tensor's, or all of a file's.
  struct Floats {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  trace::FileId id{0};
  FileDescriptor file;
  std::uint64_t size = 0;
  /// Where words begin, modulo four: in some formats tensors begin anywhere.
  std::set<std::uint64_t> shifts = {0};
  std::vector<Floats> floats{};
};

/// Whether the tensors of such a file lie in it as they are, or may: nothing is known of one
/// without a word.
bool is_plain(std::string_view content);
/// What of a file may be float32: the tensors of that type that it lists, or all of it.
std::vector<PlainFile::Floats> floats_of(std::span<const trace::Tensor> tensors,
                                         std::uint64_t file_bytes);
/// Where words of these tensors begin, modulo four; anywhere, where none are known.
std::set<std::uint64_t> shifts_of(std::span<const trace::Tensor> tensors);

}  // namespace tidemark::weights
