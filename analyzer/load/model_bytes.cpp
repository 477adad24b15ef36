#include "analyzer/load/model_bytes.hpp"

#include "analyzer/load/array_stores.hpp"
#include "analyzer/load/file_standing.hpp"
#include "analyzer/load/walked_folders.hpp"
#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kMinModelFileBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t kShardFraction = 16;

/// Whether enough of it was used to load its content.
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

/// A file that may be part of the model.
struct Candidate {
  std::size_t file = 0;  ///< Its index.
  FileStanding standing = FileStanding::kUnknown;
  std::uint64_t bytes = 0;  ///< That it counts with.
  /// The same for its whole store (`ArrayStores`), or only for itself.
  std::uint64_t together = 0;
};

std::vector<Candidate> candidates(std::span<const FileUse> files) {
  std::vector<Candidate> found;
  const ArrayStores stores(files);
  const WalkedFolders walked(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::uint64_t in_store = stores.bytes_with(i);
    const std::uint64_t bytes = files[i].taken_bytes();
    const FileStanding standing = standing_of(files[i]);
    if (in_store >= kMinModelFileBytes && standing != FileStanding::kWeights) {
      found.push_back({i, std::max(standing, FileStanding::kNamed), bytes, in_store});
    } else if (is_candidate(files[i]) && !walked.hold_in_passing(files[i])) {
      found.push_back({i, standing, bytes, bytes});
    }
  }
  return found;
}

std::uint64_t largest_of(std::span<const Candidate> found, FileStanding lowest) {
  std::uint64_t largest = 0;
  for (const Candidate& candidate : found) {
    largest = std::max(largest, candidate.standing >= lowest ? candidate.together : 0);
  }
  return largest;
}

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.find_last_of('/') + 1);
}

std::set<std::string_view> folders_of_weights(std::span<const Candidate> found,
                                              std::span<const FileUse> files) {
  std::set<std::string_view> folders;
  for (const Candidate& candidate : found) {
    if (has_weight_content(files[candidate.file])) {
      folders.insert(folder_of(files[candidate.file].path));
    }
  }
  return folders;
}

/// @return false where nothing is known by its content, or too little of all that looks like
/// weights: then names decide.
bool keep_known_weights(std::vector<Candidate>& found, std::span<const FileUse> files) {
  const std::uint64_t known = largest_of(found, FileStanding::kWeights);
  if (known == 0 || known < largest_of(found, FileStanding::kNamed) / kShardFraction) {
    return false;
  }
  const auto folders = folders_of_weights(found, files);
  std::erase_if(found, [&](const Candidate& candidate) {
    const FileUse& file = files[candidate.file];
    // Raw weights beside a file that describes them: `model.onnx.data`, or shards with endings
    // only.
    const bool is_beside_weights = file.content.empty() &&
                                   candidate.standing == FileStanding::kNamed &&
                                   folders.contains(folder_of(file.path));
    return candidate.standing != FileStanding::kWeights && !is_beside_weights;
  });
  return true;
}

void keep_weights(std::vector<Candidate>& found, std::span<const FileUse> files) {
  if (keep_known_weights(found, files)) {
    return;
  }
  const std::uint64_t largest = largest_of(found, FileStanding::kUnknown);
  const auto is_small = [&](const Candidate& candidate) {
    return candidate.together < largest / kShardFraction;
  };
  const auto is_named_so = [](const Candidate& candidate) {
    return candidate.standing >= FileStanding::kNamed;
  };
  // A tokenizer named `.model` must not rule out weights without an ending beside it.
  if (std::ranges::any_of(found, [&](const Candidate& candidate) {
        return is_named_so(candidate) && !is_small(candidate);
      })) {
    std::erase_if(found, [&](const Candidate& candidate) { return !is_named_so(candidate); });
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

/// The innermost folder with most of what was read and may be pieces of weights, where these are
/// several files, there or around.
struct FolderOfMany {
  std::string_view path;  ///< Without the slash at its end.
  std::uint64_t bytes = 0;
  std::size_t files = 0;
};

std::optional<FolderOfMany> folder_of_many(std::span<const FileUse> files) {
  constexpr std::size_t kMany = 4;
  std::map<std::string_view, FolderOfMany> folders;
  std::uint64_t all = 0;
  for (const FileUse& file : files) {
    if (!file.used() || !may_be_piece_of_weights(file) || is_of_a_language(file)) {
      continue;
    }
    all += file.taken_bytes();
    const std::string_view path = file.path;
    for (std::size_t end = path.rfind('/'); end != 0 && end != path.npos;
         end = path.rfind('/', end - 1)) {
      FolderOfMany& folder = folders[path.substr(0, end)];
      folder.bytes += file.taken_bytes();
      ++folder.files;
    }
  }
  // Among nested folders, the innermost has the longest path.
  const FolderOfMany* best = nullptr;
  bool are_many = false;
  for (auto& [path, folder] : folders) {
    folder.path = path;
    if (folder.bytes >= kMinModelFileBytes && folder.bytes >= all / 10 * 9) {
      are_many = are_many || folder.files >= kMany;
      best = best == nullptr || path.size() > best->path.size() ? &folder : best;
    }
  }
  return are_many ? std::optional(*best) : std::nullopt;
}

/// All that was read or mapped below a folder.
ModelBytes files_below(const std::string& folder, std::span<const FileUse> files) {
  const std::string beginning = folder.ends_with('/') ? folder : folder + '/';
  ModelBytes model;
  model.source = ModelSource::kGiven;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].used() && files[i].path.starts_with(beginning)) {
      model.bytes += std::max(files[i].size, files[i].taken_bytes());
      model.files.push_back(i);
    }
  }
  return model;
}

