// Configurations of many runs in one file: a text is tens of kilobytes, and the points of a sweep differ in a
// few lines of it. A later run's `config_text` is then what changes in the lines of an earlier run's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::analysis {

// `text` as changes of `base`, the whole text of the run `base_run`; `text` itself where that is no longer.
std::string config_changes(std::string_view base, int64_t base_run, std::string_view text);

// The run whose text `stored` changes; nothing where it is a whole text.
std::optional<int64_t> base_of(std::string_view stored);

// The whole text again. Throws heddle::Error when `stored` is damaged, or made of another base.
std::string whole_config(std::string_view stored, std::string_view base);

}  // namespace heddle::analysis
