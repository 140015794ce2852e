// Instructions are decoded to the records of frontends/sass/record, which have the same names here.
#pragma once

#include "frontends/sass/record/text.h"

namespace heddle::cubin {

using sass::Decoded;
using sass::kMnemonics;
using sass::kMods;
using sass::kNoIndex;
using sass::kTruePredicate;
using sass::kZeroRegister;
using sass::kZeroUniform;
using sass::Mnemonic;
using sass::Mod;
using sass::Modifiers;
using sass::ModSet;
using sass::Opcode;
using sass::Operand;
using sass::Part;
using sass::Shape;
using sass::SpecialRegister;
using sass::Suffix;
using sass::text;
using sass::Word;

}  // namespace heddle::cubin
