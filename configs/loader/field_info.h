// The schema and a configuration's values by path, for those who show them to people: completion,
// descriptions, values with their types.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configs/schema/gpu.pb.h"

namespace heddle::config {

enum class FieldKind {
  kGroup,  // has fields: l2
  kTable,  // has entries by name: sm.op
  kList,   // of single values: topology.tpcs_per_gpc
  kValue,
};

struct FieldInfo {
  std::string name;
  FieldKind kind = FieldKind::kValue;
  std::string type;   // of values and a list's elements: "int", "float", "bool", "enum", "text"
  std::string unit;   // "bytes"; may be empty
  std::string legal;  // "1 to 256"; empty for groups and tables
};

// The fields of the group or table entry at `path`, in schema order, provenance left out; of the whole for
// "". Throws Error that lists the nearest paths when there is no such field, or when it has no fields.
std::vector<FieldInfo> fields_at(std::string_view path);

// The same for the field itself.
FieldInfo field_at(std::string_view path);

// Names of the entries of the table at `path`.
std::vector<std::string> entries_at(const GpuConfig& config, std::string_view path);

// The value as text, without quotes; of a list its elements. A value that may be left out and is has its
// default; nothing for others that are not set. Throws Error for paths that are no value's or that name a
// table's entry that there is not.
std::optional<std::vector<std::string>> value_at(const GpuConfig& config, std::string_view path);

// Path and value, as text, of the single numbers whose provenance is of this kind.
std::map<std::string, std::string> numbers_of_kind(const GpuConfig& config, Provenance::Kind kind);

}  // namespace heddle::config
