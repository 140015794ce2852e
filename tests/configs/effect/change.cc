#include "tests/configs/effect/change.h"

#include <algorithm>
#include <cmath>

#include "sim/isa/op_class.h"

namespace heddle::config::effect {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Find = std::function<Message*(GpuConfig&)>;

double number(const Message& m, const FieldDescriptor* f) {
  const Reflection& r = *m.GetReflection();
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return r.GetUInt32(m, f);
    case FieldDescriptor::CPPTYPE_UINT64:
      return static_cast<double>(r.GetUInt64(m, f));
    default:
      return r.GetDouble(m, f);
  }
}

void set_number(Message& m, const FieldDescriptor* f, double v) {
  const Reflection& r = *m.GetReflection();
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return r.SetUInt32(&m, f, static_cast<uint32_t>(v));
    case FieldDescriptor::CPPTYPE_UINT64:
      return r.SetUInt64(&m, f, static_cast<uint64_t>(v));
    default:
      return r.SetDouble(&m, f, v);
  }
}

// Around the value, then far off; not to the largest legal ones, which no memory could hold.
std::vector<double> numbers(double value, const FieldDescriptor* f) {
  const double least = f->options().GetExtension(range).min();
  std::vector<double> wanted = {value * 2, value / 2, value + 1, value - 1, value / 16, value * 16, least};
  if (value == 0) {
    wanted.insert(wanted.end(), {64, 4096});
  }
  std::vector<double> out;
  for (double v : wanted) {
    v = f->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ? v : std::floor(v);
    if (v >= least && v != value && std::find(out.begin(), out.end(), v) == out.end()) {
      out.push_back(v);
    }
  }
  return out;
}

// What makes the message's field another one.
using Change = std::function<void(Message&)>;

std::vector<Change> changes(const Message& m, const FieldDescriptor* f) {
  const Reflection* r = m.GetReflection();
  std::vector<Change> all;
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      all.emplace_back([=, other = !r->GetBool(m, f)](Message& x) { r->SetBool(&x, f, other); });
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      for (int i = 0; i < f->enum_type()->value_count(); ++i) {
        if (f->enum_type()->value(i) != r->GetEnum(m, f)) {
          all.emplace_back([=](Message& x) { r->SetEnum(&x, f, f->enum_type()->value(i)); });
        }
      }
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      for (std::string_view pipe : isa::kPipeNames) {
        if (pipe != r->GetString(m, f)) {
          all.emplace_back([=](Message& x) { r->SetString(&x, f, std::string(pipe)); });
        }
      }
      break;
    default:
      for (double v : numbers(number(m, f), f)) {
        all.emplace_back([=](Message& x) { set_number(x, f, v); });
      }
  }
  return all;
}

// Neighbours changed about, each element left out.
std::vector<Change> list_changes(const Message& m, const FieldDescriptor* f) {
  const Reflection* r = m.GetReflection();
  const int size = r->FieldSize(m, f);
  std::vector<Change> all;
  for (int n = 0; n + 1 < size; ++n) {
    all.emplace_back([=](Message& x) { r->SwapElements(&x, f, n, n + 1); });
  }
  for (int n = 0; n < size; ++n) {
    all.emplace_back([=](Message& x) {
      for (int i = n; i + 1 < size; ++i) {
        r->SwapElements(&x, f, i, i + 1);
      }
      r->RemoveLast(&x, f);
    });
  }
  return all;
}

void walk(const Message& m, const std::string& path, const Find& find, bool entry, std::vector<Field>& out) {
  const auto* d = m.GetDescriptor();
  const Reflection& r = *m.GetReflection();
  for (int i = 0; i < d->field_count(); ++i) {
    const FieldDescriptor* f = d->field(i);
    const std::string here = (path.empty() ? "" : path + ".") + f->name();
    const bool text = f->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    if (here == "provenance" || (text && (path.empty() || i == 0))) {
      continue;  // which GPU this is; a table's entries begin with their name
    }
    if (f->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!entry || r.HasField(m, f)) {
        out.push_back({here, f, find});
      }
    } else if (!f->is_repeated()) {
      const Find below = [find, f](GpuConfig& g) {
        Message* above = find(g);
        return above->GetReflection()->MutableMessage(above, f);
      };
      walk(r.GetMessage(m, f), here, below, false, out);
    } else {
      for (int n = 0; n < r.FieldSize(m, f); ++n) {
        const Message& one = r.GetRepeatedMessage(m, f, n);
        const std::string name = one.GetReflection()->GetString(one, one.GetDescriptor()->field(0));
        const Find below = [find, f, n](GpuConfig& g) {
          Message* above = find(g);
          return above->GetReflection()->MutableRepeatedMessage(above, f, n);
        };
        walk(one, std::string(here).append("[").append(name).append("]"), below, true, out);
      }
    }
  }
}

}  // namespace

std::vector<GpuConfig> Field::others(const GpuConfig& gpu) const {
  GpuConfig same = gpu;
  const Message& m = *find(same);
  std::vector<GpuConfig> out;
  for (const Change& change :
       descriptor->is_repeated() ? list_changes(m, descriptor) : changes(m, descriptor)) {
    change(*find(out.emplace_back(gpu)));
  }
  return out;
}

std::vector<Field> fields(const GpuConfig& gpu) {
  std::vector<Field> out;
  walk(
      gpu, "", [](GpuConfig& g) -> Message* { return &g; }, false, out);
  return out;
}

}  // namespace heddle::config::effect
