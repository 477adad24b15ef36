#include "collector/trace/output/output_file.hpp"

#include "collector/trace/output/write_all.hpp"
#include "collector/trace/types/unfinished.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::trace {
namespace {

constexpr int kMaxNameTries =
    64;  // Against somebody who creates and removes the same name all the time.

std::string words_of(int error) {
  return std::generic_category().message(error);
}

/// Creates a file that only its owner can read; -1 with errno if the name exists.
int create_file(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
                S_IRUSR | S_IWUSR);
}

/// True while `path` is the name of the file that is open here.
bool is_still(const std::string& path, int descriptor) {
  struct stat named {};
  struct stat open {};
  return lstat(path.c_str(), &named) == 0 && fstat(descriptor, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/// False when another process has the lock. A file system without locks has none to wait for.
bool try_lock(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

Error in_the_way(const std::string& path, const std::string& what) {
  return {ErrorCode::kUsage,
          path + " is in the way: it is " + what + "; remove it, or name another file"};
}

Error written_by_another(const std::string& path) {
  return {ErrorCode::kUsage,
          "another tidemark is writing " + path + "; wait for its end, or name another file"};
}

/// Removes the file that a killed process left under `path`, and nothing else.
Status remove_leftover(const std::string& path) {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0)
    return errno == ENOENT ? success() : Status(cannot_write(path, errno));
  if (!S_ISREG(file.st_mode))
    return in_the_way(path, described(file.st_mode));
  if (file.st_uid != geteuid())
    return in_the_way(path, "another user's");
  // The name may refer to anything by now: does not follow a link or wait for a FIFO.
  const int left = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (left < 0)
    return errno == ENOENT ? success() : Status(cannot_write(path, errno));
  Status done = success();
  if (!try_lock(left))
    done = written_by_another(path);
  else if (is_still(path, left) && fstat(left, &file) == 0 && S_ISREG(file.st_mode) &&
           unlink(path.c_str()) != 0)
    done = cannot_write(path, errno);
  ::close(left);
  return done;
}

/// Creates `path` and locks it, so that the lock is held as long as the file is written.
Result<int> begin_under_known_name(const std::string& path) {
  for (int tries = 0; tries < kMaxNameTries; ++tries) {
    const int descriptor = create_file(path);
    if (descriptor >= 0) {
      // Another process took it for a leftover in between: the holder of the lock owns the name.
      if (try_lock(descriptor) && is_still(path, descriptor))
        return descriptor;
      ::close(descriptor);
      continue;
    }
    if (errno != EEXIST)
      return cannot_write(path, errno);
    if (const Status removed = remove_leftover(path); !removed.ok())
      return removed.error();
  }
  return written_by_another(path);
}

std::string folder_prefix(const std::string& path) {
  return path.substr(0, path.find_last_of('/') + 1);
}

struct Begun {
  std::string path;
  int descriptor = -1;
};

/// An unpredictable name in the folder of `path`.
Result<Begun> begin_at_once(const std::string& path) {
  std::random_device random;
  for (int tries = 0; tries < kMaxNameTries; ++tries) {
    std::string name =
        folder_prefix(path) + ".tidemark-" + std::to_string(random()) + std::to_string(random());
    if (const int descriptor = create_file(name); descriptor >= 0)
      return Begun{std::move(name), descriptor};
    if (errno != EEXIST)
      break;
  }
  return cannot_write(path, errno);
}

/// Opens an output that is not replaced. Its type was found by name, so it is checked again.
Result<int> open_in_place(const OutputTarget& target, int flags) {
  int descriptor = -1;
  do {
    descriptor = target.descriptor >= 0
                     ? fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0)
                     : ::open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | flags,
                              S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0)
    return cannot_write(target.path, errno);
  struct stat file {};
  if (fstat(descriptor, &file) == 0 && S_ISBLK(file.st_mode)) {
    ::close(descriptor);
    return cannot_write(target.path, "it is a block device");
  }
  return descriptor;
}

/// If standard error is closed, its number would be assigned next, and messages would get into the
/// file.
int away_from_standard(int descriptor) {
  if (descriptor > STDERR_FILENO)
    return descriptor;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0)
    return descriptor;
  ::close(descriptor);
  return moved;
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, Way way) {
  auto found = find_output(path);
  if (!found.ok())
    return found.error();
  OutputTarget& target = found.value();
  // No strings are copied once the file exists; if there is no memory for its owner, it is removed
  // again.
  const auto made = [&target](std::string begun, int descriptor) {
    try {
      return std::unique_ptr<OutputFile>(
          new OutputFile(std::move(target), std::move(begun), descriptor));
    } catch (const std::bad_alloc&) {
      if (begun != target.path)
        unlink(begun.c_str());
      ::close(descriptor);
      throw;
    }
  };
  if (way == Way::kUnderKnownName && target.kind == OutputTarget::Kind::kStream) {
    return Error{ErrorCode::kUsage, "cannot write " + path + ": it is " + target.what +
                                        ", and a trace has to be a file (or /dev/null, to keep "
                                        "nothing)"};
  }
  if (target.kind != OutputTarget::Kind::kFile || way == Way::kAppended) {
    const bool is_file = target.kind == OutputTarget::Kind::kFile;
    const auto descriptor =
        open_in_place(target, is_file ? O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK : 0);
    return descriptor.ok()
               ? Result<std::unique_ptr<OutputFile>>(made(target.path, descriptor.value()))
               : descriptor.error();
  }
  if (way == Way::kUnderKnownName) {
    std::string begun = unfinished_name(target.path);
    const auto descriptor = begin_under_known_name(begun);
    return descriptor.ok()
               ? Result<std::unique_ptr<OutputFile>>(made(std::move(begun), descriptor.value()))
               : descriptor.error();
  }
  auto begun = begin_at_once(target.path);
  return begun.ok() ? Result<std::unique_ptr<OutputFile>>(
                          made(std::move(begun.value().path), begun.value().descriptor))
                    : begun.error();
}

