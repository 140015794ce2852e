// The text of a workload file, before anything is made of it.
#pragma once

#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>

#include "frontends/workload/workload.pb.h"

namespace heddle::workload {

// `tree`: where everything is. Error "NAME:LINE:COLUMN: ...": not a workload, too long, loops inside each
// other too deep.
void parse_text(std::string_view text, const std::string& name, proto::Workload& w,
                google::protobuf::TextFormat::ParseInfoTree& tree);

}  // namespace heddle::workload
