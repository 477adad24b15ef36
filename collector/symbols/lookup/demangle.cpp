#include "collector/symbols/lookup/demangle.hpp"

#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

// Without this, it declares a basename that conflicts with <cstring>'s.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

namespace tidemark {
namespace {

constexpr std::array<std::string_view, 7> kMarks{".cold",  ".part.",     ".constprop.", ".isra.",
                                                 ".llvm.", ".lto_priv.", ".localalias"};

/// Only known marks: a dot is an ordinary letter in Go's names and in Rust's older ones.
std::string_view without_marks(std::string_view symbol) {
  std::string_view name = symbol.substr(0, symbol.find('@', 1));
  for (const std::string_view mark : kMarks) {
    name = name.substr(0, name.find(mark, 1));
  }
  return name;
}

using Text = std::unique_ptr<char, decltype(&std::free)>;

/// Both of Rust's manglings; null for names of other languages.
Text demangle_rust(const std::string& name) {
  return {rust_demangle(name.c_str(), DMGL_NO_OPTS), std::free};
}

/// libstdc++'s demangler knows _Float16 and similar types only from GCC 13 on.
Text demangle_cxx(const std::string& name) {
  return {cplus_demangle_v3(name.c_str(), DMGL_PARAMS | DMGL_ANSI), std::free};
}

}  // namespace

std::string demangle(const std::string& symbol) {
  std::string name(without_marks(symbol));
  const bool is_cxx = name.starts_with("_Z");
  if (!is_cxx && !name.starts_with("_R")) {
    return name;
  }
  Text plain = demangle_rust(name);  // First: its older names are C++ names too.
  if (plain == nullptr && is_cxx) {
    plain = demangle_cxx(name);
  }
  return plain == nullptr ? name : plain.get();
}

}  // namespace tidemark
