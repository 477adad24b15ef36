// Code that no unwind table speaks of asks for memory: first with a frame pointer, as generated
// code mostly has one, then with none.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <sys/mman.h>

namespace {

using Function = void* (*)(std::size_t);

struct Code {
  unsigned char* end;

  void put(std::initializer_list<unsigned char> bytes) {
    for (const unsigned char byte : bytes)
      *end++ = byte;
  }
  void put_call(Function function) {
    put({0x48, 0xb8});  // mov rax, function
    std::memcpy(end, &function, sizeof(function));
    end += sizeof(function);
    put({0xff, 0xd0});  // call rax
  }
};

/// push rbp; mov rbp, rsp; call; pop rbp; ret
void write_with_frame_pointer(Code& code, Function function) {
  code.put({0x55, 0x48, 0x89, 0xe5});
  code.put_call(function);
  code.put({0x5d, 0xc3});
}

/// push rbp; mov ebp, 1; call; pop rbp; ret
void write_without(Code& code, Function function) {
  code.put({0x55, 0xbd, 1, 0, 0, 0});
  code.put_call(function);
  code.put({0x5d, 0xc3});
}

}  // namespace

int main() {
  constexpr std::size_t kPage = 4096;
  void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* const with = static_cast<unsigned char*>(page);
  unsigned char* const without = with + kPage / 2;
  Code code{with};
  write_with_frame_pointer(code, std::malloc);
  code.end = without;
  write_without(code, std::malloc);
  mprotect(page, kPage, PROT_READ | PROT_EXEC);
  for (int i = 0; i < 100; ++i) {
    std::free(reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(with))(2262));
    std::free(reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(without))(2263));
  }
  std::puts("done");
}
