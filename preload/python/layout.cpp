#include "preload/python/layout.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::python {
namespace {

// Written by tests/preload/python/layouts.py, from the headers of each version; a test compares.
constexpr Layout kLayouts[] = {
#include "preload/python/layouts.inc"
};

}  // namespace

const Layout* find_layout(std::uint32_t version) {
  for (const Layout& layout : kLayouts) {
    if (layout.version == version)
      return &layout;
  }
  return nullptr;
}

}  // namespace tidemark::python
