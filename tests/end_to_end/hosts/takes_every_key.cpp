// As many pthread keys as there are, from the first one on: a program may count on all of them.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <limits.h>
#include <pthread.h>

int main() {
  pthread_key_t key = 0;
  int count = 0;
  unsigned first = 0;
  while (pthread_key_create(&key, nullptr) == 0) {
    if (count++ == 0)
      first = key;
    pthread_setspecific(key, &key);
  }
  std::thread([] { std::free(std::malloc(3071)); }).join();
  std::printf("%d keys, the first is %u\n", count, first);
  return count == PTHREAD_KEYS_MAX ? 0 : 1;
}
