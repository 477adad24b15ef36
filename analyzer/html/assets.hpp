/// The files of `assets/`, built in: `embed_assets.cmake` makes their definitions.
#pragma once

#include <string_view>

namespace tidemark::html {

extern const std::string_view kPage;        ///< page.html.
extern const std::string_view kStyle;       ///< All style sheets, one after the other.
extern const std::string_view kScript;      ///< All scripts, one after the other.
extern const std::string_view kScriptHash;  ///< `sha256-...` of kScript, as a policy names it.

}  // namespace tidemark::html