/// The file with this path, or those below it that were used. W is not known if there are none.
ModelBytes files_at(const std::string& path, std::span<const FileUse> files) {
  if (path.empty()) {
    return {};
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].size > 0 && files[i].path == path) {
      return {.bytes = files[i].size, .source = ModelSource::kGiven, .files = {i}};
    }
  }
  return files_below(path, files);
}

/// The part that the path of a file, or of its folder, must end with if it was called @p path from
/// another folder.
std::string path_ending(const std::filesystem::path& path) {
  std::string ending;
  for (const std::filesystem::path& part : path) {
    if (!part.empty() && part != "..") {
      ending += '/' + part.string();
    }
  }
  return ending;
}

/// A relative path begins in the folder in which the program was recorded, which a trace does not
/// have.
/// @return The paths of files that have this ending, two at most; where it has two names or more,
///         those of their folders, too: one name is that of many a folder, unless a slash behind it
///         says so.
std::set<std::string> paths_with(const std::string& ending,
                                 bool is_folder,
                                 std::span<const FileUse> files) {
  const bool may_be_folder = is_folder || ending.rfind('/') != 0;
  std::set<std::string> paths;
  for (const FileUse& file : files) {
    for (std::size_t at = file.path.find(ending); at != std::string::npos && paths.size() < 2;
         at = file.path.find(ending, at + 1)) {
      const std::size_t end = at + ending.size();
      if (end == file.path.size() || (may_be_folder && file.path[end] == '/')) {
        paths.insert(file.path.substr(0, end));
      }
    }
  }
  return paths;
}

std::string read_again_text(const std::string& subject, const FileUse& file, const char* whose) {
  return fmt::format("{} read {:.1f} times over: {} of {} {}", subject, times_read(file),
                     format_size(file.bytes_read), whose, format_size(file.size));
}

std::string unpacked_text(const ModelBytes& model, std::span<const FileUse> files) {
  std::uint64_t unpacked = 0;
  for (const std::size_t i : model.files) {
    if (files[i].compressed && files[i].unpacked_bytes == 0) {
      return {};
    }
    unpacked += files[i].compressed ? files[i].unpacked_bytes : files[i].taken_bytes();
  }
  return unpacked == 0 ? std::string() : fmt::format(", which unpack to {}", format_size(unpacked));
}

}  // namespace

ModelBytes find_model_bytes(std::span<const FileUse> files) {
  std::vector<Candidate> found = candidates(files);
  keep_weights(found, files);
  ModelBytes model;
  for (const Candidate& candidate : found) {
    model.files.push_back(candidate.file);
    model.bytes += candidate.bytes;
  }
  model.source = model.files.empty() ? ModelSource::kUnknown : ModelSource::kFiles;
  model.is_guess = model.is_known() && std::ranges::all_of(found, [](const Candidate& candidate) {
                     return candidate.standing == FileStanding::kUnknown;
                   });
  return model;
}

bool is_model_compressed(const ModelBytes& model, std::span<const FileUse> files) {
  std::uint64_t packed = 0;
  for (const std::size_t i : model.files) {
    packed += files[i].compressed ? files[i].taken_bytes() : 0;
  }
  return packed > model.bytes / 2;
}

