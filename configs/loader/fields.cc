#include "configs/loader/fields.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "configs/schema/options.pb.h"
#include "sim/base/error.h"

namespace heddle::config {
namespace {

std::string number_text(double v) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, v);
  return {buffer, end};
}

// As text format writes it. A control character would end the string there, and act on a terminal.
std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
              static_cast<char>('0' + byte % 8)};
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + '"';
}

void collect_leaves(const Message& message, const std::string& prefix, const TextFormat::ParseInfoTree* tree,
                    std::vector<Leaf>& out) {
  const auto* reflection = message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const auto* field = message.GetDescriptor()->field(i);
    if (is_of_the_file(field)) {
      continue;
    }
    const std::string path = prefix + field->name();
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (field->is_repeated() && is_message) {
      for (int k = 0; k < reflection->FieldSize(message, field); ++k) {
        const auto& entry = reflection->GetRepeatedMessage(message, field, k);
        const auto* by = key_field(field);
        const std::string key = by ? entry.GetReflection()->GetString(entry, by) : std::to_string(k);
        std::string below = path;
        below.append("[").append(key).append("].");
        collect_leaves(entry, below, tree ? tree->GetTreeForNested(field, k) : nullptr, out);
      }
    } else if (field->is_repeated()) {
      const int n = reflection->FieldSize(message, field);
      if (n > 0) {
        std::string value = "[";
        for (int k = 0; k < n; ++k) {
          value += (k > 0 ? ", " : "") + value_text(message, field, k);
        }
        out.push_back({path, field, value + "]", tree ? tree->GetLocation(field, 0).line + 1 : 0});
      }
    } else if (!reflection->HasField(message, field)) {
      continue;
    } else if (is_message) {
      collect_leaves(reflection->GetMessage(message, field), path + ".",
                     tree ? tree->GetTreeForNested(field, -1) : nullptr, out);
    } else {
      out.push_back(
          {path, field, value_text(message, field), tree ? tree->GetLocation(field, -1).line + 1 : 0});
    }
  }
}

void collect_schema_paths(const Descriptor* descriptor, const std::string& prefix,
                          std::vector<std::string>& out) {
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    if (is_of_the_file(field)) {
      continue;
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      out.push_back(prefix + field->name());
    } else {
      collect_schema_paths(field->message_type(),
                           prefix + field->name() + (field->is_repeated() ? "[NAME]." : "."), out);
    }
  }
}

const std::vector<std::string>& schema_paths() {
  static const auto* paths = [] {
    auto* out = new std::vector<std::string>;
    collect_schema_paths(GpuConfig::descriptor(), "", *out);
    return out;
  }();
  return *paths;
}

// Longer than any path of the schema: what a user's name has beyond makes it no nearer to one of these.
constexpr size_t kMostCompared = 120;

// Levenshtein's.
int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMostCompared);
  b = b.substr(0, kMostCompared);
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// The `count` candidates with the least score.
std::vector<std::string> best(std::vector<std::pair<int, std::string>> scored, size_t count) {
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (size_t i = 0; i < scored.size() && i < count; ++i) {
    out.push_back(scored[i].second);
  }
  return out;
}

// "sm.op.latency" of "sm.op[fp32].latency".
std::string without_keys(std::string_view path) {
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '[') {
      i = path.find(']', i);
      continue;
    }
    out += path[i];
  }
  return out;
}

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

const FieldDescriptor* key_field(const FieldDescriptor* field) {
  if (!field->is_repeated() || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return nullptr;
  }
  const auto* first = field->message_type()->FindFieldByNumber(1);
  return first != nullptr && first->cpp_type() == FieldDescriptor::CPPTYPE_STRING ? first : nullptr;
}

int find_entry(const Message& message, const FieldDescriptor* field, std::string_view key) {
  const auto* reflection = message.GetReflection();
  for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
    const auto& entry = reflection->GetRepeatedMessage(message, field, i);
    if (entry.GetReflection()->GetString(entry, key_field(field)) == key) {
      return i;
    }
  }
  return -1;
}

bool is_of_the_file(const FieldDescriptor* field) {
  static const std::set<std::string_view> names = {"provenance", "inherits", "without"};
  return field->containing_type() == GpuConfig::descriptor() && names.contains(field->name());
}

bool is_identity(const FieldDescriptor* field) {
  return field->containing_type() == GpuConfig::descriptor() &&
         field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}

bool is_name_of_entry(std::string_view path, const FieldDescriptor* field) {
  return path.find(']') != std::string_view::npos && field->number() == 1;
}

std::vector<Leaf> leaves(const Message& message, const TextFormat::ParseInfoTree* locations) {
  std::vector<Leaf> out;
  collect_leaves(message, "", locations, out);
  return out;
}

std::string value_text(const Message& message, const FieldDescriptor* field, int index) {
  const auto* r = message.GetReflection();
  const bool one = index < 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::to_string(one ? r->GetUInt32(message, field) : r->GetRepeatedUInt32(message, field, index));
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(one ? r->GetUInt64(message, field) : r->GetRepeatedUInt64(message, field, index));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return number_text(one ? r->GetDouble(message, field) : r->GetRepeatedDouble(message, field, index));
    case FieldDescriptor::CPPTYPE_BOOL:
      return (one ? r->GetBool(message, field) : r->GetRepeatedBool(message, field, index)) ? "true"
                                                                                            : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return (one ? r->GetEnum(message, field) : r->GetRepeatedEnum(message, field, index))->name();
    case FieldDescriptor::CPPTYPE_STRING:
      return quoted(one ? r->GetString(message, field) : r->GetRepeatedString(message, field, index));
    default:
      throw Error("configs/schema: " + field->full_name() + " has a type the loader does not know: " +
                  field->cpp_type_name() + "; legal types: uint32, uint64, double, bool, enum, string");
  }
}

