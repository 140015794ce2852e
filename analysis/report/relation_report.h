// Whether a launch's counters are consistent with each other (sim/stats/relations.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/store/record.h"
#include "sim/stats/relations.h"

namespace heddle::analysis {

// A line per relation that does not hold: "a = b + c: 5 against 6". Not for launches whose counters are
// estimates (Sampling::sampled): those hold only roughly.
std::vector<std::string> broken_relations(const LaunchRecord& launch);

// All relations with their reasons; only those that have `part` in the name of a counter.
std::string relations_text(std::string_view part);

}  // namespace heddle::analysis
