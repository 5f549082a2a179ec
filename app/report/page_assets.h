// The style sheet and the script of every page: the contents of page.css and page.js.
#pragma once

namespace parallax::app {

extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace parallax::app
