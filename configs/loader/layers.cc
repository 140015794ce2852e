#include "configs/loader/layers.h"

#include <algorithm>
#include <memory>
#include <span>

#include "configs/loader/byte_units.h"
#include "configs/loader/config.h"
#include "configs/loader/fields.h"
#include "configs/loader/provenance.h"
#include "configs/schema/options.pb.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/isa/op_class.h"

namespace heddle::config {
namespace {

void merge(const Message& from, Message& to) {
  const auto* reflection = from.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(from, &fields);
  for (const auto* field : fields) {
    if (is_of_the_file(field)) {
      continue;
    }
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (const auto* key = key_field(field)) {
      for (int i = 0; i < reflection->FieldSize(from, field); ++i) {
        const Message& entry = reflection->GetRepeatedMessage(from, field, i);
        const int at = find_entry(to, field, entry.GetReflection()->GetString(entry, key));
        (at < 0 ? reflection->AddMessage(&to, field) : reflection->MutableRepeatedMessage(&to, field, at))
            ->CopyFrom(entry);
      }
    } else if (field->is_repeated()) {
      // MergeFrom would append.
      reflection->ClearField(&to, field);
      auto one = std::unique_ptr<Message>(from.New());
      one->CopyFrom(from);
      std::vector<const FieldDescriptor*> others;
      reflection->ListFields(*one, &others);
      for (const auto* other : others) {
        if (other != field) {
          reflection->ClearField(one.get(), other);
        }
      }
      to.MergeFrom(*one);
    } else if (is_message) {
      merge(reflection->GetMessage(from, field), *reflection->MutableMessage(&to, field));
    } else {
      switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_UINT32:
          reflection->SetUInt32(&to, field, reflection->GetUInt32(from, field));
          break;
        case FieldDescriptor::CPPTYPE_UINT64:
          reflection->SetUInt64(&to, field, reflection->GetUInt64(from, field));
          break;
        case FieldDescriptor::CPPTYPE_DOUBLE:
          reflection->SetDouble(&to, field, reflection->GetDouble(from, field));
          break;
        case FieldDescriptor::CPPTYPE_BOOL:
          reflection->SetBool(&to, field, reflection->GetBool(from, field));
          break;
        case FieldDescriptor::CPPTYPE_ENUM:
          reflection->SetEnum(&to, field, reflection->GetEnum(from, field));
          break;
        default:
          reflection->SetString(&to, field, reflection->GetString(from, field));
      }
    }
  }
}

// Sets (or, for a list, appends) one value; false if `value` is not of the field's type.
bool put(Message& message, const FieldDescriptor* field, std::string_view value) {
  const auto* r = message.GetReflection();
  const bool list = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64: {
      // "60MiB" where the unit is bytes.
      const uint64_t factor = unit_suffix(field).starts_with(" bytes") ? take_byte_unit(value) : 1;
      const auto number = parse_number<uint64_t>(value);
      const bool wide = field->cpp_type() == FieldDescriptor::CPPTYPE_UINT64;
      if (!number || *number > UINT64_MAX / factor) {
        return false;
      }
      const uint64_t v = *number * factor;
      if (!wide && v > UINT32_MAX) {
        return false;
      }
      if (wide) {
        list ? r->AddUInt64(&message, field, v) : r->SetUInt64(&message, field, v);
      } else {
        list ? r->AddUInt32(&message, field, static_cast<uint32_t>(v))
             : r->SetUInt32(&message, field, static_cast<uint32_t>(v));
      }
      return true;
    }
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      const auto v = parse_number<double>(value);
      if (!v) {
        return false;
      }
      list ? r->AddDouble(&message, field, *v) : r->SetDouble(&message, field, *v);
      return true;
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      if (value != "true" && value != "false") {
        return false;
      }
      list ? r->AddBool(&message, field, value == "true") : r->SetBool(&message, field, value == "true");
      return true;
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* v = field->enum_type()->FindValueByName(std::string(value));
      if (v == nullptr) {
        return false;
      }
      list ? r->AddEnum(&message, field, v) : r->SetEnum(&message, field, v);
      return true;
    }
    default: {
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
      }
      list ? r->AddString(&message, field, std::string(value))
           : r->SetString(&message, field, std::string(value));
      return true;
    }
  }
}

