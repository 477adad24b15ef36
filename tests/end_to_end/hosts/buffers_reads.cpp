// buffers_reads HOW PATH: reads a file by a stream with a buffer of 8 MiB, piece by piece. With the
// buffer just filled it prints "ready" and waits for a line of input.
//   fread, fgets, getline    all of it
//   fseek                    100 bytes, and the second half
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr std::size_t kPiece = 100;

struct Pieces {
  std::string_view how;
  std::FILE* stream;
  char* line = nullptr;
  std::size_t room = 0;

  /// @return false at the end.
  bool next() {
    char piece[kPiece];
    if (how == "fgets")
      return std::fgets(piece, sizeof piece, stream) != nullptr;
    if (how == "getline")
      return getline(&line, &room, stream) > 0;
    return std::fread(piece, 1, sizeof piece, stream) != 0;
  }
};

void wait_for_input() {
  static_cast<void>(write(STDOUT_FILENO, "ready\n", 6));
  char line[64];
  static_cast<void>(read(STDIN_FILENO, line, sizeof line));
}

}  // namespace

int main(int, char** words) {
  std::vector<char> buffer(std::size_t{8} << 20);
  Pieces pieces{words[1], std::fopen(words[2], "rb")};
  std::setvbuf(pieces.stream, buffer.data(), _IOFBF, buffer.size());
  struct stat status {};
  stat(words[2], &status);
  pieces.next();
  if (pieces.how == "fseek")
    std::fseek(pieces.stream, status.st_size / 2, SEEK_SET);
  wait_for_input();
  while (pieces.next()) {
  }
  std::fclose(pieces.stream);
  std::free(pieces.line);
}
