// What the opcodes of asynchronous copies and of barrier objects say (isa/async_op.h).
#pragma once

#include <string_view>

#include "sim/isa/async_op.h"

namespace heddle::sass {

// Of UBLKCP, UTMALDG and their like, with modifiers; kNone for what is none of them.
isa::AsyncOp async_op(std::string_view opcode);
// Of SYNCS and ARRIVES. An operation that is not known is kOther.
isa::SyncsForm syncs_form(std::string_view opcode);

}  // namespace heddle::sass
