#include "frontends/workload/parse_text.h"

#include "configs/proto_text/proto_text.h"
#include "frontends/workload/reader.h"
#include "sim/base/error.h"

namespace heddle::workload {

void parse_text(std::string_view text, const std::string& name, proto::Workload& w,
                google::protobuf::TextFormat::ParseInfoTree& tree) {
  constexpr int kDepth = 2 * kMostLoops + 8;  // two messages for each loop, and what a call holds
  if (text.size() > kMostText) {
    throw Error(name + ": more than " + std::to_string(kMostText >> 20) +
                " MiB; `repeat` makes calls many times without writing them out");
  }
  if (const auto error = config::parse_proto_text(text, w, &tree, kDepth)) {
    const bool deep = error->message.find("recursion limit") != std::string::npos;
    throw Error(config::text_place(name, error->line, error->column) +
                (deep ? "messages inside each other too deep; legal: " + std::to_string(kMostLoops) +
                            " times `repeat` inside `repeat`"
                      : error->message));
  }
}

}  // namespace heddle::workload
