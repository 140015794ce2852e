#include "frontends/trace/elements.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace heddle::trace {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// Whether the field becomes an element of a list, of numbers aside: these are not longer in memory than twice
// their bytes here. What the schema does not know is kept in a list, too.
bool is_element(const FieldDescriptor* field, WireFormatLite::WireType wire) {
  if (!field) {
    return true;
  }
  const bool text =
      field->type() == FieldDescriptor::TYPE_MESSAGE || field->type() == FieldDescriptor::TYPE_BYTES;
  const bool fits =
      wire == (text ? WireFormatLite::WIRETYPE_LENGTH_DELIMITED : WireFormatLite::WIRETYPE_VARINT) ||
      (wire == WireFormatLite::WIRETYPE_LENGTH_DELIMITED && field->is_packed());
  return !fits || (text && field->is_repeated());
}

// Up to the stream's end or limit. False when `left` is used up, or where parsing would end.
bool count(CodedInputStream& in, const Descriptor& type, uint64_t& left) {
  while (const uint32_t tag = in.ReadTag()) {
    const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    const WireFormatLite::WireType wire = WireFormatLite::GetTagWireType(tag);
    if (is_element(field, wire) && left-- == 0) {
      return false;
    }
    if (field && field->type() == FieldDescriptor::TYPE_MESSAGE &&
        wire == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      int bytes = 0;
      if (!in.ReadVarintSizeAsInt(&bytes)) {
        return false;
      }
      const CodedInputStream::Limit outer = in.PushLimit(bytes);
      if (!count(in, *field->message_type(), left)) {
        return false;
      }
      in.PopLimit(outer);
    } else if (wire == WireFormatLite::WIRETYPE_START_GROUP || !WireFormatLite::SkipField(&in, tag)) {
      return false;
    }
  }
  return in.ConsumedEntireMessage();
}

}  // namespace

bool has_at_most(std::string_view message, const Descriptor& type, uint64_t most) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(message.data()), static_cast<int>(message.size()));
  return count(in, type, most);
}

}  // namespace heddle::trace
