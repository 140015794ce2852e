#include "frontends/workload/parse_text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "frontends/workload/reader.h"
#include "sim/engine/error.h"

namespace heddle::workload {
namespace {

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (text.empty()) {
      const bool deep = message.find("recursion limit") != std::string::npos;
      text = std::to_string(line + 1) + ":" + std::to_string(column + 1) + ": " +
             (deep ? "messages inside each other too deep; legal: " + std::to_string(kMostLoops) +
                         " times `repeat` inside `repeat`"
                   : message);
    }
  }
  std::string text;
};

}  // namespace

void parse_text(std::string_view text, const std::string& name, proto::Workload& w,
                google::protobuf::TextFormat::ParseInfoTree& tree) {
  FirstError errors;
  google::protobuf::TextFormat::Parser parser;
  if (text.size() > kMostText) {
    throw Error(name + ": more than " + std::to_string(kMostText >> 20) +
                " MiB; `repeat` makes calls many times without writing them out");
  }
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(2 * kMostLoops + 8);  // two messages for each loop, and what a call holds
  parser.WriteLocationsTo(&tree);
  google::protobuf::io::ArrayInputStream in(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&in, &w)) {
    throw Error(name + ":" + (errors.text.empty() ? "1: not a workload" : errors.text));
  }
}

}  // namespace heddle::workload
