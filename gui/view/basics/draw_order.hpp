/// The order in which a software renderer draws a list of shapes fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::gui {

/// What the pixels of a shape need, the cheapest first.
enum class PixelKind : std::uint8_t { kOpaque, kBlended, kTextured };

/// A triangle, or a rectangle of two.
struct DrawnShape {
  std::uint32_t first_index = 0;  ///< In the index buffer.
  /// All pixels that it may touch lie between these; right and bottom are excluded.
  std::uint16_t left = 0;
  std::uint16_t top = 0;
  std::uint16_t right = 0;
  std::uint16_t bottom = 0;
  std::uint16_t call = 0;  ///< Only shapes of the same draw call may be joined.
  PixelKind kind = PixelKind::kTextured;
  bool is_rectangle = false;
};

/// Shapes of the same state, which one call draws.
struct DrawBatch {
  std::uint16_t call = 0;
  PixelKind kind = PixelKind::kTextured;
  bool has_rectangles = false;
  std::vector<std::uint32_t> first_indices;  ///< One a shape.
};

/// Mesa's llvmpipe draws a rectangle several times as fast as two triangles, but only recognises
/// whole pairs of triangles as one. It works through 1024 indices at a time; 1023 of them make
/// whole triangles, an odd number of them, which would split a pair.
constexpr std::size_t kMaxRectanglesInBatch = 170;

/// Finds few batches that paint the same picture: a shape is drawn before an earlier one only if no
/// pixel is touched by both.
class DrawOrder {
 public:
  /// All shapes must be inside the picture.
  std::vector<DrawBatch> batches_of(std::span<const DrawnShape> shapes,
                                    std::size_t width,
                                    std::size_t height);

 private:
  struct Rows;

  void clear(std::size_t first);
  [[nodiscard]] std::size_t last_below(const DrawnShape& shape) const;
  void cover(const DrawnShape& shape, std::size_t batch);
  [[nodiscard]] Rows rows_of(const DrawnShape& shape) const;

  std::size_t columns_ = 0;
  std::vector<std::uint8_t> cells_;  ///< The last batch on some pixels, from `first_` on; or 0.
  std::size_t first_ = 0;
};

}  // namespace tidemark::gui
