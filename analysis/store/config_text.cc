#include "analysis/store/config_text.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/fnv.h"

namespace heddle::analysis {
namespace {

using Lines = std::vector<std::string_view>;

// "# as run 1 (0123456789abcdef), but for\n", then for each change "@LINE,REMOVED,ADDED\n" and the added
// lines. LINE counts the base's from 0. The hash is the base's.
constexpr std::string_view kHead = "# as run ", kBase = " (", kBehind = "), but for\n";
constexpr size_t kWindow = 64;  // lines after which two texts have to agree again

Lines lines_of(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t length = end == std::string_view::npos ? text.size() : end + 1;
    out.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

std::string hash_of(std::string_view text) {
  Fnv h;
  h.add(text);
  return fmt::format("{:016x}", h.value());
}

struct Step {
  size_t removed = 0, added = 0;
};

// The shortest step behind which both have the same line, or to their ends.
Step step(const Lines& a, size_t i, const Lines& b, size_t k) {
  for (size_t sum = 1; sum <= kWindow; ++sum) {
    for (size_t removed = 0; removed <= sum; ++removed) {
      const size_t at = i + removed, to = k + sum - removed;
      if (at < a.size() && to < b.size() && a[at] == b[to]) {
        return {removed, sum - removed};
      }
    }
  }
  return {a.size() - i, b.size() - k};
}

// Takes a number and the character behind it off `text`.
uint64_t take(std::string_view& text, char behind) {
  uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end == text.data() + text.size() || *end != behind) {
    throw Error("a configuration's text is damaged");
  }
  text.remove_prefix(static_cast<size_t>(end + 1 - text.data()));
  return n;
}

}  // namespace

std::string config_changes(std::string_view base, int64_t base_run, std::string_view text) {
  const Lines a = lines_of(base), b = lines_of(text);
  std::string out = fmt::format("{}{}{}{}{}", kHead, base_run, kBase, hash_of(base), kBehind);
  for (size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    if (i < a.size() && k < b.size() && a[i] == b[k]) {
      ++i;
      ++k;
      continue;
    }
    const Step s = step(a, i, b, k);
    out += fmt::format("@{},{},{}\n", i, s.removed, s.added);
    for (size_t n = 0; n < s.added; ++n) {
      out += b[k + n];
    }
    i += s.removed;
    k += s.added;
  }
  // A last line without an end would run into the next change.
  return out.size() < text.size() && text.ends_with('\n') ? out : std::string(text);
}

std::optional<int64_t> base_of(std::string_view stored) {
  if (!stored.starts_with(kHead)) {
    return std::nullopt;
  }
  std::string_view rest = stored.substr(kHead.size());
  int64_t run = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), run);
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  // Before there were changes, a comment stood there: such a text is nobody's.
  return error == std::errc() && rest.starts_with(kBase) ? std::optional(run) : std::nullopt;
}

std::string whole_config(std::string_view stored, std::string_view base) {
  const size_t head = stored.find(kBehind);
  if (!base_of(stored) || head == std::string_view::npos ||
      !stored.substr(0, head).ends_with(hash_of(base))) {
    throw Error("a configuration's text does not belong to that of the run that it names");
  }
  const Lines a = lines_of(base);
  std::string out;
  size_t i = 0;
  for (std::string_view rest = stored.substr(head + kBehind.size()); !rest.empty();) {
    if (rest.front() != '@') {
      throw Error("a configuration's text is damaged");
    }
    rest.remove_prefix(1);
    const uint64_t at = take(rest, ','), removed = take(rest, ','), added = take(rest, '\n');
    if (at < i || at > a.size() || removed > a.size() - at) {
      throw Error("a configuration's text is damaged");
    }
    for (; i < at; ++i) {
      out += a[i];
    }
    i += removed;
    for (uint64_t n = 0; n < added; ++n) {
      const size_t end = rest.find('\n');
      if (end == std::string_view::npos) {
        throw Error("a configuration's text is damaged");
      }
      out += rest.substr(0, end + 1);
      rest.remove_prefix(end + 1);
    }
  }
  for (; i < a.size(); ++i) {
    out += a[i];
  }
  return out;
}

}  // namespace heddle::analysis
