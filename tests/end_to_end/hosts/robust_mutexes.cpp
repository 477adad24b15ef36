// Threads that end with robust mutexes locked, before and after their first allocation: who locks
// them next is told. 200 threads make 200 blocks of 3081 bytes.
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <pthread.h>

namespace {

pthread_mutex_t g_mutexes[3];

void* work(void*) {
  pthread_mutex_lock(&g_mutexes[0]);
  pthread_mutex_lock(&g_mutexes[1]);
  void* volatile block = std::malloc(3081);
  std::free(block);
  pthread_mutex_lock(&g_mutexes[2]);
  pthread_mutex_unlock(&g_mutexes[1]);
  return nullptr;  // 0 and 2 stay locked
}

}  // namespace

int main() {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  for (pthread_mutex_t& mutex : g_mutexes)
    pthread_mutex_init(&mutex, &robust);
  int owners_died = 0;
  int others = 0;
  for (int i = 0; i < 200; ++i) {
    pthread_t thread{};
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, nullptr);
    for (pthread_mutex_t& mutex : g_mutexes) {
      const int error = pthread_mutex_lock(&mutex);
      ++(error == EOWNERDEAD ? owners_died : others);
      if (error == EOWNERDEAD)
        pthread_mutex_consistent(&mutex);
      pthread_mutex_unlock(&mutex);
    }
  }
  std::printf("%d owners died, %d others\n", owners_died, others);
}