OutputFile::OutputFile(OutputTarget target, std::string begun_path, int descriptor)
    : target_(std::move(target)),
      begun_path_(std::move(begun_path)),
      descriptor_(away_from_standard(descriptor)) {}

OutputFile::~OutputFile() {
  close();
}

void OutputFile::close() {
  if (descriptor_ >= 0)
    ::close(std::exchange(descriptor_, -1));
}

bool OutputFile::fail(int error) {
  return fail(words_of(error));
}

bool OutputFile::fail(std::string words) {
  error_ = std::move(words);
  return false;
}

bool OutputFile::append(ByteView piece) {
  if (!usable())
    return false;
  const int error = write_all(descriptor_, piece.data(), piece.size());
  // A reader that went away (`| head`) wants no more; that is no error, here as on stdout.
  if (error != 0 && !(error == EPIPE && !is_begun())) {
    fail(error);
    // The failure is already known; if truncating fails, too, readers see a torn end instead.
    if (is_begun() && ftruncate(descriptor_, static_cast<off_t>(size_)) == 0)
      lseek(descriptor_, static_cast<off_t>(size_), SEEK_SET);
    return false;
  }
  size_ += piece.size();
  return true;
}

bool OutputFile::overwrite(std::uint64_t offset, ByteView piece) {
  if (!is_begun() || descriptor_ < 0)
    return descriptor_ >= 0;
  while (!piece.empty()) {
    const auto written =
        ::pwrite(descriptor_, piece.data(), piece.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    piece = piece.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

bool OutputFile::flush() {
  if (!usable())
    return false;
  // Closing a duplicate reports errors while we still have the file and its lock.
  const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return fail(errno);
  // Linux closes the descriptor whatever close() returns.
  return ::close(copy) == 0 || errno == EINTR || fail(errno);
}

void OutputFile::touch() const {
  if (is_begun() && usable()) {
    [[maybe_unused]] const int ignored = futimens(descriptor_, nullptr);
  }
}

bool OutputFile::is_there() const {
  return descriptor_ >= 0 && is_still(begun_path_, descriptor_);
}

bool OutputFile::take_place() {
  if (!is_there())
    return fail("somebody removed or replaced it while it was written");
  struct stat file {};
  // The name was a file, or free, when writing began; a rename would replace whatever it is now.
  if (lstat(target_.path.c_str(), &file) == 0 && !S_ISREG(file.st_mode))
    return fail(target_.path + " is now " + described(file.st_mode));
  // If the file system refuses, the file is more private than wanted: no reason to fail.
  [[maybe_unused]] const int ignored = fchmod(descriptor_, target_.mode);
  return std::rename(begun_path_.c_str(), target_.path.c_str()) == 0 || fail(errno);
}

bool OutputFile::publish() {
  if (!flush() || (is_begun() && !take_place()))
    return false;
  close();
  return true;
}

void OutputFile::discard() {
  if (is_begun() && is_there())
    unlink(begun_path_.c_str());
  close();
}

Status move_into_place(const std::string& from, const std::string& to) {
  const auto target = find_file_output(to);
  if (!target.ok())
    return target.error();
  if (std::rename(from.c_str(), target.value().path.c_str()) != 0)
    return cannot_write(to, errno);
  return success();
}

void survive_file_size_limit() {
  struct sigaction action {};
  sigaction(SIGXFSZ, nullptr, &action);
  if (action.sa_handler == SIG_IGN)
    return;
  action = {};
  // Caught, not ignored: started programs would inherit an ignored signal.
  action.sa_handler = [](int) {};
  sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace tidemark::trace
