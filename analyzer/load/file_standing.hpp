/// Whether a file may be weights, judged by what it is, not by how much of it was read.
#pragma once

#include "analyzer/load/file_use.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// From impossible to certain: files of a higher standing displace the others.
enum class FileStanding : std::uint8_t {
  kNever,    ///< It cannot be weights: see `standing_of`.
  kUnknown,  ///< Nothing is known that speaks for or against it.
  kNamed,    ///< It has a weight extension, or holds arrays.
  kWeights,  ///< Its content is that of weights.
};

FileStanding standing_of(const FileUse& file);

/// True for the endings weight files have: .safetensors, .gguf, .pt, .onnx, .params and others,
/// also where they are packed (.bin.gz).
bool has_weight_extension(std::string_view path);
/// True for a file whose bytes say that it holds weights (GGUF, safetensors, a PyTorch archive...).
bool has_weight_content(const FileUse& file);

/// True for a file that may be one of many that together are weights: its name and content may be
/// anything that does not identify something else.
bool may_be_piece_of_weights(const FileUse& file);

/// True for a file in a folder where a language keeps its own (site-packages).
bool is_of_a_language(const FileUse& file);

/// True for an archive (zip, tar, gzip, ...) that is not taken for a model only because nothing
/// shows that it holds one.
bool is_archive_of_unknown(const FileUse& file);

/// True for text that does not belong to the system or a language: it may be weights, but is never
/// taken for them.
bool is_text(const FileUse& file);

/// The same for a table (Parquet, Arrow): mostly data, but some hold vectors.
bool is_table(const FileUse& file);

/// The same for a file of unknown format that was opened for writing but not written: most are a
/// program's own stores.
bool is_kept_open_for_writing(const FileUse& file);

/// For a file that would be weights by name or content, and is ruled out by what was done with it:
/// `it was written during the recording`, `it has no name: it was unlinked`; else empty.
std::string_view why_ruled_out(const FileUse& file);

}  // namespace tidemark::analyzer
