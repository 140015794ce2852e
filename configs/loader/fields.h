// Reflection over the configuration schema: paths, values, and what a field's annotations allow.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"

namespace heddle::config {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

// The field that names the entries of a repeated message, its first: `op` makes sm.op[fp32]. Null for other
// fields.
const FieldDescriptor* key_field(const FieldDescriptor* field);

// The entry of a repeated message with this key; -1 if there is none.
int find_entry(const Message& message, const FieldDescriptor* field, std::string_view key);

// How a file is made, rather than what the GPU is: its provenance entries, what it inherits and what not. No
// path names them.
bool is_of_the_file(const FieldDescriptor* field);

// name, product and capability say which GPU this is; they are not values with evidence.
bool is_identity(const FieldDescriptor* field);

// A value that is set. A repeated number is one value, "[8, 9]".
struct Leaf {
  std::string path;
  const FieldDescriptor* field;
  std::string value;
  int line;  // in the file it was parsed from, from 1; 0 if unknown
};

// The field by which a table's entry is found, and which is in its path already.
bool is_name_of_entry(std::string_view path, const FieldDescriptor* field);

// All of them in schema order, except provenance. `locations` may be null.
std::vector<Leaf> leaves(const Message& message, const TextFormat::ParseInfoTree* locations = nullptr);

// "8", "true", "CACHED", "\"h200\"": text format. `index` is -1 for a field that is not repeated.
std::string value_text(const Message& message, const FieldDescriptor* field, int index = -1);

// "1 to 256", "a power of two from 16 to 1024", "BANKS, ROOFLINE".
std::string legal_values(const FieldDescriptor* field);

// " bytes"; empty if the field has no unit.
std::string unit_suffix(const FieldDescriptor* field);

// One name of a path, "op[fp32]".
struct Step {
  std::string name;
  std::string key;
  bool has_key = false;
};

// Throws Error for text that is not a path; `what` begins the message.
std::vector<Step> parse_path(std::string_view path, std::string_view what);

// The field at a path, by the schema alone. Throws Error that lists the nearest paths and the fields there
// are.
const FieldDescriptor* find_field(std::string_view path, std::string_view what);

// Names of a message's fields.
std::vector<std::string> field_names(const Descriptor* message);

// "nearest: l2.ways, sm.l1.ways; fields of l2: total_bytes, ...", for a name that `where` (at `path`) lacks.
std::string suggest_fields(const Descriptor* where, const std::string& path, std::string_view name);

// The few of `names` that look most like `name`.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names);

std::string clipped(std::string_view text);  // as an error quotes it: cut where nobody would read on
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

}  // namespace heddle::config
