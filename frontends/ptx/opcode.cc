#include "frontends/ptx/opcode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/ptx/source.h"

namespace heddle::ptx {
namespace {

constexpr std::string_view kWords[] = {
#define HEDDLE_PTX_X(name, words) words,
    HEDDLE_PTX_OPCODES(HEDDLE_PTX_X)
#undef HEDDLE_PTX_X
};

constexpr struct {
  std::string_view words;
  Opcode opcode;
} kAlso[] = {
    {"bar.cta.sync", Opcode::kBarSync},
    {"bar.cta.arrive", Opcode::kBarArrive},
    {"bar.cta.red", Opcode::kBarRed},
    {"barrier.cta.sync", Opcode::kBarrierSync},
    {"barrier.cta.arrive", Opcode::kBarrierArrive},
    {"barrier.cta.red", Opcode::kBarrierRed},
    {"mma.sp::ordered_metadata", Opcode::kMmaSp},
    {"wgmma.mma_async.sp::ordered_metadata", Opcode::kWgmmaMmaAsyncSp},
};

// ptx.md 2.13: what arrived with Blackwell.
constexpr struct {
  std::string_view words;
  std::string_view target;
} kLater[] = {{"clusterlaunchcontrol", "sm_100"}, {"st.bulk", "sm_100"}, {"fabric", "sm_100"}};

const std::unordered_map<std::string_view, Opcode>& names() {
  static const auto* const kNames = [] {
    auto* out = new std::unordered_map<std::string_view, Opcode>;  // lives as long as the program
    for (size_t i = 0; i < std::size(kWords); ++i) {
      out->emplace(kWords[i], static_cast<Opcode>(i));
    }
    for (const auto& also : kAlso) {
      out->emplace(also.words, also.opcode);
    }
    return out;
  }();
  return *kNames;
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find('.')); }

// Levenshtein's distance of two short words.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view words(Opcode opcode) { return kWords[static_cast<size_t>(opcode)]; }

std::optional<OpcodePrefix> opcode_of(std::string_view text) {
  std::optional<OpcodePrefix> longest;
  size_t end = text.find('.');
  for (int word = 0; word < 5; ++word) {
    const std::string_view prefix = text.substr(0, end);
    if (const auto it = names().find(prefix); it != names().end()) {
      longest = {it->second, prefix.size()};
    }
    if (end == std::string_view::npos) {
      break;
    }
    end = text.find('.', end + 1);
  }
  return longest;
}

std::string_view later_target(std::string_view text) {
  for (const auto& later : kLater) {
    const std::string_view rest = text.substr(std::min(later.words.size(), text.size()));
    if (text.starts_with(later.words) && (rest.empty() || rest.front() == '.')) {
      return later.target;
    }
  }
  return {};
}

std::string similar_opcodes(std::string_view text) {
  const std::string_view first = first_word(text).substr(0, 24);
  std::vector<std::string> same;
  std::vector<std::string> near;
  for (const std::string_view name : kWords) {
    if (first_word(name) == first) {
      same.emplace_back(name);
    } else if (distance(first_word(name), first) <= (first.size() > 3 ? 2 : 1)) {
      near.emplace_back(name);
    }
  }
  std::vector<std::string> found = same.empty() ? near : same;
  if (found.empty()) {
    return "an operation of PTX 9.0 such as add, ld, setp, bra";
  }
  std::sort(found.begin(), found.end());
  return joined(found);
}

}  // namespace heddle::ptx
