#include "gui/app/platform/window.hpp"

#include "analyzer/text/shown_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#if IMGUI_VERSION_NUM >= 18700
#include <imgui_internal.h>  // The queue of what waits to be dealt out.
#endif

namespace tidemark::gui {
namespace {

/// Why there is no display, as far as the environment shows.
std::string why_no_display() {
  const auto named = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string display = named("DISPLAY");
  if (display.empty()) {
    return named("WAYLAND_DISPLAY").empty() ? "neither DISPLAY nor WAYLAND_DISPLAY names one"
                                            : "the one of WAYLAND_DISPLAY does not answer";
  }
  return fmt::format("'{}' does not answer", display);
}

/// Asks for OpenGL 3.3 core, which ImGui's shaders need.
void hint_context(bool hidden) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, hidden ? GLFW_FALSE : GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
}

// GLFW 3.4 tries Wayland wherever its library is installed, and that library prints a line of its
// own if no compositor is named.
void hint_platform() {
#ifdef GLFW_PLATFORM
  if (std::getenv("WAYLAND_DISPLAY") == nullptr && std::getenv("WAYLAND_SOCKET") == nullptr)
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
}

int action_of(const InputEvent& key) {
  return key.repeats ? GLFW_REPEAT : key.is_down ? GLFW_PRESS : GLFW_RELEASE;
}

/// The position that ImGui has for a pointer outside the window.
constexpr double kNowhere = -static_cast<double>(FLT_MAX);

template <typename Buttons>
bool is_any_set(const Buttons& buttons) {
  return std::ranges::any_of(buttons, [](bool button) { return button; });
}

/// From 1.87 on, ImGui itself deals out input over frames, nearly as `InputQueue` does.
constexpr bool kImGuiQueues = IMGUI_VERSION_NUM >= 18700;

/// Starts ImGui's frame. A modifier released after a key press waits for the next frame: ImGui
/// would show both at once, as A alone, where `InputQueue` shows Ctrl+A.
void begin_imgui_frame() {
#if IMGUI_VERSION_NUM < 18700
  ImGui::NewFrame();
#else
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  const auto is_modifier = [](const ImGuiInputEvent& event) {
    return (event.Key.Key & ImGuiMod_Mask_) != 0;
  };
  bool has_press = false;
  auto* const rest = std::find_if(queue.begin(), queue.end(), [&](const auto& event) {
    if (event.Type != ImGuiInputEventType_Key) {
      return false;
    }
    has_press = has_press || (event.Key.Down && !is_modifier(event));
    return has_press && !event.Key.Down && is_modifier(event);
  });
  const std::vector<ImGuiInputEvent> later(rest, queue.end());
  queue.resize(static_cast<int>(rest - queue.begin()));
  ImGui::NewFrame();
  // After the events that ImGui itself has left for later.
  for (const ImGuiInputEvent& event : later) {
    queue.push_back(event);
  }
#endif
}

/// Whether OpenGL is Mesa's software.
bool is_llvmpipe() {
  const auto* const name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return name != nullptr && std::string_view(name).starts_with("llvmpipe");
}

Window& self_of(GLFWwindow* window) {
  return *static_cast<Window*>(glfwGetWindowUserPointer(window));
}

}  // namespace

Result<std::unique_ptr<Window>> Window::open(const WindowOptions& options) {
  hint_platform();
  if (glfwInit() != GLFW_TRUE) {
    return Error{ErrorCode::kUsage, "there is no display to open a window on (" + why_no_display() +
                                        "); tidemark report and plot need none"};
  }
  hint_context(options.hidden);
  GLFWwindow* const handle =
      glfwCreateWindow(options.width, options.height, "tidemark", nullptr, nullptr);
  if (handle == nullptr) {
    Error error{ErrorCode::kUsage,
                "the display has no OpenGL 3.3; tidemark report and plot need none"};
    glfwTerminate();
    return error;
  }
  return std::unique_ptr<Window>(new Window(handle));
}

