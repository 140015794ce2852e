#include "configs/loader/field_info.h"

#include <utility>

#include "configs/loader/fields.h"
#include "configs/loader/provenance.h"
#include "configs/schema/options.pb.h"
#include "sim/base/error.h"

namespace heddle::config {
namespace {

bool is_message(const FieldDescriptor* field) {
  return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

std::string type_name(const FieldDescriptor* field) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return "float";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "bool";
    case FieldDescriptor::CPPTYPE_ENUM:
      return "enum";
    case FieldDescriptor::CPPTYPE_STRING:
      return "text";
    default:
      return "int";
  }
}

FieldInfo info(const FieldDescriptor* field, bool entry) {
  FieldInfo out;
  out.name = field->name();
  if (is_message(field)) {
    out.kind = field->is_repeated() && !entry ? FieldKind::kTable : FieldKind::kGroup;
    return out;
  }
  out.kind = field->is_repeated() ? FieldKind::kList : FieldKind::kValue;
  out.type = type_name(field);
  out.unit = unit_suffix(field).empty() ? "" : unit_suffix(field).substr(1);
  out.legal = legal_values(field);
  return out;
}

// The message that holds the last step's field. Null when it is in a group that is not set.
const Message* holder(const GpuConfig& config, const std::vector<Step>& steps, size_t depth) {
  const Message* message = &config;
  std::string done;
  for (size_t i = 0; i < depth; ++i) {
    const auto* field = message->GetDescriptor()->FindFieldByName(steps[i].name);
    const auto* reflection = message->GetReflection();
    done += (i ? "." : "") + steps[i].name;
    if (!field->is_repeated()) {
      message = &reflection->GetMessage(*message, field);
      continue;
    }
    const int at = steps[i].has_key ? find_entry(*message, field, steps[i].key) : -1;
    if (at < 0) {
      std::vector<std::string> names = entries_at(config, done);
      const std::string what = steps[i].has_key ? ": no entry \"" + steps[i].key +
                                                      "\"; nearest: " + join(nearest(steps[i].key, names))
                                                : " is a table; name the entry: " + done + "[NAME]";
      throw Error(done.append(what).append("; legal names: ").append(join(names)));
    }
    done += "[" + steps[i].key + "]";
    message = &reflection->GetRepeatedMessage(*message, field, at);
  }
  return message;
}

std::string unquoted(std::string text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::vector<FieldInfo> fields_at(std::string_view path) {
  const Descriptor* message = GpuConfig::descriptor();
  if (!path.empty()) {
    const auto* field = find_field(path, path);
    if (!is_message(field)) {
      throw Error(std::string(path) + " is a single value and has no fields");
    }
    message = field->message_type();
  }
  std::vector<FieldInfo> out;
  for (int i = 0; i < message->field_count(); ++i) {
    const auto* field = message->field(i);
    if (!is_of_the_file(field)) {
      out.push_back(info(field, false));
    }
  }
  return out;
}

FieldInfo field_at(std::string_view path) {
  const auto* field = find_field(path, path);
  return info(field, parse_path(path, path).back().has_key);
}

std::vector<std::string> entries_at(const GpuConfig& config, std::string_view path) {
  const auto* field = find_field(path, path);
  const std::vector<Step> steps = parse_path(path, path);
  if (key_field(field) == nullptr || steps.back().has_key) {
    throw Error(std::string(path) + " is not a table");
  }
  const Message* message = holder(config, steps, steps.size() - 1);
  std::vector<std::string> names;
  for (int i = 0; i < message->GetReflection()->FieldSize(*message, field); ++i) {
    const auto& entry = message->GetReflection()->GetRepeatedMessage(*message, field, i);
    names.push_back(entry.GetReflection()->GetString(entry, key_field(field)));
  }
  return names;
}

std::optional<std::vector<std::string>> value_at(const GpuConfig& config, std::string_view path) {
  const auto* field = find_field(path, path);
  const std::vector<Step> steps = parse_path(path, path);
  if (is_message(field)) {
    throw Error(std::string(path) +
                " is a group of fields; name one: " + join(field_names(field->message_type())));
  }
  if (steps.back().has_key) {
    throw Error(std::string(path) + ": a list is read as a whole");
  }
  const Message* message = holder(config, steps, steps.size() - 1);
  const auto* reflection = message->GetReflection();
  if (!field->is_repeated()) {
    if (!reflection->HasField(*message, field) && !field->options().GetExtension(may_be_absent)) {
      return std::nullopt;
    }
    return std::vector<std::string>{unquoted(value_text(*message, field))};
  }
  std::vector<std::string> out;
  out.reserve(reflection->FieldSize(*message, field));
  for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
    out.push_back(unquoted(value_text(*message, field, i)));
  }
  return out;
}

std::map<std::string, std::string> numbers_of_kind(const GpuConfig& config, Provenance::Kind kind) {
  const Coverage coverage(config.provenance());
  std::map<std::string, std::string> out;
  for (Leaf& leaf : leaves(config)) {
    const std::string type = type_name(leaf.field);
    const Provenance* entry = coverage.entry(leaf.path);
    if ((type == "int" || type == "float") && !leaf.field->is_repeated() && entry != nullptr &&
        entry->kind() == kind) {
      out.emplace(std::move(leaf.path), std::move(leaf.value));
    }
  }
  return out;
}

}  // namespace heddle::config
