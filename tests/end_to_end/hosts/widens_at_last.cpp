// widens_at_last PATH: reads a file of float32, does something else for a while, so that nobody
// looks often any more, makes float64 of all of it by a loop, frees both, and ends at once.
#include <cstdint>
#include <cstdio>
#include <memory>

#include <poll.h>
#include <sys/stat.h>

int main(int, char** argv) {
  std::FILE* file = std::fopen(argv[1], "rb");
  struct stat status {};
  if (file == nullptr || fstat(fileno(file), &status) != 0)
    return 1;
  const std::size_t count = static_cast<std::size_t>(status.st_size) / sizeof(float);
  const auto narrow = std::make_unique_for_overwrite<float[]>(count);
  if (std::fread(narrow.get(), sizeof(float), count, file) != count)
    return 1;
  std::fclose(file);
  poll(nullptr, 0, 2500);
  const auto wide = std::make_unique_for_overwrite<double[]>(count);
  for (std::size_t i = 0; i < count; ++i)
    wide[i] = static_cast<double>(narrow[i]);
  std::printf("%g\n", wide[count / 3]);
}
