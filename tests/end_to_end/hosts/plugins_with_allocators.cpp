// Opens plugins that each brought a copy of an allocator, and says whose copy each one's blocks are
// of. The first one goes before the second one's block does.
//
//   plugins_with_allocators PLUGIN PLUGIN
#include <cstddef>
#include <cstdio>

#include <dlfcn.h>

namespace {

constexpr std::size_t kBytes = 3161;

struct Plugin {
  explicit Plugin(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle, name));
  }
  void* make() const { return find<void*(std::size_t)>("make")(kBytes); }
  void unmake(void* block) const { find<void(void*)>("unmake")(block); }

  void* handle;
};

}  // namespace

int main(int, char** words) {
  const Plugin first(words[1]);
  const Plugin second(words[2]);
  void* block = first.make();
  void* other = second.make();
  std::printf("%d %d\n", first.find<int(const void*)>("copy_of")(block),
              second.find<int(const void*)>("copy_of")(other));
  first.unmake(block);
  dlclose(first.handle);
  second.unmake(other);
  return 0;
}
