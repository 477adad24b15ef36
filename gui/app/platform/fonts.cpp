#include "gui/app/platform/fonts.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

namespace tidemark::gui {
namespace {

constexpr const char* kRegular = "DejaVuSans.ttf";
constexpr const char* kBold = "DejaVuSans-Bold.ttf";

/// Where Debian, Fedora and Arch put them.
std::string path_of(const char* file) {
  for (const char* const folder :
       {"/usr/share/fonts/truetype/dejavu/", "/usr/share/fonts/dejavu-sans-fonts/",
        "/usr/share/fonts/TTF/"}) {
    std::error_code error;
    if (std::filesystem::exists(std::string(folder) + file, error)) {
      return std::string(folder) + file;
    }
  }
  return {};
}

/// Names of functions, files and phases may be in any of these scripts.
const ImWchar* glyphs() {
  static const ImWchar ranges[] = {0x0020, 0x024f,  // Latin
                                   0x0370, 0x052f,  // Greek, Cyrillic
                                   0x2010, 0x2027,  // dashes, ellipsis
                                   0x2190, 0x2193,  // arrows
                                   0x2212, 0x2212,  // minus
                                   0x2264, 0x2265,  // at most, at least
                                   0x25a0, 0x25c6,  // triangles, diamond
                                   0};
  return ranges;
}

}  // namespace

Fonts::Fonts(const picture::Type& type) {
  add(kRegular, type.text, false);
  add(kRegular, type.small, false);
  add(kBold, type.text, true);
  add(kBold, type.title, true);
  title_ = faces_.back().font;
}

void Fonts::add(const char* file, double size, bool bold) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const std::string path = path_of(file);
  ImFontConfig config;
  config.SizePixels = static_cast<float>(std::round(size));
  ImFont* font = path.empty()
                     ? nullptr
                     : atlas.AddFontFromFileTTF(path.c_str(), config.SizePixels, &config, glyphs());
  if (font == nullptr) {
    font = atlas.AddFontDefault(&config);
  }
  faces_.push_back({font, size, bold});
}

const ImFont& Fonts::best(double size, bool bold) const {
  const auto off = [&](const Face& face) {
    return std::abs(face.size - size) + (face.bold == bold ? 0 : 100);
  };
  return *std::ranges::min_element(faces_, {}, off)->font;
}

picture::MeasureText Fonts::measure() const {
  return [this](const std::string& text, double size, bool bold) {
    const ImVec2 extent = best(size, bold)
                              .CalcTextSizeA(static_cast<float>(size), 1e9F, 0, text.data(),
                                             text.data() + text.size());
    return static_cast<double>(extent.x);
  };
}

}  // namespace tidemark::gui
