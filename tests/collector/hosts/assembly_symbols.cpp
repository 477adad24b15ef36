// Symbols as hand-written assembly leaves them: without sizes, several for one place, with gaps
// between. Prints where they begin.
#include <cstdio>

asm(R"(
  .pushsection .text.assembly_symbols, "ax", @progbits
  .globl sizeless_first
sizeless_first:
  .skip 100, 0x90
  .globl sized_between
  .type sized_between, @function
  .size sized_between, 10
sized_between:
  .skip 100, 0x90
  .globl twin_short
  .type twin_short, @function
  .size twin_short, 4
  .type twin_long, @function
  .size twin_long, 64
twin_short:
twin_long:
  .skip 100, 0x90
  .globl sizeless_last
sizeless_last:
  .skip 6000, 0x90
  .popsection
)");

extern "C" {
extern const char __executable_start[];
extern const char sizeless_first[];
extern const char sized_between[];
extern const char twin_short[];
extern const char sizeless_last[];
}

int main() {
  const auto say = [](const char* name, const char* at) {
    std::printf("%s %tx\n", name, at - __executable_start);
  };
  say("sizeless_first", sizeless_first);
  say("sized_between", sized_between);
  say("twins", twin_short);
  say("sizeless_last", sizeless_last);
}
