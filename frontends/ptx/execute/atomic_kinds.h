// What atomics and copies that reduce combine, as sim/exec/atomics.h counts it. Nothing where it has no such
// kind.
#pragma once

#include <optional>

#include "frontends/ptx/fields.h"
#include "frontends/ptx/type.h"
#include "sim/exec/atomics.h"

namespace heddle::ptx {

std::optional<exec::AtomicKind> atomic_kind(Combine c);
std::optional<exec::AtomicType> atomic_type(Type t);

}  // namespace heddle::ptx
