// A child that outlives the recording, and then goes on meeting code that it has not met before: it
// opens and closes a library and allocates, far more than a ring holds.
//
//   survivor_loads_libraries LIBRARY FILE    makes FILE when it is done

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

int main(int count, char** arguments) {
  if (count < 3)
    return 1;
  int to_parent[2];
  int to_child[2];
  char byte = 0;
  if (pipe(to_parent) != 0 || pipe(to_child) != 0)
    return 1;
  if (fork() != 0) {
    // Until the child is known to the recorder.
    return read(to_parent[0], &byte, 1) == 1 ? 0 : 1;
  }
  free(malloc(5020));
  // Whoever waits for the end of our output must not wait for us.
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    close(descriptor);
  close(to_child[1]);
  // The end of this pipe is the end of our parent.
  if (write(to_parent[1], &byte, 1) != 1 || read(to_child[0], &byte, 1) != 0)
    return 1;
  for (int round = 0; round < 400; ++round) {
    void* library = dlopen(arguments[1], RTLD_NOW);
    if (library == nullptr)
      return 1;
    for (int i = 0; i < 3; ++i)
      free(malloc(5020));
    dlclose(library);
  }
  close(open(arguments[2], O_CREAT | O_WRONLY, 0600));
  return 0;
}
