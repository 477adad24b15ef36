#include "collector/trace/output/output_target.hpp"

#include <climits>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace tidemark::trace {
namespace {

constexpr int kMaxLinks = 40;  // As the kernel has it.

std::string folder_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::optional<int> number_after(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder))
    return std::nullopt;
  path.remove_prefix(folder.size());
  int number = -1;
  const char* const end = path.data() + path.size();
  const auto [rest, error] = std::from_chars(path.data(), end, number);
  return error == std::errc{} && rest == end && number >= 0 ? std::optional(number) : std::nullopt;
}

/// The descriptor that a name like /dev/stdout refers to. Its file must not be reopened by name: a
/// pipe has none, and for `> out` the shell's descriptor holds the position to write at.
std::optional<int> own_descriptor(const std::string& path) {
  if (path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  const std::string own = "/proc/" + std::to_string(getpid()) + "/fd/";
  for (const std::string_view folder :
       {std::string_view("/dev/fd/"), std::string_view("/proc/self/fd/"), std::string_view(own)}) {
    if (const auto number = number_after(path, folder))
      return number;
  }
  return std::nullopt;
}

/// The kernel's rule with fs.protected_symlinks: in a sticky folder that everybody may write to,
/// only links of one's own or of the folder's owner are followed.
bool may_be_followed(const struct stat& link, const std::string& folder) {
  struct stat around {};
  if (stat(folder.c_str(), &around) != 0)
    return false;
  const bool is_for_everybody = (around.st_mode & S_ISVTX) != 0 && (around.st_mode & S_IWOTH) != 0;
  return !is_for_everybody || link.st_uid == geteuid() || link.st_uid == around.st_uid;
}

/// In a sticky folder only a file's owner, or the folder's, may replace it: checked before writing,
/// not at the final rename.
bool may_be_replaced(const struct stat& file, const std::string& folder) {
  struct stat around {};
  if (geteuid() == 0 || stat(folder.c_str(), &around) != 0 || (around.st_mode & S_ISVTX) == 0)
    return true;
  return file.st_uid == geteuid() || around.st_uid == geteuid();
}

Result<std::string> target_of_link(const std::string& link) {
  std::array<char, PATH_MAX> text{};
  const auto length = readlink(link.c_str(), text.data(), text.size());
  if (length <= 0)
    return cannot_write(link, length < 0 ? errno : ENOENT);
  const std::string target(text.data(), static_cast<std::size_t>(length));
  return target.starts_with('/') || folder_of(link) == "." ? target : folder_of(link) + target;
}

/// The umask can only be read by setting it: to the strictest, so that files created by other
/// threads meanwhile are more private, not less.
mode_t default_mode() {
  const mode_t mask = umask(S_IRWXG | S_IRWXO);
  umask(mask);
  return (S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH) & ~mask;
}

Result<OutputTarget> stream(const std::string& path, int descriptor) {
  struct stat file {};
  if (fstat(descriptor, &file) != 0)
    return cannot_write(path, "no such descriptor is open");
  // A descriptor of a file counts as a stream, too: others write to it before and after.
  return OutputTarget{.kind = OutputTarget::Kind::kStream,
                      .path = path,
                      .descriptor = descriptor,
                      .what = "an open stream",
                      .mode = 0};
}

Result<OutputTarget> regular_file(const std::string& path, const struct stat& file) {
  // A rename does not need write permission, but whoever removed it meant to protect the file.
  if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    return cannot_write(path, errno);
  if (!may_be_replaced(file, folder_of(path))) {
    return cannot_write(path,
                        "it is another user's, in a folder where only that user may replace it; "
                        "name another file");
  }
  constexpr mode_t kPermissions = S_IRWXU | S_IRWXG | S_IRWXO;
  return OutputTarget{
      .path = path,
      .what = "",
      .mode = file.st_uid == geteuid() ? file.st_mode & kPermissions : default_mode()};
}

Result<OutputTarget> target_at(const std::string& path, const struct stat& file) {
  if (S_ISREG(file.st_mode))
    return regular_file(path, file);
  if (S_ISFIFO(file.st_mode) || S_ISCHR(file.st_mode)) {
    const bool is_null = S_ISCHR(file.st_mode) && file.st_rdev == makedev(1, 3);
    return OutputTarget{.kind = is_null ? OutputTarget::Kind::kNull : OutputTarget::Kind::kStream,
                        .path = path,
                        .what = described(file.st_mode),
                        .mode = 0};
  }
  return Error{ErrorCode::kUsage,
               "cannot write " + path + ": it is " + described(file.st_mode) + "; name a file"};
}

}  // namespace

Error cannot_write(const std::string& path, const std::string& why) {
  return {ErrorCode::kIo, "cannot write " + path + ": " + why};
}

Error cannot_write(const std::string& path, int error) {
  const std::string folder = folder_of(path);
  struct stat around {};
  if (error == ENOENT && stat(folder.c_str(), &around) != 0 && errno == ENOENT)
    return cannot_write(path, "there is no folder " + folder);
  return cannot_write(path, std::generic_category().message(error));
}

std::string described(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    case S_IFBLK:
      return "a block device";
    case S_IFCHR:
      return "a device";
    case S_IFLNK:
      return "a symbolic link";
    default:
      return "a file";
  }
}

Result<OutputTarget> find_output(const std::string& path) {
  std::string at = path;
  for (int links = 0; links <= kMaxLinks; ++links) {
    if (at.empty() || at.ends_with('/'))
      return Error{ErrorCode::kUsage, "cannot write '" + at + "': it is a folder; name a file"};
    if (const auto descriptor = own_descriptor(at))
      return stream(at, *descriptor);
    struct stat file {};
    if (lstat(at.c_str(), &file) != 0) {
      return errno == ENOENT ? Result<OutputTarget>(
                                   OutputTarget{.path = at, .what = "", .mode = default_mode()})
                             : cannot_write(at, errno);
    }
    if (!S_ISLNK(file.st_mode))
      return target_at(at, file);
    if (!may_be_followed(file, folder_of(at))) {
      return cannot_write(at,
                          "it is another user's symbolic link in a folder that everybody may "
                          "write to; name the file itself");
    }
    auto target = target_of_link(at);
    if (!target.ok())
      return target.error();
    at = std::move(target.value());
  }
  return cannot_write(path, ELOOP);
}

Result<OutputTarget> find_file_output(const std::string& path) {
  auto found = find_output(path);
  if (found.ok() && found.value().kind != OutputTarget::Kind::kFile)
    return Error{ErrorCode::kUsage,
                 "cannot write " + path + ": it is " + found.value().what + "; name a file"};
  return found;
}

}  // namespace tidemark::trace
