// Loads and unloads two libraries by turns, 200 times; the loader puts each where the other one
// was. They are found by this program's RUNPATH.
#include <cstdio>

#include <dlfcn.h>

namespace {
bool work(const char* name) {
  void* library = dlopen(name, RTLD_NOW);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return false;
  }
  reinterpret_cast<void (*)()>(dlsym(library, "library_work"))();
  return dlclose(library) == 0;
}
}  // namespace

int main() {
  int good = 0;
  for (int i = 0; i < 200; ++i)
    good += work("libe2e_first.so") + work("libe2e_second.so");
  std::printf("%d\n", good);
}