Window::Window(GLFWwindow* handle) : handle_(handle) {
  glfwMakeContextCurrent(handle_);
  glfwSwapInterval(1);
  glfwSetWindowUserPointer(handle_, this);
  glfwSetDropCallback(handle_, [](GLFWwindow* window, int count, const char** paths) {
    self_of(window).dropped_.assign(paths, paths + count);
  });
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // We have settings of our own.
  ImGui_ImplGlfw_InitForOpenGL(handle_, kImGuiQueues);
  if (!kImGuiQueues) {
    listen();
  }
  ImGui_ImplOpenGL3_Init("#version 330 core");
  if (is_llvmpipe()) {
    reorderer_ = std::make_unique<ListReorderer>();
  }
}

Window::~Window() {
  reorderer_.reset();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(handle_);
  glfwTerminate();
}

double Window::content_scale() const {
  float x = 1;
  float y = 1;
  glfwGetWindowContentScale(handle_, &x, &y);
  return std::clamp(static_cast<double>(x), 0.5, 4.0);
}

bool Window::should_close() const {
  return glfwWindowShouldClose(handle_) == GLFW_TRUE;
}

void Window::set_title(const std::string& title) {
  glfwSetWindowTitle(handle_, analyzer::shown_text(title).c_str());
}

std::vector<std::string> Window::take_dropped() {
  return std::exchange(dropped_, {});
}

void Window::listen() {
  glfwSetWindowFocusCallback(handle_, ImGui_ImplGlfw_WindowFocusCallback);
  glfwSetCursorEnterCallback(handle_, [](GLFWwindow* window, int has_entered) {
    ImGui_ImplGlfw_CursorEnterCallback(window, has_entered);
    if (has_entered == GLFW_FALSE) {
      self_of(window).input_.push({.kind = InputEvent::Kind::kMove, .x = kNowhere, .y = kNowhere});
    }
  });
  glfwSetCursorPosCallback(handle_, [](GLFWwindow* window, double x, double y) {
    self_of(window).input_.push({.kind = InputEvent::Kind::kMove, .x = x, .y = y});
  });
  glfwSetMouseButtonCallback(handle_, [](GLFWwindow* window, int button, int action, int held) {
    self_of(window).input_.push({.kind = InputEvent::Kind::kButton,
                                 .code = button,
                                 .is_down = action == GLFW_PRESS,
                                 .modifiers = held});
  });
  glfwSetScrollCallback(handle_, [](GLFWwindow* window, double x, double y) {
    self_of(window).input_.push({.kind = InputEvent::Kind::kScroll, .x = x, .y = y});
  });
  glfwSetKeyCallback(handle_, [](GLFWwindow* window, int key, int scancode, int action, int held) {
    self_of(window).input_.push({.kind = InputEvent::Kind::kKey,
                                 .code = key,
                                 .scancode = scancode,
                                 .is_down = action != GLFW_RELEASE,
                                 .repeats = action == GLFW_REPEAT,
                                 .modifiers = held});
  });
  glfwSetCharCallback(handle_, [](GLFWwindow* window, unsigned int character) {
    self_of(window).input_.push(
        {.kind = InputEvent::Kind::kText, .code = static_cast<int>(character)});
  });
}

/// Passes the turn's events to ImGui as if they happened now. Pointer state is set later, by
/// `show_pointer`, as the backend overwrites it with the window system's current one.
void Window::take_turn() {
  turn_ = input_.take_turn();
  for (const InputEvent& event : turn_) {
    switch (event.kind) {
      case InputEvent::Kind::kMove:
        // A dragged thing stays where it was until the pointer is back.
        if (event.x != kNowhere || !is_any_set(buttons_)) {
          pointer_ = event;
          has_pointer_ = true;
        }
        break;
      case InputEvent::Kind::kButton:
        if (static_cast<std::size_t>(event.code) < buttons_.size()) {
          buttons_.at(static_cast<std::size_t>(event.code)) = event.is_down;
        }
        break;
      case InputEvent::Kind::kScroll:
        ImGui_ImplGlfw_ScrollCallback(handle_, event.x, event.y);
        break;
      case InputEvent::Kind::kKey:
        ImGui_ImplGlfw_KeyCallback(handle_, event.code, event.scancode, action_of(event),
                                   event.modifiers);
        break;
      case InputEvent::Kind::kText:
        ImGui_ImplGlfw_CharCallback(handle_, static_cast<unsigned int>(event.code));
        break;
    }
  }
}

