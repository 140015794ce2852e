// Text from files, for terminals and messages.
#pragma once

#include <string>
#include <string_view>

namespace heddle::input {

// `text` with control characters (C0, DEL, C1) and bytes that are not UTF-8 as \xNN: nothing in it moves the
// cursor or sounds a bell. The second keeps line ends and tabs.
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);

}  // namespace heddle::input
