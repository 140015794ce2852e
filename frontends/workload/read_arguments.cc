#include "frontends/workload/read_arguments.h"

#include <type_traits>
#include <variant>
#include <vector>

namespace heddle::workload {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using host::Argument;
using K = Argument::Kind;

// Reads the arguments of one call.
class Arguments {
 public:
  // `m`: the call's message, or, where it is no message, the call.
  Arguments(const FieldDescriptor& call, const Message& m, const Names& names, host::Call& out)
      : call_(call),
        message_(call.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE),
        m_(m),
        r_(*m.GetReflection()),
        names_(names),
        out_(out) {}

  void check(const Argument& a) const {
    if (message_ && a.given == Argument::Given::kMust && !r_.HasField(m_, &field(a))) {
      names_.refuse(call_.name() + " needs `" + a.name + "`");
    }
  }

  void read(const Argument& a) {
    if (a.kind == K::kOneOf) {
      put(a, one_of(a));
    } else if (a.kind == K::kAccesses) {
      const int count = r_.FieldSize(m_, &field(a));
      std::vector<proto::Access> accesses;
      accesses.reserve(static_cast<size_t>(count));
      for (int i = 0; i < count; ++i) {
        accesses.push_back(dynamic_cast<const proto::Access&>(r_.GetRepeatedMessage(m_, &field(a), i)));
      }
      names_.accesses(accesses, out_);
    } else {
      put(a, value(a, field(a)));
    }
  }

 private:
  const FieldDescriptor& field(const Argument& a) const {
    return message_ ? *m_.GetDescriptor()->FindFieldByName(a.name) : call_;
  }

  void put(const Argument& a, uint64_t v) {
    std::visit(
        [&](auto member) { out_.*member = static_cast<std::remove_reference_t<decltype(out_.*member)>>(v); },
        a.member);
  }

  uint64_t value(const Argument& a, const FieldDescriptor& f) const {
    if (a.given == Argument::Given::kMaybe && a.kind != K::kPool && !r_.HasField(m_, &f)) {
      return a.kind == K::kMicroseconds ? static_cast<uint64_t>(host::kNever.count()) : host::kNone;
    }
    switch (f.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return reference(a, f);
      case FieldDescriptor::CPPTYPE_BOOL:
        return r_.GetBool(m_, &f) ? 1 : 0;
      case FieldDescriptor::CPPTYPE_ENUM:
        return static_cast<uint64_t>(r_.GetEnumValue(m_, &f) - f.enum_type()->value(0)->number());
      case FieldDescriptor::CPPTYPE_UINT32:
        return r_.GetUInt32(m_, &f);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return microseconds(a, r_.GetDouble(m_, &f)).count();
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return a.kind == K::kWindow
                   ? names_.window(dynamic_cast<const proto::AccessWindow&>(r_.GetMessage(m_, &f))).id
                   : names_.change(dynamic_cast<const proto::NodeSet&>(m_)).id;
      default:
        return r_.GetUInt64(m_, &f);
    }
  }

  uint64_t reference(const Argument& a, const FieldDescriptor& f) const {
    const std::string name = r_.GetString(m_, &f);
    switch (a.kind) {
      case K::kStream: {
        // A call that is nothing but the stream's name may leave it empty.
        const bool has = f.containing_oneof() ? !name.empty() : r_.HasField(m_, &f);
        return names_.stream(has || a.given == Argument::Given::kMust, name).id;
      }
      case K::kBuffer:
        return names_.buffer(name).id;
      case K::kKernel:
        return names_.kernel(name).id;
      case K::kEvent:
        return names_.event(name).id;
      case K::kFlag:
        return names_.flag(name).id;
      case K::kQueue:
        return names_.queue(name).id;
      case K::kPool:
        return names_.pool(name).id;
      case K::kPhysical:
        return names_.physical(name).id;
      case K::kGraph:
        return names_.graph(name).id;
      case K::kNode:
        return names_.node(dynamic_cast<const proto::NodeSet&>(m_)).id;
      default:
        return names_.exec(name).id;
    }
  }

  host::Ps microseconds(const Argument& a, double us) const {
    if (!(us >= 0 && us <= 1e9)) {
      names_.refuse(call_.name() + (message_ ? std::string(": ") + a.name : "") + ": 0 to 1e9");
    }
    return host::from_us(us);
  }

  // Which field, counted from the first; what it is given goes to `bytes`.
  uint64_t one_of(const Argument& a) {
    const auto& all = *m_.GetDescriptor()->FindOneofByName(a.name);
    const FieldDescriptor* const given = r_.GetOneofFieldDescriptor(m_, &all);
    if (given == nullptr) {
      std::string names;
      for (int i = 0; i < all.field_count(); ++i) {
        names += (i ? ", " : "") + all.field(i)->name();
      }
      names_.refuse(call_.name() + " needs one of " + names);
      return 0;  // not reached: refuse() throws
    }
    out_.bytes =
        given->cpp_type() == FieldDescriptor::CPPTYPE_BOOL ? r_.GetBool(m_, given) : r_.GetUInt64(m_, given);
    return static_cast<uint64_t>(given->index_in_oneof());
  }

  const FieldDescriptor& call_;
  const bool message_;
  const Message& m_;
  const google::protobuf::Reflection& r_;
  const Names& names_;
  host::Call& out_;
};

}  // namespace

void read_arguments(const proto::Call& c, const FieldDescriptor& what, const Names& names, host::Call& out) {
  const bool message = what.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  Arguments arguments(what, message ? c.GetReflection()->GetMessage(c, &what) : c, names, out);
  for (const Argument& a : out.type->arguments) {
    if (a.name) {
      arguments.check(a);
    }
  }
  for (const Argument& a : out.type->arguments) {
    if (a.name) {
      arguments.read(a);
    }
  }
}

}  // namespace heddle::workload
