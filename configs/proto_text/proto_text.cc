#include "configs/proto_text/proto_text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace heddle::config {
namespace {

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (!error) {
      error = TextError{line, column, message};
      while (error->message.ends_with('.') || error->message.ends_with('\n')) {
        error->message.pop_back();
      }
    }
  }
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}

  std::optional<TextError> error;
};

}  // namespace

std::string text_place(const std::string& name, int line, int column) {
  return name + ":" + std::to_string(line + 1) + ":" + std::to_string(column + 1) + ": ";
}

std::optional<TextError> parse_proto_text(std::string_view text, google::protobuf::Message& message,
                                          google::protobuf::TextFormat::ParseInfoTree* places, int depth) {
  FirstError first;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&first);
  if (places != nullptr) {
    parser.WriteLocationsTo(places);
  }
  if (depth > 0) {
    parser.SetRecursionLimit(depth);
  }
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (parser.Parse(&stream, &message)) {
    return std::nullopt;
  }
  return first.error ? first.error : TextError{0, 0, "not readable as " + message.GetTypeName()};
}

}  // namespace heddle::config
