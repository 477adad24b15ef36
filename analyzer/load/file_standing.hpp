/// May a file be weights, going by what it is rather than by how much of it was read?
#pragma once

#include "analyzer/load/file_use.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// From what can be none to what surely is: a file of a higher standing pushes the others out.
enum class FileStanding : std::uint8_t {
  kNever,    ///< It cannot be: see `why_never`.
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

/// True for what may be one of many files that together are weights, whatever its own name and
/// content are, as long as they are not those of something else.
bool may_be_piece_of_weights(const FileUse& file);

/// True for what lies where a language keeps its own files (site-packages).
bool is_of_a_language(const FileUse& file);

/// True for an archive (zip, tar, gzip, ...) that is no model only because nothing says that it
/// holds one.
bool is_archive_of_unknown(const FileUse& file);

/// Text that is none of the system's or of a language's: never taken for weights, but it may be
/// them.
bool is_text(const FileUse& file);

/// The same of a table (Parquet, Arrow): mostly data, but some keep vectors there.
bool is_table(const FileUse& file);

/// The same of a file without a known format that was opened for writing, and not written to: most
/// are stores of a program's own.
bool is_kept_open_for_writing(const FileUse& file);

/// For a file that would be weights by name or content, and is ruled out by what was done with it:
/// `it was written during the recording`, `it has no name: it was unlinked`; else empty.
std::string_view why_ruled_out(const FileUse& file);

}  // namespace tidemark::analyzer
