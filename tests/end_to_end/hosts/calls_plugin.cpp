// A program without a C++ library opens a plugin that has one linked in, and lets it allocate.
//
//   calls_plugin PLUGIN

#include <dlfcn.h>

int main(int count, char** arguments) {
  using Make = void* (*)();
  using Unmake = void (*)(void*);
  if (count < 2)
    return 1;
  void* const plugin = dlopen(arguments[1], RTLD_NOW);
  if (plugin == nullptr)
    return 2;
  const auto make = reinterpret_cast<Make>(dlsym(plugin, "make"));
  const auto unmake = reinterpret_cast<Unmake>(dlsym(plugin, "unmake"));
  if (make == nullptr || unmake == nullptr)
    return 3;
  for (int i = 0; i < 10; ++i)
    unmake(make());
  return dlclose(plugin);
}
