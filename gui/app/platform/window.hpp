/// One window with OpenGL 3.3 and a Dear ImGui context.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "collector/trace/types/result.hpp"
#include "gui/app/platform/list_reorderer.hpp"
#include "gui/view/basics/input_queue.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct GLFWwindow;

namespace tidemark::gui {

struct WindowOptions {
  int width = 1600;
  int height = 900;
  bool hidden = false;  ///< Not shown on screen, for screenshots.
};

/// Rows from the top, four bytes per pixel: red, green, blue, and one without meaning.
struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

/// At most one exists at a time.
class Window {
 public:
  /// @return kUsage in one sentence when there is no display, or no OpenGL 3.3.
  static Result<std::unique_ptr<Window>> open(const WindowOptions& options);
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window();

  /// Pixels per unit of the desktop: 2 on a screen at 200 %.
  [[nodiscard]] double content_scale() const;
  [[nodiscard]] bool should_close() const;
  void set_title(const std::string& title);
  /// Files dropped onto the window since the last call.
  std::vector<std::string> take_dropped();
  /// Waits for input or `wake`, at most `seconds`; 0: does not wait; below 0: for ever.
  void wait(double seconds);
  /// From any thread: ends a `wait`.
  static void wake();

  /// ImGui may be used between `begin_frame` and `end_frame`.
  void begin_frame();
  /// Keys that the current frame sees go down or repeat, as GLFW numbers. No key belongs to typed
  /// text, provided the caller asks `ImGuiIO::WantTextInput` in the same frame.
  [[nodiscard]] std::vector<int> pressed_keys() const;
  /// Whether the current frame sees new pointer or keyboard input.
  [[nodiscard]] static bool has_input();
  /// Whether there is input that no frame has seen yet.
  [[nodiscard]] bool has_waiting_input() const;
  /// @param pixels gets what was drawn, unless null.
  void end_frame(const picture::Colour& background, Pixels* pixels);

 private:
  explicit Window(GLFWwindow* handle);
  void listen();
  void take_turn();
  void show_pointer() const;

  GLFWwindow* handle_;
  std::unique_ptr<ListReorderer> reorderer_;  // Only where OpenGL renders in software.
  std::vector<std::string> dropped_;
  // Empty if ImGui has a queue of its own.
  InputQueue input_;
  std::vector<InputEvent> turn_;  // What the current frame sees.
  InputEvent pointer_;
  std::array<bool, 3> buttons_{};
  bool has_pointer_ = false;
};

}  // namespace tidemark::gui