// "[8, 9]"; the brackets may be left out for a single value.
bool put_list(Message& message, const FieldDescriptor* field, std::string_view value) {
  if (value.size() >= 2 && value.front() == '[' && value.back() == ']') {
    value = value.substr(1, value.size() - 2);
  }
  message.GetReflection()->ClearField(&message, field);
  while (true) {
    const size_t comma = value.find(',');
    if (!put(message, field, trim(value.substr(0, comma)))) {
      return false;
    }
    if (comma == std::string_view::npos) {
      return true;
    }
    value = value.substr(comma + 1);
  }
}

// A name that a table of the schema may have an entry for although this configuration has none.
bool may_be_added(const FieldDescriptor* table, const std::string& key) {
  if (table->message_type() == PipeTiming::descriptor()) {
    return key != "none" && isa::pipe_from_name(key).has_value();
  }
  return table->message_type() == OpTiming::descriptor() && isa::op_class_from_name(key).has_value();
}

Message* entry_of(Message& message, const FieldDescriptor* table, const Step& step, const std::string& done,
                  const std::string& what) {
  const auto* reflection = message.GetReflection();
  const auto* key = key_field(table);
  std::vector<std::string> names;
  for (int i = 0; key != nullptr && i < reflection->FieldSize(message, table); ++i) {
    const auto& entry = reflection->GetRepeatedMessage(message, table, i);
    names.push_back(entry.GetReflection()->GetString(entry, key));
  }
  if (key == nullptr || !step.has_key) {
    throw Error(what + ": " + done + " is a table; name the entry: " + done +
                "[NAME]; legal names: " + join(names));
  }
  if (const int at = find_entry(message, table, step.key); at >= 0) {
    return reflection->MutableRepeatedMessage(&message, table, at);
  }
  if (!may_be_added(table, step.key)) {
    throw Error(what + ": no entry \"" + step.key + "\" in " + done +
                "; nearest: " + join(nearest(step.key, names)) + "; legal names: " + join(names));
  }
  Message* entry = reflection->AddMessage(&message, table);
  entry->GetReflection()->SetString(entry, key, step.key);
  return entry;
}

// Takes away what lies at this path, if it is there.
void clear(Message& message, std::span<const Step> steps) {
  const auto* r = message.GetReflection();
  const auto* field = message.GetDescriptor()->FindFieldByName(steps.front().name);
  const bool last = steps.size() == 1;
  if (steps.front().has_key) {
    const int at = find_entry(message, field, steps.front().key);
    if (at >= 0 && last) {
      r->SwapElements(&message, field, at, r->FieldSize(message, field) - 1);
      r->RemoveLast(&message, field);
    } else if (at >= 0) {
      clear(*r->MutableRepeatedMessage(&message, field, at), steps.subspan(1));
    }
  } else if (last) {
    r->ClearField(&message, field);
  } else if (r->HasField(message, field)) {
    clear(*r->MutableMessage(&message, field), steps.subspan(1));
  }
}

template <typename T, typename Rank>
void sort_by(google::protobuf::RepeatedPtrField<T>& table, Rank rank) {
  std::stable_sort(table.pointer_begin(), table.pointer_end(),
                   [&](const T* a, const T* b) { return rank(*a) < rank(*b); });
}

}  // namespace

void set(GpuConfig& config, std::string_view assignment) {
  const std::string what = "--set " + std::string(assignment);
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw Error(what + ": legal: path=value, e.g. l2.ways=16");
  }
  const std::string path(trim(assignment.substr(0, equals)));
  const std::string_view value = trim(assignment.substr(equals + 1));
  const auto* field = find_field(path, what);
  const std::vector<Step> steps = parse_path(path, what);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    if (field->is_repeated()) {
      throw Error(what + ": " + path + " is a table" + (steps.back().has_key ? "'s entry" : "") +
                  "; name a field of one entry: " + path + (steps.back().has_key ? "." : "[NAME].") +
                  "FIELD; fields: " + join(field_names(field->message_type())));
    }
    throw Error(what + ": " + path +
                " is a group of fields; name one: " + join(field_names(field->message_type())));
  }
  if (steps.back().has_key) {
    throw Error(what + ": a list is set as a whole, " + path.substr(0, path.rfind('[')) + "=[1, 2, ...]");
  }
  // On a copy, so that a failure leaves `config` as it was.
  GpuConfig changed = config;
  Message* message = &changed;
  std::string done;
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    const auto* step_field = message->GetDescriptor()->FindFieldByName(steps[i].name);
    done += (i > 0 ? "." : "") + steps[i].name;
    if (step_field->is_repeated()) {
      message = entry_of(*message, step_field, steps[i], done, what);
      done += "[" + steps[i].key + "]";
    } else {
      message = message->GetReflection()->MutableMessage(message, step_field);
    }
  }
  if (!(field->is_repeated() ? put_list(*message, field, value) : put(*message, field, value))) {
    throw Error(what + ": \"" + std::string(value) + "\" is not a value of " + path +
                "; legal values: " + legal_values(field) + unit_suffix(field));
  }
  config = std::move(changed);
}

