// Linked with -static-libstdc++: its operators are its own.

extern "C" void* make() {
  return new char[5030];
}

extern "C" void unmake(void* block) {
  delete[] static_cast<char*>(block);
}
