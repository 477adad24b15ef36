// Which interpreters are read, and what is said of the others.
#include "preload/python/runtime.hpp"

#include "preload/wire/session.hpp"
#include "tests/support/catch.hpp"

#include <string>

#include <dlfcn.h>
#include <link.h>

using namespace tidemark;

namespace {

/// Meets a library as the walker does. Forgets it at the end.
class Met {
 public:
  explicit Met(const std::string& build)
      : library_(dlopen((TIDEMARK_MADE_UP_PYTHONS + build + ".so").c_str(), RTLD_NOW)) {
    REQUIRE(library_ != nullptr);
    const auto* map = static_cast<const link_map*>(library_);  // what glibc's handles are
    said_ = python::meet_module(map->l_ld, map->l_addr);
  }
  ~Met() {
    python::forget_unloaded([](std::uint64_t) { return false; });
    dlclose(library_);
  }
  Met(const Met&) = delete;
  Met& operator=(const Met&) = delete;
  Met(Met&&) = delete;
  Met& operator=(Met&&) = delete;

  /// ControlBlock::unread_python.
  [[nodiscard]] std::uint32_t said() const { return said_; }
  [[nodiscard]] static bool is_read() { return python::g_runtime.load() != nullptr; }

 private:
  void* library_;
  std::uint32_t said_ = 0;
};

}  // namespace

TEST_CASE("a Python whose layout is known is read", "[python]") {
  const Met met("known");
  CHECK(met.said() == 0);
  REQUIRE(Met::is_read());
  CHECK(python::g_runtime.load()->layout.version == 0x030e);
}

TEST_CASE("a Python that cannot be read is named, and left alone", "[python]") {
  struct Build {
    const char* name;
    std::uint32_t said;
  };
  const Build build =
      GENERATE(Build{"newer", wire::kUnreadPython | 0x0310},
               Build{"free_threaded", wire::kUnreadPython | wire::kFreeThreadedPython | 0x030e},
               Build{"laid_out_otherwise", wire::kUnreadPython | 0x030e},
               Build{"without_states", wire::kUnreadPython | 0x030f},
               Build{"other_states", wire::kUnreadPython | 0x030f});
  CAPTURE(build.name);
  const Met met(build.name);
  CHECK(met.said() == build.said);
  CHECK_FALSE(Met::is_read());
}
