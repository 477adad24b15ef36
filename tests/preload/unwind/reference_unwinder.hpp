/// libunwind, as a judge over our own unwinder. Opened privately, as the object itself does: linked
/// in, its _Unwind_* functions would take the place of libgcc's for the exceptions of the test.
#pragma once

#define UNW_LOCAL_ONLY
#include <stdexcept>
#include <string>

#include <dlfcn.h>
#include <libunwind.h>

namespace tidemark::tests {

struct ReferenceUnwinder {
  int (*backtrace)(void**, int);
  int (*init)(unw_cursor_t*, unw_context_t*, int);
  int (*step)(unw_cursor_t*);
  int (*get_register)(unw_cursor_t*, unw_regnum_t, unw_word_t*);

  static const ReferenceUnwinder& get() {
    static const ReferenceUnwinder unwinder = load();
    return unwinder;
  }

 private:
  static ReferenceUnwinder load() {
    void* library = ::dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw std::runtime_error("no libunwind.so.8 to compare with");
    ReferenceUnwinder unwinder{};
    find(library, "unw_backtrace", unwinder.backtrace);
    find(library, "_ULx86_64_init_local2", unwinder.init);
    find(library, "_ULx86_64_step", unwinder.step);
    find(library, "_ULx86_64_get_reg", unwinder.get_register);
    return unwinder;
  }
  template <typename Function>
  static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr)
      throw std::runtime_error(std::string("libunwind has no ") + name);
  }
};

}  // namespace tidemark::tests
