#include "frontends/workload/read_arguments.h"

#include <type_traits>
#include <variant>

namespace heddle::workload {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using host::Argument;

uint32_t reference(const Argument& a, const Message& m, const FieldDescriptor& f, const Names& names) {
  using K = Argument::Kind;
  const std::string name = m.GetReflection()->GetString(m, &f);
  switch (a.kind) {
    case K::kStream: {
      // A call that is nothing but the stream's name may leave it empty.
      const bool has = f.containing_oneof() ? !name.empty() : m.GetReflection()->HasField(m, &f);
      return names.stream(has || a.given == Argument::Given::kMust, name).id;
    }
    case K::kBuffer:
      return names.buffer(name).id;
    case K::kKernel:
      return names.kernel(name).id;
    case K::kEvent:
      return names.event(name).id;
    case K::kFlag:
      return names.flag(name).id;
    case K::kPool:
      return names.pool(name).id;
    case K::kPhysical:
      return names.physical(name).id;
    case K::kGraph:
      return names.graph(name).id;
    default:
      return names.exec(name).id;
  }
}

uint64_t value(const Argument& a, const Message& m, const FieldDescriptor& f, const Names& names) {
  const google::protobuf::Reflection& r = *m.GetReflection();
  switch (f.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reference(a, m, f, names);
    case FieldDescriptor::CPPTYPE_BOOL:
      return r.GetBool(m, &f) ? 1 : 0;
    case FieldDescriptor::CPPTYPE_ENUM:
      return static_cast<uint64_t>(r.GetEnumValue(m, &f) - f.enum_type()->value(0)->number());
    case FieldDescriptor::CPPTYPE_UINT32:
      return a.given == Argument::Given::kMaybe && !r.HasField(m, &f) ? host::kNone : r.GetUInt32(m, &f);
    default:
      return r.GetUInt64(m, &f);
  }
}

}  // namespace

void read_arguments(const proto::Call& c, const FieldDescriptor& what, const Names& names, host::Call& out) {
  const bool message = what.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  const Message& m = message ? c.GetReflection()->GetMessage(c, &what) : c;
  const auto field = [&](const Argument& a) {
    return message ? m.GetDescriptor()->FindFieldByName(a.name) : &what;
  };
  for (const Argument& a : out.type->arguments) {
    if (a.name && message && a.given == Argument::Given::kMust && !m.GetReflection()->HasField(m, field(a))) {
      names.refuse(std::string(what.name()) + " needs `" + a.name + "`");
    }
  }
  for (const Argument& a : out.type->arguments) {
    if (a.name) {
      const uint64_t v = value(a, m, *field(a), names);
      std::visit(
          [&](auto member) { out.*member = static_cast<std::remove_reference_t<decltype(out.*member)>>(v); },
          a.member);
    }
  }
}

}  // namespace heddle::workload