void Layers::replace_entries(const GpuConfig& layer) {
  for (const Leaf& leaf : leaves(layer)) {
    const size_t bracket = leaf.path.find(']');
    if (bracket == std::string::npos) {
      continue;
    }
    const std::string entry = leaf.path.substr(0, bracket + 1) + ".";
    for (auto it = values_.lower_bound(entry); it != values_.end() && it->first.starts_with(entry);) {
      it = values_.erase(it);
    }
  }
}

void Layers::leave_out(const ParsedFile& file) {
  for (const std::string& path : file.config.without()) {
    const std::string what = file.name + ": without: \"" + path + "\"";
    find_field(path, what);
    const auto below = [&path](const std::string& p) {
      return p.starts_with(path) &&
             (p.size() == path.size() || p[path.size()] == '.' || p[path.size()] == '[');
    };
    if (std::erase_if(values_, [&below](const auto& v) { return below(v.first); }) == 0) {
      throw Error(what + ": \"" + file.config.inherits() + "\" does not set it; legal: what it sets");
    }
    clear(config_, parse_path(path, what));
  }
}

void Layers::add(const ParsedFile& file, const std::string& default_source) {
  const Coverage coverage(file.config.provenance());
  if (file.config.has_inherits()) {
    leave_out(file);
    for (auto& [path, origin] : values_) {
      if (const auto* entry = coverage.entry(path)) {
        origin.provenance = *entry;
      }
    }
  }
  replace_entries(file.config);
  merge(file.config, config_);
  for (const auto& [path, line] : file.lines) {
    Origin origin{file.name + ":" + std::to_string(line), std::nullopt};
    if (const auto* entry = coverage.entry(path)) {
      origin.provenance = *entry;
    } else if (!default_source.empty()) {
      Provenance p;
      p.set_path(path);
      p.set_kind(Provenance::ASSUMED);
      p.set_source(default_source);
      origin.provenance = p;
    }
    values_[path] = std::move(origin);
  }
}

void Layers::add(const Layers& above) {
  replace_entries(above.config_);
  merge(above.config_, config_);
  for (const auto& value : above.values_) {
    values_.insert_or_assign(value.first, value.second);
  }
}

void Layers::override_with(const std::string& assignment) {
  set(config_, assignment);
  const std::string path(trim(assignment.substr(0, assignment.find('='))));
  Provenance p;
  p.set_path(path);
  p.set_kind(Provenance::ASSUMED);
  p.set_source("--set");
  values_[path] = {"--set " + assignment, p};
}

GpuConfig Layers::finish() const {
  GpuConfig out = config_;
  sort_by(*out.mutable_sm()->mutable_pipe(),
          [](const PipeTiming& p) { return isa::pipe_from_name(p.pipe()).value_or(isa::Pipe{}); });
  sort_by(*out.mutable_sm()->mutable_op(),
          [](const OpTiming& o) { return isa::op_class_from_name(o.op()).value_or(isa::OpClass{}); });
  std::vector<Evidence> evidence;
  for (const Leaf& leaf : leaves(out)) {
    const auto it = values_.find(leaf.path);
    if (it == values_.end() || is_identity(leaf.field) || is_name_of_entry(leaf.path, leaf.field)) {
      continue;
    }
    Evidence& e = evidence.emplace_back(Evidence{leaf.path, {}});
    if (const Origin& origin = it->second; origin.provenance) {
      e.provenance = *origin.provenance;
    } else {
      e.provenance.set_kind(Provenance::ASSUMED);
      e.provenance.set_source("no source given in " + origin.where.substr(0, origin.where.rfind(':')));
    }
  }
  for (Provenance& p : entries_for(evidence)) {
    *out.add_provenance() = std::move(p);
  }
  return out;
}

std::vector<std::string> Layers::without_provenance() const {
  std::vector<std::string> out;
  for (const auto& value : values_) {
    const auto* field = find_field(value.first, value.first);
    if (!value.second.provenance && !is_identity(field) && !is_name_of_entry(value.first, field)) {
      out.push_back(value.first);
    }
  }
  return out;
}

Origins Layers::origins() const {
  Origins out;
  for (const auto& value : values_) {
    out[value.first] = value.second.where;
  }
  return out;
}

}  // namespace heddle::config
