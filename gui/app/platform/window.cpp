#include "gui/app/platform/window.hpp"

#include "analyzer/text/shown_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

namespace tidemark::gui {
namespace {

/// Why there is no display, as far as it can be told from outside.
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

/// A context that a driver offers under another name is no good: ImGui's shaders need this one.
void hint_context(bool hidden) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, hidden ? GLFW_FALSE : GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
}

// GLFW 3.4 tries Wayland wherever its library is, and that one prints a line of its own where
// nobody has spoken of a compositor.
void hint_platform() {
#ifdef GLFW_PLATFORM
  if (std::getenv("WAYLAND_DISPLAY") == nullptr && std::getenv("WAYLAND_SOCKET") == nullptr)
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
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
  // Before ImGui's own callbacks, which call the ones they find.
  glfwSetDropCallback(handle_, [](GLFWwindow* window, int count, const char** paths) {
    auto* const self = static_cast<Window*>(glfwGetWindowUserPointer(window));
    self->dropped_.assign(paths, paths + count);
  });
  glfwSetKeyCallback(handle_, [](GLFWwindow* window, int key, int, int action, int) {
    if (action != GLFW_RELEASE) {
      static_cast<Window*>(glfwGetWindowUserPointer(window))->keys_.push_back(key);
    }
  });
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // What is kept is kept in settings of our own.
  ImGui_ImplGlfw_InitForOpenGL(handle_, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  ImGui::GetIO().UserData = flat_program_.get();  // For the painter of scenes.
}

Window::~Window() {
  flat_program_.reset();
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

std::vector<int> Window::take_keys() {
  return std::exchange(keys_, {});
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
    // OpenGL has the fonts' texture now.
    ImGui::GetIO().Fonts->ClearTexData();
  }
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
}

bool Window::has_input() {
  const ImGuiIO& io = ImGui::GetIO();
  const auto is_set = [](bool button) { return button; };
  return io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 ||
         io.MouseWheelH != 0 || !io.InputQueueCharacters.empty() ||
         std::ranges::any_of(io.MouseClicked, is_set) ||
         std::ranges::any_of(io.MouseReleased, is_set);
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
