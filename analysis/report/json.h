// Writes JSON to a stream, a value at a time, so that large documents are never held in memory.
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heddle::analysis {

// Text is escaped so that it can stand in an HTML script element, too ("<" becomes \u003c). Invalid UTF-8 is
// replaced by U+FFFD. Numbers that JSON does not have (NaN, infinity) become null.
class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  template <typename T>
    requires std::is_integral_v<T>
  JsonWriter& value(T number) {
    return integer(static_cast<int64_t>(number));
  }
  // Text that is JSON already.
  JsonWriter& raw(std::string_view json);
  // A line break before the next element.
  JsonWriter& line();

  template <typename T>
  JsonWriter& field(std::string_view name, const T& v) {
    return key(name).value(v);
  }

 private:
  JsonWriter& open(char c);
  JsonWriter& close(char c);
  JsonWriter& integer(int64_t number);
  void separate();
  void text(std::string_view s);

  std::ostream& out_;
  std::vector<bool> first_{true};  // of each open object or array: nothing in it yet
  bool after_key_ = false;
  bool break_ = false;
};

}  // namespace heddle::analysis
