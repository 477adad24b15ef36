#version 450
// Packs a matrix of rows for reads of four rows at a time: element k of rows 4n to 4n + 3 becomes
// the vector at n * columns + k. Rows that the last four lack are zeros.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Packed { vec4 packed[]; };

layout(push_constant) uniform Shape {
  uint rows;
  uint columns;
};

float element(uint row, uint column) {
  return row < rows ? source[row * columns + column] : 0.0;
}

void main() {
  const uint row_of_groups = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  const uint at = gl_GlobalInvocationID.y * row_of_groups + gl_GlobalInvocationID.x;
  if (at >= (rows + 3) / 4 * columns) {
    return;
  }
  const uint row = at / columns * 4;
  const uint column = at % columns;
  packed[at] = vec4(element(row, column), element(row + 1, column), element(row + 2, column),
                    element(row + 3, column));
}
