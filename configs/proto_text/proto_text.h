// Reading protobuf text, with the place of what is wrong.
#pragma once

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <optional>
#include <string>
#include <string_view>

namespace heddle::config {

// The first thing that is wrong with a text: what protobuf's parser finds later follows from it.
struct TextError {
  int line = 0, column = 0;  // from 0
  std::string message;       // protobuf's, without the stop at its end
};

// "NAME:LINE:COLUMN: ", counted from 1.
std::string text_place(const std::string& name, int line, int column);

// Reads `text` into `message`; what stands where goes to `places`, if there is any. At most `depth` messages
// inside each other; 0: protobuf's limit.
std::optional<TextError> parse_proto_text(std::string_view text, google::protobuf::Message& message,
                                          google::protobuf::TextFormat::ParseInfoTree* places = nullptr,
                                          int depth = 0);

}  // namespace heddle::config
