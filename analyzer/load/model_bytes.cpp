#include "analyzer/load/model_bytes.hpp"

#include "analyzer/load/file_standing.hpp"
#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kMinModelFileBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t kShardFraction = 16;

std::uint64_t counted_bytes(const FileUse& file) {
  return file.size == 0 ? file.bytes_read
                        : std::min(file.size, file.bytes_read + file.bytes_mapped);
}

/// Enough of it to load what is in it.
bool is_taken(const FileUse& file) {
  const std::uint64_t taken = std::max(file.bytes_read, file.bytes_mapped);
  return taken >= kMinModelFileBytes && taken >= file.size / 2;
}

bool is_candidate(const FileUse& file) {
  return is_taken(file) && standing_of(file) != FileStanding::kNever;
}

bool is_taken_in_part(const FileUse& file) {
  return standing_of(file) >= FileStanding::kNamed && file.used() &&
         file.size >= kMinModelFileBytes && !is_taken(file);
}

std::vector<std::size_t> candidates(std::span<const FileUse> files) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (is_candidate(files[i])) {
      found.push_back(i);
    }
  }
  return found;
}

std::uint64_t largest_of(std::span<const std::size_t> found,
                         std::span<const FileUse> files,
                         FileStanding lowest) {
  std::uint64_t largest = 0;
  for (const std::size_t i : found) {
    largest = std::max(largest, standing_of(files[i]) >= lowest ? counted_bytes(files[i]) : 0);
  }
  return largest;
}

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.find_last_of('/') + 1);
}

/// Raw weights beside a file that describes them: `model.onnx.data`, or shards with endings only.
bool is_beside_weights(const FileUse& file,
                       std::span<const std::size_t> found,
                       std::span<const FileUse> files) {
  return file.content.empty() && standing_of(file) == FileStanding::kNamed &&
         std::ranges::any_of(found, [&](std::size_t i) {
           return has_weight_content(files[i]) && folder_of(files[i].path) == folder_of(file.path);
         });
}

/// @return false where nothing is known by its content, or too little of all that looks like
/// weights: then names decide.
bool keep_known_weights(std::vector<std::size_t>& found, std::span<const FileUse> files) {
  const std::uint64_t known = largest_of(found, files, FileStanding::kWeights);
  if (known == 0 || known < largest_of(found, files, FileStanding::kNamed) / kShardFraction) {
    return false;
  }
  const std::vector<std::size_t> all = found;
  std::erase_if(found, [&](std::size_t i) {
    return standing_of(files[i]) != FileStanding::kWeights &&
           !is_beside_weights(files[i], all, files);
  });
  return true;
}

void keep_weights(std::vector<std::size_t>& found, std::span<const FileUse> files) {
  if (keep_known_weights(found, files)) {
    return;
  }
  const std::uint64_t largest = largest_of(found, files, FileStanding::kUnknown);
  const auto is_small = [&](std::size_t i) {
    return counted_bytes(files[i]) < largest / kShardFraction;
  };
  const auto is_named_so = [files](std::size_t i) {
    return standing_of(files[i]) >= FileStanding::kNamed;
  };
  // A tokenizer named `.model` beside weights without an ending does not make them no weights.
  if (std::ranges::any_of(found, [&](std::size_t i) { return is_named_so(i) && !is_small(i); })) {
    std::erase_if(found, [&](std::size_t i) { return !is_named_so(i); });
  } else {
    std::erase_if(found, is_small);
  }
}

std::string name_of(const FileUse& file) {
  return file.path.substr(file.path.find_last_of('/') + 1);
}

/// How often it was read from begin to end, on average.
double times_read(const FileUse& file) {
  return file.size == 0 ? 0 : static_cast<double>(file.bytes_read) / static_cast<double>(file.size);
}

std::string unpacked_text(const ModelBytes& model, std::span<const FileUse> files) {
  std::uint64_t unpacked = 0;
  for (const std::size_t i : model.files) {
    if (files[i].compressed && files[i].unpacked_bytes == 0) {
      return {};
    }
    unpacked += files[i].compressed ? files[i].unpacked_bytes : counted_bytes(files[i]);
  }
  return unpacked == 0 ? std::string() : fmt::format(", which unpack to {}", format_size(unpacked));
}

}  // namespace

ModelBytes find_model_bytes(std::span<const FileUse> files) {
  ModelBytes model;
  model.files = candidates(files);
  keep_weights(model.files, files);
  for (const std::size_t i : model.files) {
    model.bytes += counted_bytes(files[i]);
  }
  model.source = model.files.empty() ? ModelSource::kUnknown : ModelSource::kFiles;
  model.is_guess = model.is_known() && std::ranges::all_of(model.files, [&](std::size_t i) {
                     return standing_of(files[i]) == FileStanding::kUnknown;
                   });
  return model;
}

