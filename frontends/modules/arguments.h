// Arguments of a kernel as a user writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/modules/program.h"
#include "frontends/modules/texture_argument.h"
#include "frontends/npy/npy.h"
#include "sim/exec/launch.h"
#include "sim/exec/memory.h"

namespace heddle::modules {

struct Argument {
  uint64_t bits = 0;  // the value, or the buffer's address
  // Of a buffer: what is in it at first. Without its bytes, which are in the memory.
  std::optional<npy::Array> buffer;
  std::optional<TextureObject> texture;  // what `bits` is the handle of; `buffer` has its shape
};

// What arguments may be, for messages and help.
inline constexpr const char* kArgumentForms =
    "a number, FILE.npy, buffer:BYTES, zeros:TYPE:COUNT, ones:TYPE:COUNT, arange:TYPE:COUNT, "
    "texture:ARRAY[,OPTION=VALUE...], surface:ARRAY[,OPTION=VALUE...]";

// A number of the parameter's type, or a buffer that is allocated and filled. Throws Error that says what is
// legal.
Argument argument(const std::string& text, const Parameter& parameter, exec::Memory& memory);

// FILE.npy, buffer:BYTES, zeros:TYPE:COUNT, ones:TYPE:COUNT, arange:TYPE:COUNT; nothing when it is none of
// them. Without its bytes when all are 0. Throws Error for what is wrong with the file.
std::optional<npy::Array> array_of(const std::string& text);

// What a buffer holds now.
npy::Array contents(const Argument& argument, const exec::Memory& memory);

}  // namespace heddle::modules
