// starts_past_hooks PROGRAM [ARGUMENT...]: closes all descriptors but the standard ones, and starts
// the program by popen, which calls no exec function that could be hooked. Ends as the program does.
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  std::string command = "exec";
  for (int i = 1; i < count; ++i)
    command += std::string(" '") + words[i] + "'";
  for (int descriptor = 3; descriptor < 5000; ++descriptor)
    close(descriptor);
  closefrom(3);
  std::FILE* program = popen(command.c_str(), "r");
  if (program == nullptr)
    return 125;
  for (int c = std::fgetc(program); c != EOF; c = std::fgetc(program))
    std::putchar(c);
  const int status = pclose(program);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
