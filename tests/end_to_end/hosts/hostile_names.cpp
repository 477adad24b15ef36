// Gives everything that a program can name a name that is hostile to whoever shows it: its phases,
// its thread, a file it reads. Its own path and arguments are the test's.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <pthread.h>
#include <tidemark/marks.h>

namespace {

constexpr const char* kPhase = "\x1b]0;title\x07\n::error title=x::PWN\xff\xe2\x80\xae</script>|`";

}  // namespace

int main(int, char** arguments) {
  std::thread([] {
    pthread_setname_np(pthread_self(), "t\x1b[1m\n::x");
    std::free(std::malloc(77));
  }).join();
  tidemark_phase_begin(kPhase);
  void* const block = std::malloc(3000001);
  if (std::FILE* const file = std::fopen(arguments[1], "r")) {
    static_cast<void>(std::fread(block, 1, 3000001, file));
    std::fclose(file);
  }
  tidemark_phase_end(kPhase);
  std::free(block);
}