void Window::show_pointer() const {
  ImGuiIO& io = ImGui::GetIO();
  const bool is_elsewhere = io.MousePos.x == -FLT_MAX;
  if (has_pointer_ && !is_elsewhere) {
    io.MousePos = {static_cast<float>(pointer_.x), static_cast<float>(pointer_.y)};
  }
  std::ranges::copy(buttons_, std::begin(io.MouseDown));
}

std::vector<int> Window::pressed_keys() const {
  std::vector<int> pressed;
#if IMGUI_VERSION_NUM < 18700
  for (const InputEvent& event : turn_) {
    if (event.kind == InputEvent::Kind::kKey && event.is_down) {
      pressed.push_back(event.code);
    }
  }
#else
  const auto add_row = [&](ImGuiKey first, int code, int count) {
    for (int i = 0; i < count; ++i) {
      if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(first + i))) {
        pressed.push_back(code + i);
      }
    }
  };
  add_row(ImGuiKey_A, GLFW_KEY_A, 26);
  add_row(ImGuiKey_0, GLFW_KEY_0, 10);
  add_row(ImGuiKey_LeftArrow, GLFW_KEY_LEFT, 1);
  add_row(ImGuiKey_RightArrow, GLFW_KEY_RIGHT, 1);
  add_row(ImGuiKey_UpArrow, GLFW_KEY_UP, 1);
  add_row(ImGuiKey_DownArrow, GLFW_KEY_DOWN, 1);
  add_row(ImGuiKey_Backspace, GLFW_KEY_BACKSPACE, 1);
  add_row(ImGuiKey_Escape, GLFW_KEY_ESCAPE, 1);
#endif
  return pressed;
}

void Window::wait(double seconds) {
  if (seconds < 0) {
    glfwWaitEvents();
  } else if (seconds == 0) {
    glfwPollEvents();
  } else {
    glfwWaitEventsTimeout(seconds);
  }
}

void Window::wake() {
  glfwPostEmptyEvent();
}

void Window::begin_frame() {
  const bool is_first = ImGui::GetFrameCount() == 0;
  ImGui_ImplOpenGL3_NewFrame();
  if (is_first) {
    // OpenGL has its own copy of the fonts' texture now.
    ImGui::GetIO().Fonts->ClearTexData();
  }
  if (!kImGuiQueues) {
    take_turn();
  }
  ImGui_ImplGlfw_NewFrame();
  if (!kImGuiQueues) {
    show_pointer();
  }
  begin_imgui_frame();
}

bool Window::has_input() {
  const ImGuiIO& io = ImGui::GetIO();
  return io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 ||
         io.MouseWheelH != 0 || !io.InputQueueCharacters.empty() || is_any_set(io.MouseClicked) ||
         is_any_set(io.MouseReleased);
}

bool Window::has_waiting_input() const {
#if IMGUI_VERSION_NUM < 18700
  return !input_.empty();
#else
  return !ImGui::GetCurrentContext()->InputEventsQueue.empty();
#endif
}

void Window::end_frame(const picture::Colour& background, Pixels* pixels) {
  ImGui::Render();
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(handle_, &width, &height);
  glViewport(0, 0, width, height);
  glClearColor(static_cast<float>(background.red), static_cast<float>(background.green),
               static_cast<float>(background.blue), 1);
  glClear(GL_COLOR_BUFFER_BIT);
  if (reorderer_) {
    reorderer_->reorder(*ImGui::GetDrawData());
  }
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (pixels != nullptr) {
    *pixels = {width, height,
               std::vector<std::uint8_t>(4 * static_cast<std::size_t>(width) *
                                         static_cast<std::size_t>(height))};
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels->rgba.data());
    const std::size_t row = 4 * static_cast<std::size_t>(width);
    for (int y = 0; y < height / 2; ++y) {  // OpenGL's rows come from the bottom.
      const auto top = pixels->rgba.begin() + static_cast<std::ptrdiff_t>(row) * y;
      const auto bottom =
          pixels->rgba.begin() + static_cast<std::ptrdiff_t>(row) * (height - 1 - y);
      std::swap_ranges(top, top + static_cast<std::ptrdiff_t>(row), bottom);
    }
  }
  glfwSwapBuffers(handle_);
}

}  // namespace tidemark::gui
