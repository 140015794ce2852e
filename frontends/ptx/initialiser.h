// The values with which variables begin (ptx.md 1.5).
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "frontends/ptx/ast.h"
#include "frontends/ptx/module.h"

namespace heddle::ptx {

// What a symbol in an initialiser is: fills function and id of the relocation. Throws heddle::Error.
using FindSymbol = std::function<void(const ast::InitItem&, Relocation&)>;

// Puts `parts` (a value, or braces in braces) into the elements of `v`, whose type, vector and dimensions are
// known. An open first dimension becomes as long as there are values. Throws heddle::Error.
Initial initial_of(const Source& source, Variable& v, std::span<const ast::InitItem> parts,
                   const FindSymbol& find);

}  // namespace heddle::ptx
