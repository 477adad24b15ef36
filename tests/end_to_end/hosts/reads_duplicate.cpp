// reads_duplicate HOW PATH: 2 MiB of its own, then a file of 4 MiB, which is opened, and read at
// one go into a block by another descriptor of it, while the first one stays open.
//   dup, dup2, dup3, F_DUPFD, F_DUPFD_CLOEXEC, number    copies of the descriptor
//   fdopen                                               a stream of such a copy, as NumPy has it
//   map                                                  mapped by such a copy, not read
//   fork, message    read by a child that has the descriptor from its parent
//   unseen           opened by the instruction itself: no function of libc is called
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBytes = 4 << 20;

int open_unseen(const char* path) {
  long result;
  register long no_mode asm("r10") = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(SYS_openat), "D"(AT_FDCWD), "S"(path), "d"(O_RDONLY), "r"(no_mode)
               : "rcx", "r11", "memory");
  return static_cast<int>(result);
}

int copy_of(int fd, const std::string& how) {
  if (how == "dup2")
    return dup2(fd, fd + 10);
  if (how == "dup3")
    return dup3(fd, fd + 10, O_CLOEXEC);
  if (how == "F_DUPFD" || how == "map")
    return fcntl(fd, F_DUPFD, fd + 10);
  if (how == "F_DUPFD_CLOEXEC" || how == "fdopen")
    return fcntl64(fd, F_DUPFD_CLOEXEC, 0);
  if (how == "number")
    return static_cast<int>(syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0));
  return how == "dup" ? dup(fd) : fd;
}

/// A message of one byte with room for a descriptor.
struct Message {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{nullptr, 0, &part, 1, control, sizeof control, 0};
};

void send(int socket, int fd) {
  Message message;
  cmsghdr* passed = CMSG_FIRSTHDR(&message.header);
  passed->cmsg_level = SOL_SOCKET;
  passed->cmsg_type = SCM_RIGHTS;
  passed->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(passed), &fd, sizeof fd);
  sendmsg(socket, &message.header, 0);
}

int received(int socket) {
  Message message;
  int fd = -1;
  if (recvmsg(socket, &message.header, 0) == 1)
    std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message.header)), sizeof fd);
  return fd;
}

bool load(int fd, const std::string& how) {
  if (how == "map") {
    void* map = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, fd, 0);
    char* block = static_cast<char*>(std::malloc(kBytes));
    std::memcpy(block, map, kBytes);
    return block[kBytes - 1] == static_cast<char*>(map)[kBytes - 1];
  }
  char* block = static_cast<char*>(std::malloc(kBytes));
  const bool done = how == "fdopen" ? std::fread(block, 1, kBytes, fdopen(fd, "rb")) == kBytes
                                    : read(fd, block, kBytes) == static_cast<ssize_t>(kBytes);
  // A look into it, so that it is not left out.
  const volatile char last = block[kBytes - 1];
  static_cast<void>(last);
  return done;
}

bool load_in_child(const char* path, const std::string& how) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return false;
  const int before = how == "fork" ? open(path, O_RDONLY) : -1;
  const pid_t child = fork();
  if (child == 0)
    _exit(load(how == "fork" ? before : received(ends[1]), how) ? 0 : 1);
  if (how == "message")
    send(ends[0], open(path, O_RDONLY));
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3)
    return 2;
  const std::string how = argv[1];
  char* const own = static_cast<char*>(std::malloc(kBytes / 2));
  std::memset(own, 1, kBytes / 2);
  bool done = false;
  if (how == "fork" || how == "message") {
    done = load_in_child(argv[2], how);
  } else {
    const int fd = how == "unseen" ? open_unseen(argv[2]) : open(argv[2], O_RDONLY);
    done = load(copy_of(fd, how), how);
  }
  std::printf("%d %d\n", done, own[kBytes / 2 - 1]);
}
