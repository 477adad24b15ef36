// Functions that give the value of a thread-local variable, as an interpreter has them. Compiled in
// several ways.

#define TIDEMARK_JOIN(a, b) a##b
#define TIDEMARK_NAME(a, b) TIDEMARK_JOIN(a, b)

namespace {

thread_local void* first = nullptr;  // so that the next one is not at the module's begin
thread_local void* second = nullptr;

}  // namespace

extern "C" {

void TIDEMARK_NAME(set_values_, TIDEMARK_WAY)(void* value) {
  first = value;
  second = value;
}
void* TIDEMARK_NAME(first_value_, TIDEMARK_WAY)() {
  return first;
}
void* TIDEMARK_NAME(second_value_, TIDEMARK_WAY)() {
  return second;
}
/// Not the value of the variable.
void* TIDEMARK_NAME(other_value_, TIDEMARK_WAY)() {
  return static_cast<char*>(second) + 1;
}
}
