#include "configs/loader/validate.h"

#include "configs/loader/fields.h"
#include "configs/schema/options.pb.h"

namespace heddle::config {
namespace {

double number(const Message& message, const FieldDescriptor* field, int index) {
  return std::stod(value_text(message, field, index));
}

bool is_power_of_two(double v) {
  return v >= 1 && v < 9.2e18 && static_cast<double>(static_cast<uint64_t>(v)) == v &&
         (static_cast<uint64_t>(v) & (static_cast<uint64_t>(v) - 1)) == 0;
}

bool in_range(const Message& message, const FieldDescriptor* field, int index) {
  if (!field->options().HasExtension(range)) {
    return true;
  }
  const Range& r = field->options().GetExtension(range);
  const double v = number(message, field, index);
  // Written so that NaN fails.
  return (!r.has_min() || v >= r.min()) && (!r.has_max() || v <= r.max()) &&
         (!r.power_of_two() || is_power_of_two(v));
}

class FieldChecker {
 public:
  FieldChecker(const GpuConfig& config, Problems& problems) : config_(config), problems_(problems) {}

  void check(const Message& message, const std::string& prefix) {
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const auto* field = message.GetDescriptor()->field(i);
      if (is_of_the_file(field)) {
        continue;
      }
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        check_message(message, field, prefix + field->name());
      } else {
        check_value(message, field, prefix + field->name());
      }
    }
  }

 private:
  void check_message(const Message& message, const FieldDescriptor* field, const std::string& path) {
    const auto* reflection = message.GetReflection();
    if (!field->is_repeated()) {
      // An absent group is checked as an empty one: its fields are what the user has to add.
      check(reflection->GetMessage(message, field), path + ".");
      return;
    }
    const auto* key = key_field(field);
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      const auto& entry = reflection->GetRepeatedMessage(message, field, i);
      const std::string name = key ? entry.GetReflection()->GetString(entry, key) : std::to_string(i);
      std::string below = path;
      check(entry, below.append("[").append(name).append("]."));
    }
  }

  void check_value(const Message& message, const FieldDescriptor* field, const std::string& path) {
    const auto* reflection = message.GetReflection();
    const std::string legal = "; legal values: " + legal_values(field) + unit_suffix(field);
    const int n = field->is_repeated() ? reflection->FieldSize(message, field) : -1;
    if (n == 0 || (n < 0 && !reflection->HasField(message, field))) {
      if (!field->options().GetExtension(may_be_absent)) {
        problems_.add(config_, path, "not set" + legal);
      }
    } else if (n < 0) {
      if (!in_range(message, field, -1)) {
        problems_.add(config_, path, "out of range" + legal);
      }
    } else {
      for (int i = 0; i < n; ++i) {
        if (!in_range(message, field, i)) {
          problems_.add(config_, path, value_text(message, field, i) + " is out of range" + legal);
          break;
        }
      }
    }
  }

  const GpuConfig& config_;
  Problems& problems_;
};

}  // namespace

void Problems::add(const GpuConfig& config, const std::string& path, const std::string& text) {
  std::string line;
  if (auto it = origins_.find(path); it != origins_.end()) {
    line = it->second + ": ";
  }
  line += path;
  for (const Leaf& leaf : leaves(config)) {
    if (leaf.path == path) {
      line += " = " + leaf.value;
    }
  }
  lines_.push_back(line + ": " + text);
}

void check_fields(const GpuConfig& config, Problems& problems) {
  FieldChecker(config, problems).check(config, "");
}

}  // namespace heddle::config
