/// W, the model bytes: which files are the weights, and how many bytes of them the program took.
#pragma once

#include "analyzer/load/file_use.hpp"
#include "collector/trace/types/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::analyzer {

enum class ModelSource {
  kUnknown,  ///< No file looks like weights; W is 0.
  kFiles,    ///< Found from file I/O by the rule below.
  kGiven,    ///< Said by --model.
};

struct ModelBytes {
  std::uint64_t bytes = 0;
  ModelSource source = ModelSource::kUnknown;
  std::vector<std::size_t> files;  ///< Indices into the file uses: the files taken.
  /// Chosen by their size alone: a program that reads any large file has such a W.
  bool is_guess = false;

  [[nodiscard]] bool is_known() const { return bytes > 0; }
};

/// The rule:
/// 1. Candidates are files that may be weights (`standing_of`: an archive only where its name or
///    what is in it says so) and of which at least 1 MiB and at least half was read, or as much
///    mapped; but not those that are a small part of a folder that the program went through
///    (`WalkedFolders`).
/// 2. A file counts with the bytes read plus the bytes mapped, but never with more than its size;
///    when its size is unknown (a pipe), with the bytes read.
///    The files of a store of arrays (`ArrayStores`) are candidates together, whatever the size of
///    each, and count below as one that holds arrays.
/// 3. If candidates whose content is that of weights are there, and one counts with at least 1/16
///    of the largest that is named like weights, these are the model, and with them those of a
///    weight extension and unknown content that lie beside one.
/// 4. Else, if a candidate that counts with at least 1/16 of the largest has a weight extension or
///    holds arrays, only such ones are the model. Else every candidate that counts with at least
///    1/16 of the largest.
/// W is their sum.
ModelBytes find_model_bytes(std::span<const FileUse> files);

/// Caveats about the model's files that affect any multiple of W: `W is compressed: 3.91 x is of
/// the file's bytes`, `w.gguf was read 2.0 times over`. Complete phrases, without a full stop;
/// mostly none.
/// @param peak_bytes the peak that is said as a multiple of W.
std::vector<std::string> notes_on_model(const ModelBytes& model,
                                        std::span<const FileUse> files,
                                        std::uint64_t peak_bytes);

/// True where all or most of the model's bytes are packed.
bool is_model_compressed(const ModelBytes& model, std::span<const FileUse> files);

/// `w.safetensors looks like weights, but it was written during the recording; --model
/// /t/w.safetensors says that it is the model`, of the largest such file of which a candidate's
/// part was read; empty where there is none. For where W is unknown.
std::string ruled_out_sentence(std::span<const FileUse> files);

/// `tvm.params was read to 45 % only, so it is not taken for the model; --model /m/tvm.params says
/// that it is`, of the largest file that looks like weights, is at least 1 MiB and was read or
/// mapped, but to less than half; empty where there is none. For where W is unknown.
std::string partly_read_sentence(std::span<const FileUse> files);

/// `46.4 MiB of 40 files in /t/w.store were read, none of them known as weights; --model /t/w.store
/// says that they are the model`, of the innermost folder that has nine tenths of all that was read
/// and may be a part of weights; empty where there is none of four files. For where W is unknown.
std::string folder_sentence(std::span<const FileUse> files);

/// `backup.tar is an archive, and nothing says that it holds weights; --model /t/backup.tar says
/// that it is the model`, of the largest archive of which a candidate's part was read; empty where
/// there is none. For where W is unknown.
std::string archive_sentence(std::span<const FileUse> files);

/// `vectors.txt is text, which is not taken for a model; --model /t/vectors.txt says that it is
/// one`, of the largest text of which a candidate's part was read; empty where there is none, or
/// none but the system's. For where W is unknown.
std::string text_sentence(std::span<const FileUse> files);

/// The first of the five sentences above, for where W is unknown: the file that it would be, had it
/// been read whole, not been made by the program, or been known to hold weights.
std::string missed_model_sentence(std::span<const FileUse> files);

/// What `--model` says: a size; a file, whose size is taken from the trace if it is in there, else
/// from the disk; or a folder, of which the files that were read or mapped are the model. A
/// relative path is one from the working folder, or, where nothing is there, the ending of one path
/// in the trace, as a trace is also looked at elsewhere than where it was made.
/// @return kUsage when the text is none of these.
Result<ModelBytes> given_model_bytes(const std::string& text, std::span<const FileUse> files);

}  // namespace tidemark::analyzer
