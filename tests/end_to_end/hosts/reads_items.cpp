// reads_items HOW FILE: reads numbers of 4 bytes from a stream, one at a time.
//   row       each behind the one before, in a vector
//   place     all into one variable
//   turns     two streams of the file in turn
//   reopened  half of it, then closes the stream, and the rest from another one into the same row
//   open      as row, and ends without closing
//   killed    the same, by a signal
//   thread    the same, on a thread that ends before the program
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace {

const char* g_path = nullptr;

std::size_t items_of_file() {
  struct stat status {};
  return stat(g_path, &status) == 0 ? static_cast<std::size_t>(status.st_size) / 4 : 0;
}

void read_items(std::FILE* stream,
                std::vector<std::uint32_t>& row,
                std::size_t begin,
                std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (std::fread(&row[i], 4, 1, stream) != 1)
      std::_Exit(1);
  }
}

std::FILE* read_row(std::vector<std::uint32_t>& row) {
  std::FILE* stream = std::fopen(g_path, "rb");
  read_items(stream, row, 0, row.size());
  return stream;
}

}  // namespace

int main(int, char** words) {
  const std::string how = words[1];
  g_path = words[2];
  std::vector<std::uint32_t> row(items_of_file());
  std::uint32_t item = 0;
  if (how == "row") {
    std::fclose(read_row(row));
  } else if (how == "place") {
    std::FILE* stream = std::fopen(g_path, "rb");
    while (std::fread(&item, 4, 1, stream) == 1) {
    }
    std::fclose(stream);
  } else if (how == "turns") {
    std::FILE* one = std::fopen(g_path, "rb");
    std::FILE* other = std::fopen(g_path, "rb");
    std::fseek(other, static_cast<long>(row.size() * 2), SEEK_SET);
    for (std::size_t i = 0; i < row.size() / 2; ++i) {
      if (std::fread(&item, 4, 1, one) + std::fread(&row[i], 4, 1, other) != 2)
        return 1;
    }
    std::fclose(one);
    std::fclose(other);
  } else if (how == "reopened") {
    std::FILE* stream = std::fopen(g_path, "rb");
    read_items(stream, row, 0, row.size() / 2);
    std::fclose(stream);
    stream = std::fopen(g_path, "rb");
    std::fseek(stream, static_cast<long>(row.size() / 2 * 4), SEEK_SET);
    read_items(stream, row, row.size() / 2, row.size());
    std::fclose(stream);
  } else if (how == "thread") {
    std::thread([&row] { read_row(row); }).join();
    std::thread([] {}).join();
  } else {
    read_row(row);
    if (how == "killed")
      raise(SIGKILL);
  }
  return 0;
}
