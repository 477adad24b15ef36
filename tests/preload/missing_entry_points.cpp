// What the object's entry points define for the rest of it. There are none in a test: the hooks
// under test are called by their own names.
extern "C" {
void* tidemark_real_dlopen = nullptr;
void* tidemark_real_dlmopen = nullptr;
void* tidemark_real_syscall = nullptr;
}
