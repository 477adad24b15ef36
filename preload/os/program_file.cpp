#include "preload/os/program_file.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/os/text.hpp"
#include "preload/wire/sanitizers.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <elf.h>
#include <unistd.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// As the kernel: an interpreter may itself be a script.
constexpr int kMaxInterpreters = 5;
/// More than linkers write: nothing behind them is looked at.
constexpr unsigned kMaxSegments = 64;
constexpr unsigned kMaxDynamicEntries = 4096;

/// Without waiting: the name may be a FIFO's.
int open_at(int directory, const char* path) {
  return static_cast<int>(sys::call(SYS_openat, directory, sys::as_long(path),
                                    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

/// A file that is open for reading.
class ReadableFile {
 public:
  /// @param fd a folder's; where `path` is empty, the file's own.
  ReadableFile(int fd, const char* path)
      : is_borrowed_(path[0] == '\0'), fd_(is_borrowed_ ? fd : open_at(fd, path)) {}
  ~ReadableFile() {
    if (!is_borrowed_ && fd_ >= 0)
      sys::close(fd_);
  }
  ReadableFile(const ReadableFile&) = delete;
  ReadableFile& operator=(const ReadableFile&) = delete;

  /// @return how many bytes there were.
  std::size_t read(std::uint64_t at, char* out, std::size_t bytes) const {
    const long got = sys::read_at(fd_, out, bytes, at);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  template <typename Value>
  bool read(std::uint64_t at, Value& out) const {
    return read(at, reinterpret_cast<char*>(&out), sizeof out) == sizeof out;
  }
  /// As execvp sees it.
  [[nodiscard]] bool is_program() const {
    struct stat status {};
    return sys::file_status(fd_, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_mode & 0111U) != 0;
  }

 private:
  bool is_borrowed_;
  int fd_;
};

/// A string of a file, cut.
template <std::size_t kBytes>
class Text {
 public:
  Text() = default;
  Text(const ReadableFile& file, std::uint64_t at, std::uint64_t bytes = kBytes - 1) {
    text_[file.read(at, text_, std::min<std::uint64_t>(bytes, kBytes - 1))] = '\0';
  }
  [[nodiscard]] const char* c_str() const { return text_; }
  [[nodiscard]] std::string_view view() const { return text_; }

 private:
  char text_[kBytes]{};
};
using Name = Text<32>;
using Path = Text<256>;

/// The segments of a 64-bit program for x86-64.
class Segments {
 public:
  explicit Segments(const ReadableFile& file) : file_(file) {
    is_elf_ = file.read(0, header_) && std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0;
    is_native_ =
        is_elf_ && header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_machine == EM_X86_64;
    are_known_ = is_native_ && header_.e_phentsize == sizeof(Elf64_Phdr);
  }
  [[nodiscard]] bool are_known() const { return are_known_; }
  [[nodiscard]] bool are_of_other_machine() const { return is_elf_ && !is_native_; }
  /// Calls `visit` until it is true.
  template <typename Visit>
  bool find(const Visit& visit) const {
    for (unsigned i = 0; are_known_ && i < std::min<unsigned>(header_.e_phnum, kMaxSegments); ++i) {
      Elf64_Phdr segment{};
      if (!file_.read(header_.e_phoff + i * sizeof segment, segment))
        return false;
      if (visit(segment))
        return true;
    }
    return false;
  }
  bool find(std::uint32_t type, Elf64_Phdr& out) const {
    return find([&](const Elf64_Phdr& segment) {
      out = segment;
      return segment.p_type == type;
    });
  }
  /// Where in the file is what will be at `address`. @return 0 where nothing will be.
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const {
    std::uint64_t offset = 0;
    find([&](const Elf64_Phdr& segment) {
      if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
        offset = address - segment.p_vaddr + segment.p_offset;
      return offset != 0;
    });
    return offset;
  }

 private:
  const ReadableFile& file_;
  Elf64_Ehdr header_{};
  bool is_elf_ = false;
  bool is_native_ = false;
  bool are_known_ = false;
};

/// Calls `visit` with the tag and the name of each library that a file needs, and of its own one,
/// until it is true.
template <typename Visit>
bool find_name(const ReadableFile& file, const Segments& segments, const Visit& visit) {
  Elf64_Phdr dynamic{};
  if (!segments.find(PT_DYNAMIC, dynamic))
    return false;
  const auto find_entry = [&](const auto& visit_entry) {
    for (unsigned i = 0; i < kMaxDynamicEntries; ++i) {
      Elf64_Dyn entry{};
      if (!file.read(dynamic.p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL)
        return false;
      if (visit_entry(entry))
        return true;
    }
    return false;
  };
  std::uint64_t names = 0;
  find_entry([&](const Elf64_Dyn& entry) {
    if (entry.d_tag == DT_STRTAB)
      names = segments.offset_of(entry.d_un.d_ptr);
    return entry.d_tag == DT_STRTAB;
  });
  return find_entry([&](const Elf64_Dyn& entry) {
    const bool is_name = entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME;
    return is_name && visit(entry.d_tag, Name(file, names + entry.d_un.d_val));
  });
}

bool needs_sanitizer(const ReadableFile& file, const Segments& segments) {
  return find_name(file, segments, [](std::int64_t tag, const Name& name) {
    const auto begins_it = [&](const wire::Sanitizer& one) {
      return name.view().substr(0, one.library.size()) == one.library;
    };
    return tag == DT_NEEDED &&
           std::any_of(wire::kSanitizers.begin(), wire::kSanitizers.end(), begins_it);
  });
}

/// The name that a library or a loader gives itself; empty: none.
Name own_name(const ReadableFile& file, const Segments& segments) {
  Name own;
  find_name(file, segments, [&](std::int64_t tag, const Name& name) {
    if (tag == DT_SONAME)
      own = name;
    return tag == DT_SONAME;
  });
  return own;
}

bool is_of_glibc(std::string_view loader) {
  constexpr std::string_view kName = "ld-linux";
  return loader.substr(0, kName.size()) == kName;
}

/// @param path with which programs name the loader.
bool is_foreign_loader(const char* path) {
  const ReadableFile file(AT_FDCWD, path);
  const Segments segments(file);
  if (!segments.are_known())
    return false;  // The kernel will not start the program.
  const Name own = own_name(file, segments);
  // nix-ld stands where glibc's is expected, has no name, and starts glibc's.
  const char* const last = std::strrchr(path, '/');
  return !is_of_glibc(own.view().empty() && last != nullptr ? last + 1 : own.view());
}

/// @param file not a script.
bool breaks_with_preload(const ReadableFile& file) {
  const Segments segments(file);
  if (segments.are_of_other_machine())
    return true;
  Elf64_Phdr interpreter{};
  if (segments.find(PT_INTERP, interpreter))
    return is_foreign_loader(Path(file, interpreter.p_offset, interpreter.p_filesz).c_str()) ||
           needs_sanitizer(file, segments);
  // Only a loader that is given the program as an argument has a name of its own.
  const Name own = own_name(file, segments);
  return !own.view().empty() && !is_of_glibc(own.view());
}

/// The program that runs a script. @return nullptr where `text`, a file's first line, is none.
const char* interpreter_in(char* text) {
  if (text[0] != '#' || text[1] != '!')
    return nullptr;
  char* begin = text + 2;
  while (*begin == ' ' || *begin == '\t')
    ++begin;
  begin[std::strcspn(begin, " \t\n")] = '\0';
  return *begin != '\0' ? begin : nullptr;
}

bool breaks_with_preload(int directory, const char* path, int depth) {
  const ReadableFile file(directory, path);
  char line[256];
  line[file.read(0, line, sizeof line - 1)] = '\0';
  const char* const interpreter = interpreter_in(line);
  if (interpreter == nullptr)
    return breaks_with_preload(file);
  return depth < kMaxInterpreters && breaks_with_preload(AT_FDCWD, interpreter, depth + 1);
}

bool breaks_somewhere_in_path(const char* name) {
  const char* list = nullptr;
  for (char* const* variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "PATH=", 5) == 0)
      list = *variable + 5;
  }
  if (list == nullptr)
    list = "/bin:/usr/bin";
  for (const char* folder = list;; ++folder) {
    const std::size_t length = std::strcspn(folder, ":");
    char path[1024];
    if (length + std::strlen(name) + 2 <= sizeof path) {
      std::memcpy(path, folder, length);
      append(append(path + length, length != 0 ? "/" : ""), name);
      if (ReadableFile(AT_FDCWD, path).is_program())
        return breaks_with_preload(AT_FDCWD, path, 0);
    }
    folder += length;
    if (*folder == '\0')
      return false;
  }
}

}  // namespace

bool breaks_with_preload(const ProgramName& program) {
  if (program.path == nullptr || !may(kMayLookAtPrograms))
    return false;
  const bool is_searched = program.is_searched && std::strrchr(program.path, '/') == nullptr;
  return is_searched && program.path[0] != '\0'
             ? breaks_somewhere_in_path(program.path)
             : breaks_with_preload(program.directory, program.path, 0);
}

bool is_out_of_reach(const char* path) {
  if (!may(kMayLookAtPrograms))
    return false;
  const int fd = sys::open(path, O_RDONLY);
  if (fd >= 0)
    sys::close(fd);
  return fd == -ENOENT || fd == -ENOTDIR || fd == -EACCES;
}

}  // namespace tidemark::preload