bool is_model_compressed(const ModelBytes& model, std::span<const FileUse> files) {
  std::uint64_t packed = 0;
  for (const std::size_t i : model.files) {
    packed += files[i].compressed ? counted_bytes(files[i]) : 0;
  }
  return packed > model.bytes / 2;
}

std::vector<std::string> notes_on_model(const ModelBytes& model,
                                        std::span<const FileUse> files,
                                        std::uint64_t peak_bytes) {
  constexpr double kReadAgain = 1.25;  // Less is what a look at its tables takes.
  std::vector<std::string> notes;
  if (model.is_known() && is_model_compressed(model, files)) {
    notes.push_back(fmt::format("W is compressed: {:.2f} x is of the {} bytes{}",
                                static_cast<double>(peak_bytes) / static_cast<double>(model.bytes),
                                model.files.size() == 1 ? "file's" : "files'",
                                unpacked_text(model, files)));
  }
  for (const std::size_t i : model.files) {
    if (times_read(files[i]) >= kReadAgain) {
      notes.push_back(fmt::format("{} was read {:.1f} times over: {} of its {}", name_of(files[i]),
                                  times_read(files[i]), format_size(files[i].bytes_read),
                                  format_size(files[i].size)));
    }
  }
  return notes;
}

std::string ruled_out_sentence(std::span<const FileUse> files) {
  const FileUse* largest = nullptr;
  for (const FileUse& file : files) {
    if (is_taken(file) && !file.executable && !why_ruled_out(file).empty() &&
        (has_weight_content(file) || has_weight_extension(file.path)) &&
        (largest == nullptr || file.size > largest->size)) {
      largest = &file;
    }
  }
  return largest == nullptr
             ? std::string()
             : fmt::format("{} looks like weights, but {}; --model {} says that it is the model",
                           name_of(*largest), why_ruled_out(*largest), largest->path);
}

std::string partly_read_sentence(std::span<const FileUse> files) {
  const FileUse* largest = nullptr;
  for (const FileUse& file : files) {
    if (is_taken_in_part(file) && (largest == nullptr || file.size > largest->size)) {
      largest = &file;
    }
  }
  if (largest == nullptr) {
    return {};
  }
  const FileUse& file = *largest;
  const std::uint64_t taken = std::max(file.bytes_read, file.bytes_mapped);
  const double percent =
      std::floor(100 * static_cast<double>(taken) / static_cast<double>(file.size));
  return fmt::format(
      "{} was {} to {} % only, so it is not taken for the model; --model {} says that it is",
      name_of(file), file.bytes_read >= file.bytes_mapped ? "read" : "mapped",
      percent < 1 ? "less than 1" : fmt::format("{:.0f}", percent), file.path);
}

std::string archive_sentence(std::span<const FileUse> files) {
  const FileUse* largest = nullptr;
  for (const FileUse& file : files) {
    if (is_taken(file) && is_archive_of_unknown(file) &&
        (largest == nullptr || file.size > largest->size)) {
      largest = &file;
    }
  }
  return largest == nullptr ? std::string()
                            : fmt::format(
                                  "{} is an archive, and nothing says that it holds weights; "
                                  "--model {} says that it is the model",
                                  name_of(*largest), largest->path);
}

std::string text_sentence(std::span<const FileUse> files) {
  const FileUse* largest = nullptr;
  for (const FileUse& file : files) {
    if (is_taken(file) && is_text(file) && (largest == nullptr || file.size > largest->size)) {
      largest = &file;
    }
  }
  return largest == nullptr
             ? std::string()
             : fmt::format(
                   "{} is text, which is not taken for a model; --model {} says that it is one",
                   name_of(*largest), largest->path);
}

std::string missed_model_sentence(std::span<const FileUse> files) {
  for (const auto sentence_of :
       {partly_read_sentence, ruled_out_sentence, archive_sentence, text_sentence}) {
    if (std::string sentence = sentence_of(files); !sentence.empty()) {
      return sentence;
    }
  }
  return {};
}

Result<ModelBytes> given_model_bytes(const std::string& text, std::span<const FileUse> files) {
  if (const auto size = parse_size(text); size.ok()) {
    return ModelBytes{.bytes = size.value(), .source = ModelSource::kGiven, .files = {}};
  }
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(text, error).lexically_normal().string();
  // Paths of a trace are as they are shown; of what was asked for it is not known.
  const std::string shown = shown_text(text);
  const std::string shown_absolute = shown_text(absolute);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FileUse& file = files[i];
    if (file.size > 0 && (file.path == shown || file.path == shown_absolute)) {
      return ModelBytes{.bytes = file.size, .source = ModelSource::kGiven, .files = {i}};
    }
  }
  const std::uintmax_t bytes = std::filesystem::file_size(text, error);
  if (error) {
    return Error{ErrorCode::kUsage, fmt::format("--model '{}' is neither a size nor a file: {}",
                                                text, error.message())};
  }
  return ModelBytes{.bytes = bytes, .source = ModelSource::kGiven, .files = {}};
}

}  // namespace tidemark::analyzer
