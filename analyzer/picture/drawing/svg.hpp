/// A scene as SVG. Needs no drawing library.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"

#include <string>

namespace tidemark::picture {

/// The bytes of an SVG file. Text stays text, which can be searched and copied; in a font other
/// than the measured one it is fitted to the same width. The same scene gives the same bytes.
std::string svg_document(const Scene& scene);

}  // namespace tidemark::picture