std::vector<std::string> notes_on_model(const ModelBytes& model,
                                        std::span<const FileUse> files,
                                        std::uint64_t peak_bytes) {
  constexpr double kReadAgain = 1.25;  // Less than this may be a look at its tables.
  std::vector<std::string> notes;
  if (model.is_known() && is_model_compressed(model, files)) {
    notes.push_back(fmt::format("W is compressed: {:.2f} x is of the {} bytes{}",
                                static_cast<double>(peak_bytes) / static_cast<double>(model.bytes),
                                model.files.size() == 1 ? "file's" : "files'",
                                unpacked_text(model, files)));
  }
  constexpr std::size_t kFewFiles = 4;
  if (model.files.size() > kFewFiles) {
    FileUse all;
    for (const std::size_t i : model.files) {
      all.size += files[i].size;
      all.bytes_read += files[i].bytes_read;
    }
    const auto excess = [&](std::size_t i) {
      return files[i].bytes_read - std::min(files[i].bytes_read, files[i].size);
    };
    const std::size_t worst = *std::ranges::max_element(model.files, {}, excess);
    if (times_read(all) >= kReadAgain) {
      notes.push_back(read_again_text("the model's files were", all, "their"));
    } else if (times_read(files[worst]) >= kReadAgain &&
               excess(worst) >= model.bytes / kShardFraction) {
      notes.push_back(read_again_text(name_of(files[worst]) + " was", files[worst], "its"));
    }
    return notes;
  }
  for (const std::size_t i : model.files) {
    if (times_read(files[i]) >= kReadAgain) {
      notes.push_back(read_again_text(name_of(files[i]) + " was", files[i], "its"));
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

std::string folder_sentence(std::span<const FileUse> files) {
  const auto folder = folder_of_many(files);
  if (!folder) {
    return {};
  }
  return fmt::format(
      "{} of {} in {} were read, none of them known as weights; --model {} says that they are the "
      "model",
      format_size(folder->bytes),
      folder->files == 1 ? "a file" : fmt::format("{} files", folder->files), folder->path,
      folder->path);
}

/// The largest that was taken and `is_it`; null for none.
const FileUse* largest_of(std::span<const FileUse> files, bool (*is_it)(const FileUse&)) {
  const FileUse* largest = nullptr;
  for (const FileUse& file : files) {
    if (is_taken(file) && is_it(file) && (largest == nullptr || file.size > largest->size)) {
      largest = &file;
    }
  }
  return largest;
}

std::string archive_sentence(std::span<const FileUse> files) {
  const FileUse* largest = largest_of(files, is_archive_of_unknown);
  return largest == nullptr ? std::string()
                            : fmt::format(
                                  "{} is an archive, and nothing says that it holds weights; "
                                  "--model {} says that it is the model",
                                  name_of(*largest), largest->path);
}

std::string other_kind_sentence(const FileUse* file, std::string_view kind) {
  return file == nullptr
             ? std::string()
             : fmt::format(
                   "{} is {}, which is not taken for a model; --model {} says that it is one",
                   name_of(*file), kind, file->path);
}

std::string text_sentence(std::span<const FileUse> files) {
  return other_kind_sentence(largest_of(files, is_text), "text");
}

std::string table_sentence(std::span<const FileUse> files) {
  return other_kind_sentence(largest_of(files, is_table), "a table");
}

std::string written_to_sentence(std::span<const FileUse> files) {
  return other_kind_sentence(largest_of(files, is_kept_open_for_writing),
                             "a file that was opened for writing as well");
}

std::string missed_model_sentence(std::span<const FileUse> files) {
  for (const auto sentence_of :
       {partly_read_sentence, ruled_out_sentence, folder_sentence, archive_sentence, text_sentence,
        table_sentence, written_to_sentence}) {
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
  const std::filesystem::path absolute = std::filesystem::absolute(text, error).lexically_normal();
  // Paths in a trace are as they are shown; what was typed need not be.
  for (const std::string& path : {text, absolute.string()}) {
    if (ModelBytes found = files_at(shown_text(path), files); found.is_known()) {
      return found;
    }
  }
  if (std::filesystem::is_directory(text, error)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("--model '{}' is a folder, and nothing in it was read", text)};
  }
  const std::uintmax_t bytes = std::filesystem::file_size(text, error);
  if (error) {
    const std::filesystem::path path = std::filesystem::path(text).lexically_normal();
    const std::string ending = path.is_relative() ? path_ending(path) : std::string();
    const auto recorded = ending.empty()
                              ? std::set<std::string>()
                              : paths_with(shown_text(ending), text.ends_with('/'), files);
    if (recorded.size() > 1) {
      return Error{ErrorCode::kUsage,
                   fmt::format("--model '{}' is what several paths of the trace end with, as '{}'",
                               text, *recorded.begin())};
    }
    if (!recorded.empty()) {
      if (ModelBytes found = files_at(*recorded.begin(), files); found.is_known()) {
        return found;
      }
    }
    return Error{ErrorCode::kUsage,
                 fmt::format("--model '{}' is neither a size nor a file or folder: {}", text,
                             error.message())};
  }
  return ModelBytes{.bytes = bytes, .source = ModelSource::kGiven, .files = {}};
}

}  // namespace tidemark::analyzer
