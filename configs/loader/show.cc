#include <algorithm>
#include <cstdint>
#include <set>

#include "configs/loader/config.h"
#include "configs/loader/fields.h"
#include "configs/loader/provenance.h"
#include "configs/schema/options.pb.h"
#include "sim/base/error.h"
#include "sim/base/fnv.h"

namespace heddle::config {
namespace {

constexpr size_t kCommentColumn = 40;

std::string provenance_text(const Provenance* p) {
  return p == nullptr ? "no provenance" : Provenance::Kind_Name(p->kind()) + ", " + p->source();
}

std::string with_comment(std::string line, const std::string& comment) {
  if (comment.empty()) {
    return line + "\n";
  }
  line.resize(std::max(line.size() + 2, kCommentColumn), ' ');
  return line + "# " + comment + "\n";
}

bool selected(const std::string& path, const std::string& under) {
  return under.empty() || path == under ||
         (path.starts_with(under) && (path[under.size()] == '.' || path[under.size()] == '['));
}

// A group above or below `under`, which may thus hold something to print.
bool on_the_way(const std::string& path, const std::string& under) {
  return selected(path, under) || selected(under, path);
}

class Printer {
 public:
  Printer(const GpuConfig& config, const ShowOptions& options)
      : config_(config), options_(options), coverage_(config.provenance()) {}

  std::string flat() const {
    std::string out;
    for (const Leaf& leaf : leaves(config_)) {
      // The name inside a table's entry is already in its path.
      if (selected(leaf.path, options_.under) && !is_name_of_entry(leaf.path, leaf.field)) {
        out += with_comment(leaf.path + "=" + leaf.value, comment(leaf.path, leaf.field));
      }
    }
    return out;
  }

  std::string nested() {
    print(config_, "", "");
    if (options_.under.empty()) {
      for (const Provenance& p : config_.provenance()) {
        out_ += "provenance { " + fields_on_one_line(p) + " }\n";
      }
    }
    return std::move(out_);
  }

 private:
  std::string comment(const std::string& path, const FieldDescriptor* field) const {
    if (!options_.annotate || is_identity(field)) {
      return "";
    }
    const std::string unit = unit_suffix(field);
    return (unit.empty() ? "" : unit.substr(1) + "; ") + provenance_text(coverage_.entry(path));
  }

  static std::string fields_on_one_line(const Message& message) {
    std::string line;
    for (const Leaf& leaf : leaves(message)) {
      line += (line.empty() ? "" : " ") + leaf.path + ": " + leaf.value;
    }
    return line;
  }

  // One provenance for the entry, and the fields that have another.
  std::string entry_comment(const Message& entry, const std::string& path) const {
    if (!options_.annotate) {
      return "";
    }
    const std::string whole = provenance_text(coverage_.entry(path));
    std::string out = whole;
    for (const Leaf& leaf : leaves(entry)) {
      const std::string own = provenance_text(coverage_.entry(path + "." + leaf.path));
      if (own != whole && leaf.field->number() != 1) {
        out += "; " + leaf.path + ": " + own;
      }
    }
    return out;
  }

  void print(const Message& message, const std::string& prefix, const std::string& indent) {
    const auto* reflection = message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(message, &fields);
    for (const auto* field : fields) {
      const std::string path = prefix + field->name();
      if (!on_the_way(path, options_.under) || is_of_the_file(field)) {
        continue;
      }
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
        out_ += with_comment(indent + field->name() + ": " + value(message, field), comment(path, field));
      } else if (field->is_repeated()) {
        print_table(message, field, path, indent);
      } else {
        out_ += indent + field->name() + " {\n";
        print(reflection->GetMessage(message, field), path + ".", indent + "  ");
        out_ += indent + "}\n";
      }
    }
  }

