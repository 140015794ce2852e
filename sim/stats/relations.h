// What must hold between the counters of a launch, whatever it is: the catalogue's second half. A change that
// counts something twice or not at all breaks one of these on some kernel.
//
// They hold exactly, for launches of which every block was simulated; estimates (Sampling) are rounded one by
// one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::stats {

// `factor` times a metric of the catalogue, or, in warp-cycles, "stalls" (all states together) or
// "stalls.REASON".
struct RelationTerm {
  std::string_view name;
  uint32_t factor = 1;
};

struct Relation {
  enum class Kind : uint8_t { kEqual, kAtMost };
  std::vector<RelationTerm> left;  // their sum
  Kind kind = Kind::kEqual;
  std::vector<RelationTerm> right;
  std::string_view why;

  // "a + 32 b <= c".
  std::string text() const;
  // `value` gives each term's.
  bool holds(const std::function<double(std::string_view name)>& value) const;
};

const std::vector<Relation>& relations();

}  // namespace heddle::stats
