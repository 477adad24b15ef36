/// One window with OpenGL 3.3 and a Dear ImGui context.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "collector/trace/types/result.hpp"
#include "gui/app/platform/flat_program.hpp"

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
  bool hidden = false;  ///< For pictures of it: nobody sees it.
};

/// Rows from the top, four bytes a pixel: red, green, blue, and one of no meaning.
struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

/// At most one at a time.
class Window {
 public:
  /// @return kUsage in one sentence when there is no display, or no OpenGL 3.3.
  static Result<std::unique_ptr<Window>> open(const WindowOptions& options);
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window();

  /// Pixels a unit of the desktop: 2 on a screen at 200 %.
  [[nodiscard]] double content_scale() const;
  [[nodiscard]] bool should_close() const;
  void set_title(const std::string& title);
  /// Files dropped onto the window since the last call.
  std::vector<std::string> take_dropped();
  /// Keys that went down since the last call, as GLFW numbers them. ImGui only knows which ones are
  /// down when a frame begins: a short press during a long frame would be lost.
  std::vector<int> take_keys();

  /// Waits for input or `wake`, at most `seconds`; 0: does not wait; below 0: for ever.
  void wait(double seconds);
  /// From any thread: ends a `wait`.
  static void wake();

  /// Between them ImGui may be used.
  void begin_frame();
  /// Whether the frame that has begun sees anything new of the pointer, or of what is typed.
  [[nodiscard]] static bool has_input();
  /// @param pixels gets what was drawn; null: nobody wants it.
  void end_frame(const picture::Colour& background, Pixels* pixels);

 private:
  explicit Window(GLFWwindow* handle);

  GLFWwindow* handle_;
  std::unique_ptr<FlatProgram> flat_program_ = std::make_unique<FlatProgram>();
  std::vector<std::string> dropped_;
  std::vector<int> keys_;
};

}  // namespace tidemark::gui
