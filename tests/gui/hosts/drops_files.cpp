// drops_files WINDOW URI...: drags a text/uri-list of these onto a window and drops it there, as
// the source of version 5 of XDND does. Exits with 0 when the window says that it took it, with 1
// when it wants none, and dies of SIGALRM when it says nothing.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <unistd.h>

namespace {

constexpr unsigned kPatienceSeconds = 30;
constexpr long kVersion = 5;

class Source {
 public:
  Source(Display* display, Window target, std::string list)
      : display_(display), target_(target), list_(std::move(list)) {
    window_ = XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0);
    XSetSelectionOwner(display, atom("XdndSelection"), window_, CurrentTime);
  }

  /// @return true when the target took it.
  bool drop() {
    Window child = None;
    int x = 0;
    int y = 0;
    constexpr int kInside = 100;
    XTranslateCoordinates(display_, target_, DefaultRootWindow(display_), kInside, kInside, &x, &y,
                          &child);
    send("XdndEnter", {kVersion << 24, static_cast<long>(atom("text/uri-list")), 0, 0});
    send("XdndPosition", {0, (static_cast<long>(x) << 16) | y, CurrentTime,
                          static_cast<long>(atom("XdndActionCopy"))});
    if ((answer("XdndStatus").data.l[1] & 1) == 0) {
      return false;
    }
    send("XdndDrop", {0, CurrentTime, 0, 0});
    // The bit 0 by the specification; GLFW writes how many bytes it took.
    return answer("XdndFinished").data.l[1] != 0;
  }

 private:
  Atom atom(const char* name) { return XInternAtom(display_, name, False); }

  /// The first of the five words is always the source.
  void send(const char* type, const std::array<long, 4>& words) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = target_;
    event.xclient.message_type = atom(type);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(window_);
    for (std::size_t i = 0; i < words.size(); ++i) {
      event.xclient.data.l[i + 1] = words[i];
    }
    XSendEvent(display_, target_, False, NoEventMask, &event);
    XFlush(display_);
  }

  /// Waits for it; meanwhile gives the list to whoever asks.
  XClientMessageEvent answer(const char* type) {
    for (;;) {
      XEvent event{};
      XNextEvent(display_, &event);
      if (event.type == SelectionRequest) {
        give(event.xselectionrequest);
      } else if (event.type == ClientMessage && event.xclient.message_type == atom(type)) {
        return event.xclient;
      }
    }
  }

  void give(const XSelectionRequestEvent& request) {
    XChangeProperty(display_, request.requestor, request.property, request.target, 8,
                    PropModeReplace, reinterpret_cast<const unsigned char*>(list_.data()),
                    static_cast<int>(list_.size()));
    XEvent event{};
    event.xselection.type = SelectionNotify;
    event.xselection.requestor = request.requestor;
    event.xselection.selection = request.selection;
    event.xselection.target = request.target;
    event.xselection.property = request.property;
    event.xselection.time = request.time;
    XSendEvent(display_, request.requestor, False, NoEventMask, &event);
    XFlush(display_);
  }

  Display* display_;
  Window target_;
  std::string list_;
  Window window_ = None;
};

}  // namespace

int main(int argc, char** argv) {
  Display* const display = XOpenDisplay(nullptr);
  if (display == nullptr || argc < 3) {
    std::fputs("drops_files WINDOW URI..., on a display\n", stderr);
    return 2;
  }
  alarm(kPatienceSeconds);
  std::string list;
  for (int i = 2; i < argc; ++i) {
    list += argv[i];
    list += "\r\n";
  }
  return Source(display, std::strtoul(argv[1], nullptr, 0), list).drop() ? 0 : 1;
}
