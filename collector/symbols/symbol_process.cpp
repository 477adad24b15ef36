#include "collector/symbols/symbol_process.hpp"

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/output/write_all.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark {
namespace {

// What goes through the pipe: messages of a 4-byte length, a kind, and fields. Both ends are the
// same program.
enum class Message : std::uint8_t { kFrame, kProgress, kEnd };

constexpr std::size_t kLengthBytes = sizeof(std::uint32_t);
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

/// Puts messages together and sends them in large pieces. Ends the process if the other end is
/// closed.
class Sender {
 public:
  explicit Sender(int descriptor) : descriptor_(descriptor) {}

  void begin(Message kind) {
    begin_ = bytes_.size();
    bytes_.append(kLengthBytes, '\0');
    bytes_.push_back(static_cast<char>(kind));
  }
  void add(std::uint64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void add(std::string_view text) {
    add(text.size());
    bytes_.append(text);
  }
  void end() {
    const auto length = static_cast<std::uint32_t>(bytes_.size() - begin_ - kLengthBytes);
    std::memcpy(bytes_.data() + begin_, &length, sizeof length);
    if (bytes_.size() >= kPieceBytes)
      flush();
  }
  void flush() {
    if (trace::write_all(descriptor_, bytes_.data(), bytes_.size()) != 0)
      _exit(1);
    bytes_.clear();
  }

 private:
  int descriptor_;
  std::string bytes_;
  std::size_t begin_ = 0;  ///< Where the message being made begins.
};

/// The fields of one message, in their order. A message that is too short has zeros and nothing.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (bytes_.size() >= sizeof value)
      std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(std::min(bytes_.size(), sizeof value));
    return value;
  }
  std::string text() {
    const std::string_view found = bytes_.substr(0, number_of_bytes());
    bytes_.remove_prefix(found.size());
    return std::string(found);
  }

 private:
  std::size_t number_of_bytes() { return static_cast<std::size_t>(number()); }

  std::string_view bytes_;
};

/// Messages as they come out of the pipe.
class Receiver {
 public:
  explicit Receiver(int descriptor) : descriptor_(descriptor) {}

  /// The next message, kind first, borrowed until the next call; nothing at the end of the pipe.
  std::optional<std::string_view> next() {
    for (;;) {
      const std::string_view rest = std::string_view(bytes_).substr(at_);
      std::uint32_t length = 0;
      if (rest.size() >= kLengthBytes)
        std::memcpy(&length, rest.data(), sizeof length);
      if (rest.size() > kLengthBytes && rest.size() - kLengthBytes >= length && length > 0) {
        at_ += kLengthBytes + length;
        return rest.substr(kLengthBytes, length);
      }
      if (!read_more())
        return std::nullopt;
    }
  }

 private:
  bool read_more() {
    bytes_.erase(0, std::exchange(at_, 0));
    std::array<char, kPieceBytes> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    ssize_t got = 0;
    do {
      got = read(descriptor_, piece.data(), piece.size());
    } while (got < 0 && errno == EINTR);
    if (got > 0)
      bytes_.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  int descriptor_;
  std::string bytes_;
  std::size_t at_ = 0;  ///< All before it was handed out.
};

void send_frame(Sender& out, trace::FrameId frame, const std::vector<trace::Location>& locations) {
  out.begin(Message::kFrame);
  out.add(trace::index(frame));
  out.add(locations.size());
  for (const trace::Location& location : locations) {
    out.add(location.function);
    out.add(location.file);
    out.add(location.line);
  }
  out.end();
}

/// Lets go of standard input, output and error, which are the host's too.
void be_silent() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(nothing, stream);
}

[[noreturn]] void run_child(int out_descriptor,
                            std::span<const trace::Module> modules,
                            std::span<const trace::Frame> frames,
                            std::vector<trace::FrameId>& wanted,
                            const SymbolPassOptions& wishes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE,
        0);  // A crash in here leaves no core where a user would look for their own.
  be_silent();
  // All that takes memory: an exception that left this function would go on in a copy of the
  // recorder.
  try {
    SymbolPassOptions options = wishes;
    Sender out(out_descriptor);
    if (options.progress) {
      options.progress = [&](const std::string& what, std::size_t done, std::size_t of) {
        out.begin(Message::kProgress);
        out.add(what);
        out.add(done);
        out.add(of);
        out.end();
        out.flush();
      };
    }
    resolve_symbols(modules, frames, std::move(wanted), options,
                    [&](trace::FrameId frame, const std::vector<trace::Location>& locations) {
                      send_frame(out, frame, locations);
                    });
    out.begin(Message::kEnd);
    out.end();
    out.flush();
    _exit(0);
  } catch (...) {
    _exit(1);
  }
}

/// A child process that is ended and waited for.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&&) = delete;
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      SymbolPassEnd ignored;
      wait(ignored);
    }
  }

  void wait(SymbolPassEnd& end) {
    int status = 0;
    rusage usage{};
    pid_t waited = 0;
    do {
      waited = wait4(pid_, &status, 0, &usage);
    } while (waited < 0 && errno == EINTR);
    // Where SIGCHLD is ignored, the exit status is lost.
    if (std::exchange(pid_, 0) != waited)
      return;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    for (const timeval& used : {usage.ru_utime, usage.ru_stime})
      end.cpu_ns += static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
                    static_cast<std::uint64_t>(used.tv_usec) * 1'000;
  }

 private:
  pid_t pid_;
};

/// A frame that cannot be, of a child that went astray, is left out, and so are locations that it
/// only counts.
void hand_over(Fields fields, std::size_t frames, const NameFrame& name_frame) {
  const std::uint64_t frame = fields.number();
  std::vector<trace::Location> locations;
  for (std::uint64_t left = fields.number(); left > 0 && !fields.empty(); --left) {
    trace::Location& location = locations.emplace_back();
    location.function = fields.text();
    location.file = fields.text();
    location.line = static_cast<std::uint32_t>(fields.number());
  }
  if (frame < frames && !locations.empty())
    name_frame(trace::FrameId{static_cast<std::uint32_t>(frame)}, locations);
}

}  // namespace

SymbolPassEnd resolve_symbols_apart(std::span<const trace::Module> modules,
                                    std::span<const trace::Frame> frames,
                                    std::vector<trace::FrameId> wanted,
                                    const SymbolPassOptions& options,
                                    const NameFrame& name_frame) {
  if (wanted.empty())
    return {};
  std::array<int, 2> ends{-1, -1};
  const bool has_pipe = pipe2(ends.data(), O_CLOEXEC) == 0;
  FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t pid = has_pipe ? fork() : -1;
  if (pid == 0)
    run_child(writing.number(), modules, frames, wanted, options);
  if (pid < 0) {
    resolve_symbols(modules, frames, std::move(wanted), options, name_frame);
    return {};
  }
  writing = FileDescriptor();
  Child child(pid);
  SymbolPassEnd end{.is_complete = false};
  Receiver messages(reading.number());
  while (const auto message = messages.next()) {
    Fields fields(message->substr(1));
    switch (static_cast<Message>(message->front())) {
      case Message::kFrame:
        hand_over(fields, frames.size(), name_frame);
        break;
      case Message::kProgress: {
        const std::string what = fields.text();
        const auto done = static_cast<std::size_t>(fields.number());
        if (options.progress)
          options.progress(what, done, static_cast<std::size_t>(fields.number()));
        break;
      }
      case Message::kEnd:
        end.is_complete = true;
        break;
    }
  }
  child.wait(end);
  return end;
}

}  // namespace tidemark
