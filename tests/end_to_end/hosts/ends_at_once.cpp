// Ends before it has allocated anything: with the exit status that it is given, or of SIGSEGV.
#include <csignal>
#include <cstdlib>

int main(int, char** arguments) {
  if (arguments[1][0] == 'S')
    return std::raise(SIGSEGV);
  return std::atoi(arguments[1]);
}
