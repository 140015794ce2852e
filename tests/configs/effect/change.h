// Every value of a configuration, one at a time, as something else.
#pragma once

#include <google/protobuf/message.h>

#include <functional>
#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"

namespace heddle::config::effect {

struct Field {
  std::string path;
  const google::protobuf::FieldDescriptor* descriptor;
  std::function<google::protobuf::Message*(GpuConfig&)> find;  // the message that has it

  // The whole configuration with this field changed, to several values; legal or not.
  std::vector<GpuConfig> others(const GpuConfig& gpu) const;
};

// Of all messages below `gpu`, by the schema, so that a field that somebody adds is among them: numbers,
// enumerations, switches, names of pipes, and lists. Fields that may be left out and are get a value, but
// for those of a table's entries.
std::vector<Field> fields(const GpuConfig& gpu);

}  // namespace heddle::config::effect
