// Prints where it was called from, for calls whose function and lines the test knows by the labels
// in the comments: "NAME OFFSET", the offset being the return address less the load bias.
#include <cstdint>
#include <cstdio>

#include <link.h>

namespace places {

std::uintptr_t load_bias() {
  std::uintptr_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<std::uintptr_t*>(result) = info->dlpi_addr;
        return 1;  // The program itself comes first.
      },
      &bias);
  return bias;
}

[[gnu::noinline]] int report(const char* name) {
  const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  std::printf("%s %jx\n", name, static_cast<std::uintmax_t>(address - load_bias()));
  return 1;
}

// Not a tail call, or there would be no place to return to.
#define REPORT(name) (report(name) + 1)

[[gnu::noinline]] int plain(int value) {
  return value + REPORT("plain");  // label: plain
}

[[gnu::always_inline]] inline int innermost(int value) {
  return value + REPORT("inlined");  // label: innermost
}

[[gnu::always_inline]] inline int middle(int value) {
  value *= 3;
  return innermost(value) + 1;  // label: middle
}

[[gnu::noinline]] int outermost(int value) {
  if (value > 100) {
    return 0;
  }
  return middle(value) * 2;  // label: outermost
}

struct Loader {
  [[gnu::noinline]] explicit Loader(int value)
      : size(value + REPORT("constructor")) {}  // label: constructor
  int size;
};

namespace {
[[gnu::noinline]] int hidden(int value) {
  return value + REPORT("hidden");  // label: hidden
}
}  // namespace

// g++ describes the code of a lambda inside its function, unless it makes a copy with other
// parameters.
#ifdef __clang__
#define AS_WRITTEN noinline
#else
#define AS_WRITTEN noinline, noclone, noipa
#endif

[[gnu::noinline]] int with_lambda(int value) {
  if (value < 100) {
    auto lambda = [&](int more) __attribute__((AS_WRITTEN)) {
      return value + more + REPORT("lambda");  // label: lambda
    };
    return lambda(value) + lambda(value + 1);
  }
  return value;
}

}  // namespace places

extern "C" [[gnu::noinline]] int plain_c_function(int value) {
  return value + places::report("exported") + 1;  // label: exported
}

int main(int argc, char**) {
  const places::Loader loader(argc);
  const int sum = places::plain(argc) + places::outermost(argc) + places::hidden(argc) +
                  places::with_lambda(argc) + plain_c_function(argc) + loader.size;
  return sum == 0 ? 1 : 0;
}
