#include "analyzer/load/file_standing.hpp"

#include "collector/trace/types/content_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace tidemark::analyzer {
namespace {

/// For files whose content says nothing, or was not looked at: endings of code, of files that come
/// with a language, of caches and of databases.
constexpr std::array<std::string_view, 43> kForeignExtensions{
    ".so",      ".pyc",  ".pyo",    ".pyd", ".pyi",  ".jsa",   ".jar",  ".class",  ".jmod",
    ".dex",     ".vdex", ".oat",    ".js",  ".mjs",  ".wasm",  ".node", ".pak",    ".beam",
    ".ji",      ".rdb",  ".rdx",    ".elc", ".pdmp", ".mo",    ".ttf",  ".otf",    ".ttc",
    ".woff",    ".pcf",  ".hyb",    ".aff", ".swp",  ".swap",  ".db",   ".sqlite", ".db3",
    ".sqlite3", ".mdb",  ".duckdb", ".wal", ".log",  ".cache", ".lockb"};
constexpr std::array<std::string_view, 7> kForeignNames{
    "locale-archive", "icudtl.dat",          "snapshot_blob.bin", "natives_blob.bin",
    "ld.so.cache",    "gconv-modules.cache", "browsers.dat"};

constexpr std::string_view kTextContent = "text";
constexpr std::string_view kTableContent = "table";

/// Memory that has the name of a file.
constexpr std::array<std::string_view, 4> kMemoryPaths{"/dev/shm/", "/memfd:", "/SYSV",
                                                       "/dev/zero"};
/// Where a system keeps its programs and what they need.
constexpr std::array<std::string_view, 11> kSystemFolders{
    "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libexec/", "/lib/",    "/lib64/",
    "/proc/",    "/sys/",       "/etc/",       "/var/cache/",   "/var/log/"};
/// Folders for data, which may include a model installed with a program.
constexpr std::array<std::string_view, 3> kDataFolders{"/usr/share/", "/usr/local/share/",
                                                       "/var/lib/"};
/// Parts of a path below which a language's own files lie.
constexpr std::array<std::string_view, 12> kRuntimeFolders{
    "/site-packages/", "/dist-packages/", "/node_modules/", "/__pycache__/",
    "/site-library/",  "/lib/python",     "/lib/ruby/",     "/lib/perl",
    "/lib/R/",         "/lib/jvm/",       "/.cargo/",       "/lib/node/"};

bool begins_with_one_of(std::string_view path, std::span<const std::string_view> folders) {
  return std::ranges::any_of(folders,
                             [path](std::string_view folder) { return path.starts_with(folder); });
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// A folder of somebody's cache: `.cache`, `Code Cache`, `mesa_shader_cache`, `ComputeCache`.
bool is_in_cache(std::string_view path) {
  std::string folders(path.substr(0, path.find_last_of('/') + 1));
  std::ranges::transform(folders, folders.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return folders.find("cache/") != std::string::npos;
}

bool is_foreign_by_name(std::string_view path) {
  const std::string_view name = name_of(path);
  const bool is_versioned_library = name.find(".so.") != std::string_view::npos;
  const bool is_snapshot = name.ends_with(".bin") && name.find("snapshot") != name.npos;
  const bool is_runtime_image = path.ends_with("/lib/modules");
  const bool is_icu = name.starts_with("icudt") && name.ends_with(".dat");
  // A pack that git has repacked is gone before it can be looked into.
  const bool is_of_git = path.find("/.git/") != std::string_view::npos ||
                         path.find("/objects/pack/") != std::string_view::npos;
  return is_versioned_library || is_of_git || is_snapshot || is_runtime_image || is_icu ||
         trace::is_one_of(name, kForeignNames) || trace::ends_with_one_of(name, kForeignExtensions);
}

/// Memory, or a file made by the program, whatever its content.
bool is_ruled_out(const FileUse& file) {
  return file.executable || !why_ruled_out(file).empty();
}

/// An archive of unknown files.
bool is_mere_archive(const FileUse& file) {
  const bool packs = file.content == trace::kArchiveContent ||
                     (file.content.empty() && trace::has_archive_ending(file.path));
  return packs && !trace::has_object_ending(file.path);
}

bool is_in_runtime(std::string_view path) {
  return std::ranges::any_of(kRuntimeFolders, [path](std::string_view folder) {
    return path.find(folder) != std::string_view::npos;
  });
}

/// Installed with the system's programs, or with a language.
bool is_among_programs(std::string_view path) {
  return begins_with_one_of(path, kSystemFolders) || begins_with_one_of(path, kDataFolders) ||
         is_in_runtime(path);
}

/// For a file without known content.
FileStanding standing_by_place(const FileUse& file) {
  if (is_foreign_by_name(file.path) || begins_with_one_of(file.path, kSystemFolders)) {
    return FileStanding::kNever;
  }
  if (has_weight_extension(file.path)) {
    return FileStanding::kNamed;
  }
  // A store of a program's own is opened so, and so are weights by Fortran and by np.memmap.
  const bool is_none = file.writable || begins_with_one_of(file.path, kDataFolders) ||
                       is_in_runtime(file.path) || is_in_cache(file.path) ||
                       file.is_beside_libraries || file.in_memory || file.content == kTextContent ||
                       is_mere_archive(file);
  return is_none ? FileStanding::kNever : FileStanding::kUnknown;
}

}  // namespace

bool has_weight_extension(std::string_view path) {
  return trace::has_weight_ending(path);
}

bool has_weight_content(const FileUse& file) {
  return trace::is_one_of(file.content, trace::kWeightContents);
}

bool may_be_piece_of_weights(const FileUse& file) {
  return !is_ruled_out(file) && file.content != kTextContent &&
         !trace::is_one_of(file.content, trace::kForeignContents) &&
         !is_foreign_by_name(file.path) && !begins_with_one_of(file.path, kSystemFolders);
}

bool is_of_a_language(const FileUse& file) {
  return is_in_runtime(file.path);
}

bool is_archive_of_unknown(const FileUse& file) {
  return !is_ruled_out(file) && is_mere_archive(file) && !has_weight_extension(file.path) &&
         !begins_with_one_of(file.path, kSystemFolders) &&
         !begins_with_one_of(file.path, kDataFolders);
}

bool is_text(const FileUse& file) {
  return !is_ruled_out(file) && file.content == kTextContent && !is_foreign_by_name(file.path) &&
         !is_among_programs(file.path);
}

bool is_table(const FileUse& file) {
  return file.content == kTableContent && !file.written && !file.in_memory &&
         !is_among_programs(file.path);
}

bool is_kept_open_for_writing(const FileUse& file) {
  return file.writable && file.content.empty() && may_be_piece_of_weights(file) &&
         !file.in_memory && !is_mere_archive(file) && !is_in_cache(file.path) &&
         !is_among_programs(file.path);
}

std::string_view why_ruled_out(const FileUse& file) {
  if (begins_with_one_of(file.path, kMemoryPaths)) {
    return "it is shared memory";
  }
  if (file.unlinked || file.path.ends_with(" (deleted)")) {
    return "it has no name: a scratch file";
  }
  return file.written ? "it was written during the recording" : std::string_view();
}

FileStanding standing_of(const FileUse& file) {
  if (is_ruled_out(file) || trace::is_one_of(file.content, trace::kForeignContents)) {
    return FileStanding::kNever;
  }
  if (has_weight_content(file)) {
    return FileStanding::kWeights;
  }
  if (trace::is_one_of(file.content, trace::kArrayContents)) {
    return FileStanding::kNamed;
  }
  return standing_by_place(file);
}

}  // namespace tidemark::analyzer
