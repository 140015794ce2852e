// The text of a kernel's machine code without what its encodings say: trace.proto's Listing. Encodings are a
// third of such a text, and what the disassembler makes of them is most of the rest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/trace/trace.pb.h"

namespace heddle::trace {

// The kinds of Listing.lines.
enum class ListingLine : uint8_t {
  kVerbatim,  // all of it is in `text`
  kMade,  // "OFFSET LOW HIGH TEXT ;": the offset is that of the line before and 16, TEXT the disassembler's
  kMadeBare,  // the same, without the space before the semicolon
  kWorded,    // offset and encoding as in those, TEXT and all behind it in `text`
};

// `capability`: of the kernel; 0, or one that the disassembler does not know: encodings only are left out.
// False, and `out` as it was, when the text does not end with a line feed.
bool put_listing(std::string_view sass, uint32_t capability, pb::Listing& out);

// The same text. Throws heddle::Error, "WHERE: what", when `in` is no such listing, when the text is longer
// than input::Limits::code_bytes, or when it is not the one that was written: a disassembler that writes an
// instruction in other words than NVIDIA's did when it was recorded.
std::string get_listing(const pb::Listing& in, uint32_t capability, const std::string& where);

}  // namespace heddle::trace
