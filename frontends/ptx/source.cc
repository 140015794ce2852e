#include "frontends/ptx/source.h"

#include <algorithm>
#include <cstddef>

#include "frontends/input/printable.h"

namespace heddle::ptx {

Place Source::place(uint32_t at) const {
  const std::string_view before = std::string_view(text_).substr(0, at);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t last = before.rfind('\n');
  const size_t start = last == std::string_view::npos ? 0 : last + 1;
  return {static_cast<uint32_t>(lines + 1), static_cast<uint32_t>(before.size() - start + 1)};
}

std::vector<uint32_t> Source::line_starts() const {
  std::vector<uint32_t> starts = {0};
  for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    starts.push_back(static_cast<uint32_t>(at + 1));
  }
  return starts;
}

std::string Source::message(uint32_t at, std::string_view what) const {
  const Place p = place(at);
  return input::printable(name_ + ":" + std::to_string(p.line) + ":" + std::to_string(p.column) + ": " +
                          std::string(what));
}

std::string quoted(std::string_view found) {
  constexpr size_t kMost = 60;
  found = found.substr(0, found.find('\n'));
  const bool cut = found.size() > kMost;
  return "'" + input::printable(found.substr(0, kMost)) + (cut ? "...'" : "'");
}

std::string joined(const std::vector<std::string>& words) {
  constexpr size_t kMost = 40;
  std::string out;
  for (size_t i = 0; i < words.size() && i < kMost; ++i) {
    out += (i == 0 ? "" : ", ") + words[i];
  }
  return words.size() > kMost ? out + ", ..." : out;
}

}  // namespace heddle::ptx