  void print_table(const Message& message, const FieldDescriptor* field, const std::string& path,
                   const std::string& indent) {
    const auto* reflection = message.GetReflection();
    const auto* key = key_field(field);
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      const auto& entry = reflection->GetRepeatedMessage(message, field, i);
      const std::string name = key ? entry.GetReflection()->GetString(entry, key) : std::to_string(i);
      std::string entry_path = path;
      entry_path.append("[").append(name).append("]");
      if (on_the_way(entry_path, options_.under)) {
        out_ += with_comment(indent + field->name() + " { " + fields_on_one_line(entry) + " }",
                             entry_comment(entry, entry_path));
      }
    }
  }

  static std::string value(const Message& message, const FieldDescriptor* field) {
    if (!field->is_repeated()) {
      return value_text(message, field);
    }
    std::vector<std::string> values;
    values.reserve(message.GetReflection()->FieldSize(message, field));
    for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i) {
      values.push_back(value_text(message, field, i));
    }
    return "[" + join(values) + "]";
  }

  const GpuConfig& config_;
  const ShowOptions& options_;
  const Coverage coverage_;
  std::string out_;
};

// Values by path, without those that are left out when they are at their default.
std::map<std::string, std::string> canonical_values(const GpuConfig& config) {
  std::map<std::string, std::string> out;
  for (const Leaf& leaf : leaves(config)) {
    const bool optional = leaf.field->options().GetExtension(may_be_absent);
    const bool zero = leaf.value == "0" || leaf.value == "false";
    if (!optional || !zero) {
      out[leaf.path] = leaf.value;
    }
  }
  return out;
}

}  // namespace

std::string to_text(const GpuConfig& config, const ShowOptions& options) {
  if (!options.under.empty()) {
    find_field(options.under, "config show " + options.under);
  }
  return options.flat ? Printer(config, options).flat() : Printer(config, options).nested();
}

std::vector<Difference> diff(const GpuConfig& a, const GpuConfig& b) {
  std::map<std::string, Difference> all;
  for (const auto& [path, value] : canonical_values(a)) {
    all[path].a = value;
  }
  for (const auto& [path, value] : canonical_values(b)) {
    all[path].b = value;
  }
  std::vector<Difference> out;
  for (auto& [path, d] : all) {
    if (d.a != d.b) {
      d.path = path;
      out.push_back(d);
    }
  }
  return out;
}

std::string hash(const GpuConfig& config) {
  Fnv fnv;
  for (const auto& [path, value] : canonical_values(config)) {
    std::string line = path;
    fnv.add(line.append("=").append(value).append("\n"));
  }
  uint64_t h = fnv.value();
  std::string out(16, '0');
  for (int i = 15; i >= 0; --i, h >>= 4) {
    out[i] = "0123456789abcdef"[h & 15];
  }
  return out;
}

std::optional<Provenance> provenance_of(const GpuConfig& config, std::string_view path) {
  const Coverage coverage(config.provenance());
  const Provenance* entry = coverage.entry(path);
  return entry == nullptr ? std::nullopt : std::optional(*entry);
}

namespace {

// Calls f(leaf, entry or null) for every value that has evidence.
template <typename F>
void for_each_value(const GpuConfig& config, F f) {
  const Coverage coverage(config.provenance());
  for (const Leaf& leaf : leaves(config)) {
    if (!is_identity(leaf.field) && !is_name_of_entry(leaf.path, leaf.field)) {
      f(leaf, coverage.entry(leaf.path));
    }
  }
}

}  // namespace

std::map<Provenance::Kind, int> provenance_summary(const GpuConfig& config) {
  std::map<Provenance::Kind, int> out;
  for_each_value(config, [&](const Leaf&, const Provenance* entry) {
    if (entry != nullptr) {
      ++out[entry->kind()];
    }
  });
  return out;
}

std::vector<std::string> without_provenance(const GpuConfig& config) {
  std::vector<std::string> out;
  for_each_value(config, [&](const Leaf& leaf, const Provenance* entry) {
    if (entry == nullptr) {
      out.push_back(leaf.path);
    }
  });
  return out;
}

}  // namespace heddle::config
