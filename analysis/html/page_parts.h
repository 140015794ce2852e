// The files of page/, put into the program by the build.
#pragma once

#include <string_view>

namespace heddle::analysis {

// The text of page/`name`; empty for a name that there is none of.
std::string_view page_part(std::string_view name);

}  // namespace heddle::analysis
