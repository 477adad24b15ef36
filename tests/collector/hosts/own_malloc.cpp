#include <cstddef>

extern "C" void* malloc(std::size_t) {
  return nullptr;
}

int main() {
  return malloc(1) == nullptr ? 0 : 1;
}
