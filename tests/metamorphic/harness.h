// Runs the sides of relations and says what does not hold.
#pragma once

#include <string>
#include <vector>

#include "tests/metamorphic/relation.h"

namespace heddle::metamorphic {

struct Violation {
  std::string measure;
  double off = 0;      // how far, of the right-hand side; always above 0
  bool exact = false;  // equal was expected
  std::string text;
};

// Of `relation` on `kernel`, on which it applies.
std::vector<Violation> violations(const Relation& relation, const Recording& kernel);

// Why the relation does not apply on the kernel; empty: it does.
std::string not_on(const Relation& relation, const Recording& kernel);

config::GpuConfig machine_of(const Side& side);

}  // namespace heddle::metamorphic
