// All calls that are declared (program/call_type.h).
#pragma once

#include <string_view>
#include <vector>

#include "sim/host/program/call_type.h"

namespace heddle::host {

// Those that have an Op in its order, then the others.
const std::vector<const CallType*>& call_types();
// Never of Op::kOther.
const CallType& type_of(Op op);
// One with nothing but its type.
Call call_of(Op op);
// By CallType::field; null: none.
const CallType* type_named(std::string_view field);

}  // namespace heddle::host
