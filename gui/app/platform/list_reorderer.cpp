#include "gui/app/platform/list_reorderer.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <span>

namespace tidemark::gui {
namespace {

constexpr std::size_t kTriangle = 3;   ///< Indices of one.
constexpr std::size_t kRectangle = 6;  ///< Indices of two triangles.

using Indices = std::span<const ImDrawIdx>;

/// Two triangles over four neighbouring vertices, as ImGui makes rectangles and letters.
bool begins_with_rectangle(Indices indices) {
  return indices.size() >= kRectangle && indices[1] == indices[0] + 1 &&
         indices[2] == indices[0] + 2 && indices[3] == indices[0] && indices[4] == indices[2] &&
         indices[5] == indices[0] + 3;
}

bool is_same_call(const ImDrawCmd& a, const ImDrawCmd& b) {
  return a.ClipRect.x == b.ClipRect.x && a.ClipRect.y == b.ClipRect.y &&
         a.ClipRect.z == b.ClipRect.z && a.ClipRect.w == b.ClipRect.w &&
         a.GetTexID() == b.GetTexID() && a.VtxOffset == b.VtxOffset;
}

/// A shape by its corners.
class Corners {
 public:
  /// @param white where the texture is white, for shapes without one.
  void add(const ImDrawVert& corner, const ImVec2& white) {
    left_ = std::min(left_, corner.pos.x);
    top_ = std::min(top_, corner.pos.y);
    right_ = std::max(right_, corner.pos.x);
    bottom_ = std::max(bottom_, corner.pos.y);
    is_plain_ = is_plain_ && corner.uv.x == white.x && corner.uv.y == white.y;
    is_opaque_ = is_opaque_ && (corner.col & IM_COL32_A_MASK) == IM_COL32_A_MASK;
  }

  [[nodiscard]] PixelKind kind() const {
    return !is_plain_   ? PixelKind::kTextured
           : is_opaque_ ? PixelKind::kOpaque
                        : PixelKind::kBlended;
  }

  /// Sets where the shape is. @return false if nothing of it is to be seen.
  [[nodiscard]] bool place(DrawnShape& shape, const ImVec4& clip, const ImVec2& size) const {
    const float left = std::max({left_, clip.x, 0.0F});
    const float top = std::max({top_, clip.y, 0.0F});
    const float right = std::min({right_, clip.z, size.x});
    const float bottom = std::min({bottom_, clip.w, size.y});
    if (!(left < right && top < bottom)) {
      return false;
    }
    shape.left = static_cast<std::uint16_t>(left);
    shape.top = static_cast<std::uint16_t>(top);
    shape.right = static_cast<std::uint16_t>(std::ceil(right));
    shape.bottom = static_cast<std::uint16_t>(std::ceil(bottom));
    return true;
  }

 private:
  float left_ = FLT_MAX;
  float top_ = FLT_MAX;
  float right_ = -FLT_MAX;
  float bottom_ = -FLT_MAX;
  bool is_plain_ = true;
  bool is_opaque_ = true;
};

}  // namespace

void ListReorderer::reorder(ImDrawData& data) {
  for (int i = 0; i < data.CmdListsCount; ++i) {
    reorder(*data.CmdLists[i], data.DisplaySize);
  }
}

void ListReorderer::reorder(ImDrawList& list, const ImVec2& size) {
  calls_.clear();
  shapes_.clear();
  for (const ImDrawCmd& command : list.CmdBuffer) {
    add(list, command, size);
  }
  ImVector<ImDrawIdx> indices;
  indices.reserve(list.IdxBuffer.Size);
  ImVector<ImDrawCmd> commands;
  PixelKind kind = PixelKind::kTextured;
  const auto turn_to = [&](PixelKind next) {
    if (kind != next) {
      commands.push_back(program_.switch_to(next));
      kind = next;
    }
  };
  const auto batches = order_.batches_of(shapes_, static_cast<std::size_t>(std::ceil(size.x)),
                                         static_cast<std::size_t>(std::ceil(size.y)));
  for (const DrawBatch& batch : batches) {
    turn_to(batch.kind);
    ImDrawCmd call = calls_[batch.call];
    call.IdxOffset = static_cast<unsigned>(indices.Size);
    const std::size_t count = batch.has_rectangles ? kRectangle : kTriangle;
    call.ElemCount = static_cast<unsigned>(count * batch.first_indices.size());
    indices.resize(indices.Size + static_cast<int>(call.ElemCount));
    ImDrawIdx* next = indices.Data + call.IdxOffset;
    for (const std::uint32_t first : batch.first_indices) {
      next = std::copy_n(list.IdxBuffer.Data + first, count, next);
    }
    commands.push_back(call);
  }
  turn_to(PixelKind::kTextured);
  list.IdxBuffer.swap(indices);
  list.CmdBuffer.swap(commands);
}

void ListReorderer::add(const ImDrawList& list, const ImDrawCmd& command, const ImVec2& size) {
  const auto known = std::ranges::find_if(
      calls_, [&](const ImDrawCmd& call) { return is_same_call(call, command); });
  const auto call = static_cast<std::uint16_t>(known - calls_.begin());
  if (known == calls_.end()) {
    calls_.push_back(command);
  }
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
  const Indices indices(list.IdxBuffer.Data + command.IdxOffset, command.ElemCount);
  for (std::size_t at = 0; at < indices.size();) {
    const bool is_rectangle = begins_with_rectangle(indices.subspan(at));
    Corners corners;
    corners.add(vertices[indices[at]], white);
    corners.add(vertices[indices[at + 1]], white);
    corners.add(vertices[indices[at + 2]], white);
    if (is_rectangle) {
      corners.add(vertices[indices[at + 5]], white);
    }
    DrawnShape shape{.first_index = command.IdxOffset + static_cast<std::uint32_t>(at),
                     .call = call,
                     .kind = corners.kind(),
                     .is_rectangle = is_rectangle};
    if (corners.place(shape, command.ClipRect, size)) {
      shapes_.push_back(shape);
    }
    at += is_rectangle ? kRectangle : kTriangle;
  }
}

}  // namespace tidemark::gui