std::string legal_values(const FieldDescriptor* field) {
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    std::vector<std::string> names;
    names.reserve(field->enum_type()->value_count());
    for (int i = 0; i < field->enum_type()->value_count(); ++i) {
      names.push_back(field->enum_type()->value(i)->name());
    }
    return join(names);
  }
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
    return "true, false";
  }
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    return "text";
  }
  const std::string list = field->is_repeated() ? "a list of " : "";
  if (!field->options().HasExtension(range)) {
    return list + (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ? "numbers" : "whole numbers");
  }
  const Range& r = field->options().GetExtension(range);
  if (r.has_min() && r.has_max() && r.min() == r.max()) {
    return list + number_text(r.min());
  }
  std::string out = list + (r.power_of_two() ? "a power of two from " : "");
  out += (r.has_min() ? number_text(r.min()) : "0") + " to ";
  return out + (r.has_max() ? number_text(r.max()) : "any");
}

std::string unit_suffix(const FieldDescriptor* field) {
  return field->options().HasExtension(unit) ? " " + field->options().GetExtension(unit) : "";
}

std::vector<Step> parse_path(std::string_view path, std::string_view what) {
  const auto bad = [&] {
    return Error(
        clipped(what) + ": \"" + clipped(path) +
        "\" is not a field path; legal: names with dots between them and [NAME] behind a table, such as "
        "l2.ways or sm.op[fp32].latency");
  };
  std::vector<Step> steps;
  size_t at = 0;
  while (true) {
    Step step;
    const size_t end = std::min(path.find_first_of(".[", at), path.size());
    step.name = path.substr(at, end - at);
    at = end;
    if (step.name.empty() || step.name.find_first_of("] \t=") != std::string::npos) {
      throw bad();
    }
    if (at < path.size() && path[at] == '[') {
      const size_t close = path.find(']', at);
      if (close == std::string_view::npos || close == at + 1) {
        throw bad();
      }
      step.key = path.substr(at + 1, close - at - 1);
      step.has_key = true;
      at = close + 1;
    }
    steps.push_back(std::move(step));
    if (at == path.size()) {
      return steps;
    }
    if (path[at] != '.') {
      throw bad();
    }
    ++at;
  }
}

const FieldDescriptor* find_field(std::string_view path, std::string_view what) {
  const Descriptor* message = GpuConfig::descriptor();
  const FieldDescriptor* field = nullptr;
  std::string done;
  for (const Step& step : parse_path(path, what)) {
    if (message == nullptr) {
      throw Error(std::string(what) + ": " + done + " is a single value and has no field \"" + step.name +
                  "\"");
    }
    field = message->FindFieldByName(step.name);
    if (field == nullptr || is_of_the_file(field)) {
      throw Error(std::string(what) + ": no field \"" + step.name + "\"" +
                  (done.empty() ? "" : " in " + done) + "; " + suggest_fields(message, done, step.name));
    }
    done += (done.empty() ? "" : ".") + step.name;
    if (step.has_key) {
      if (!field->is_repeated()) {
        throw Error(std::string(what) + ": " + done + " is not a table, so [" + step.key +
                    "] has no meaning");
      }
      done += "[" + step.key + "]";
    }
    message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE ? field->message_type() : nullptr;
  }
  return field;
}

std::vector<std::string> field_names(const Descriptor* message) {
  std::vector<std::string> names;
  names.reserve(message->field_count());
  for (int i = 0; i < message->field_count(); ++i) {
    if (!is_of_the_file(message->field(i))) {
      names.push_back(message->field(i)->name());
    }
  }
  return names;
}

std::string suggest_fields(const Descriptor* where, const std::string& path, std::string_view name) {
  const std::string full = without_keys(path.empty() ? std::string(name) : path + "." + std::string(name));
  std::vector<std::pair<int, std::string>> scored;
  for (const std::string& candidate : schema_paths()) {
    // Either the name is misspelt, here or further down, or the right name was put in the wrong place.
    const int moved = 3 * edit_distance(last_name(candidate), name) + 2;
    scored.emplace_back(std::min(2 * edit_distance(without_keys(candidate), full), moved), candidate);
  }
  return "nearest: " + join(best(std::move(scored), 3)) + "; fields of " +
         (path.empty() ? "the top level" : path) + ": " + join(field_names(where));
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names) {
  std::vector<std::pair<int, std::string>> scored;
  scored.reserve(names.size());
  for (const std::string& candidate : names) {
    scored.emplace_back(edit_distance(candidate, name), candidate);
  }
  return best(std::move(scored), 3);
}

std::string clipped(std::string_view text) {
  constexpr size_t kMost = 200;
  return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    out += (out.empty() ? std::string_view() : separator);
    out += part;
  }
  return out;
}

}  // namespace heddle::config
