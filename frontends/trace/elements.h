// Counts the elements of a message before it is parsed: an empty one takes two bytes of the file and a
// hundred of memory.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string_view>

namespace heddle::trace {

// False when the lists of messages and of bytes in `message`, which is of this type, have more than `most`
// elements in all, fields of unknown numbers counted in, or when it is no such message.
bool has_at_most(std::string_view message, const google::protobuf::Descriptor& type, uint64_t most);

}  // namespace heddle::trace
