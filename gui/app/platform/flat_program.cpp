#define GL_GLEXT_PROTOTYPES
#include "gui/app/platform/flat_program.hpp"

#include <GL/gl.h>
#include <GL/glext.h>

namespace tidemark::gui {
namespace {

// The colour is not `flat`, though all corners of an area have the same one: llvmpipe recognises
// two triangles as a rectangle only if all inputs are interpolated.
constexpr const char* kVertexShader = R"(#version 330 core
in vec2 Position;
in vec4 Color;
uniform mat4 ProjMtx;
out vec4 colour;
void main() {
  colour = Color;
  gl_Position = ProjMtx * vec4(Position, 0, 1);
}
)";

constexpr const char* kFragmentShader = R"(#version 330 core
in vec4 colour;
layout(location = 0) out vec4 painted;
void main() {
  painted = colour;
}
)";

void attach(GLuint program, GLenum kind, const char* source) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  glAttachShader(program, shader);
  glDeleteShader(shader);  // Deleted with the program.
}

/// ImGui's vertex buffers stay bound, so each attribute must have its location in ImGui's program.
void keep_place(GLuint program, GLuint imgui, const char* name) {
  if (const GLint place = glGetAttribLocation(imgui, name); place >= 0) {
    glBindAttribLocation(program, static_cast<GLuint>(place), name);
  }
}

}  // namespace

FlatProgram::~FlatProgram() {
  if (program_ != 0) {
    glDeleteProgram(program_);
  }
}

ImDrawCmd FlatProgram::switch_to(PixelKind kind) {
  ImDrawCmd command;
  command.UserCallback = kind == PixelKind::kOpaque    ? use_opaque
                         : kind == PixelKind::kBlended ? use_blended
                                                       : use_textured;
  command.UserCallbackData = this;
  return command;
}

void FlatProgram::use_opaque(const ImDrawList* /*list*/, const ImDrawCmd* command) {
  static_cast<FlatProgram*>(command->UserCallbackData)->use();
  glDisable(GL_BLEND);
}

void FlatProgram::use_blended(const ImDrawList* /*list*/, const ImDrawCmd* command) {
  static_cast<FlatProgram*>(command->UserCallbackData)->use();
  glEnable(GL_BLEND);
}

void FlatProgram::use_textured(const ImDrawList* /*list*/, const ImDrawCmd* command) {
  glUseProgram(static_cast<FlatProgram*>(command->UserCallbackData)->imgui_);
  glEnable(GL_BLEND);
}

/// If linking failed, ImGui's program stays in use: the same picture, but slower.
void FlatProgram::use() {
  if (!is_tried_) {
    is_tried_ = true;
    link();
  }
  if (program_ == 0) {
    return;
  }
  const ImDrawData& data = *ImGui::GetDrawData();
  const float x = data.DisplayPos.x;
  const float y = data.DisplayPos.y;
  const float width = data.DisplaySize.x;
  const float height = data.DisplaySize.y;
  const float projection[4][4] = {{2 / width, 0, 0, 0},
                                  {0, -2 / height, 0, 0},
                                  {0, 0, -1, 0},
                                  {-(2 * x + width) / width, (2 * y + height) / height, 0, 1}};
  glUseProgram(program_);
  glUniformMatrix4fv(projection_, 1, GL_FALSE, &projection[0][0]);
}

void FlatProgram::link() {
  GLint imgui = 0;
  glGetIntegerv(GL_CURRENT_PROGRAM, &imgui);
  imgui_ = static_cast<GLuint>(imgui);
  const GLuint program = glCreateProgram();
  attach(program, GL_VERTEX_SHADER, kVertexShader);
  attach(program, GL_FRAGMENT_SHADER, kFragmentShader);
  keep_place(program, imgui_, "Position");
  keep_place(program, imgui_, "Color");
  glLinkProgram(program);
  GLint is_linked = GL_FALSE;
  glGetProgramiv(program, GL_LINK_STATUS, &is_linked);
  if (is_linked != GL_TRUE) {
    glDeleteProgram(program);
    return;
  }
  program_ = program;
  projection_ = glGetUniformLocation(program, "ProjMtx");
}

}  // namespace tidemark::gui
