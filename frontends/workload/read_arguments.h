// The arguments of a call, from the fields that its declaration (sim/host/program/call_type.h) names.
#pragma once

#include "frontends/workload/graph_reader.h"
#include "frontends/workload/workload.pb.h"
#include "sim/host/program/call_type.h"

namespace heddle::workload {

// `what`: the field of `c` that is set.
void read_arguments(const proto::Call& c, const google::protobuf::FieldDescriptor& what, const Names& names,
                    host::Call& out);

}  // namespace heddle::workload
