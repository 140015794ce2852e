#include "tools/heddle/checks.h"

#include <fmt/format.h>

#include <optional>

#include "sim/base/text.h"

namespace heddle::cli {
CLI::Validator at_least(uint64_t least) {
  return CLI::Validator(
      [least](const std::string& text) {
        const std::optional<uint64_t> n = parse_number<uint64_t>(text);
        return n && *n >= least ? std::string()
                                : fmt::format("'{}' (legal: a whole number, {} or more)", text, least);
      },
      "");
}

CLI::Validator seconds(const std::string& legal, double least, double most) {
  return CLI::Validator(
      [=](const std::string& text) {
        const std::optional<double> n = parse_number<double>(text);
        return n && *n >= least && *n <= most ? std::string()
                                              : fmt::format("'{}' (legal: seconds, {})", text, legal);
      },
      "");
}

CLI::Validator size_value(bool kb_is_1000) {
  const CLI::AsSizeValue units(kb_is_1000);
  return CLI::Validator(
      [units](std::string& text) {
        // CLI11 alone takes 0x10 and 010, as C does.
        const size_t digits = text.find_first_not_of("0123456789");
        const bool leading = text.size() > 1 && text[0] == '0' && digits != 1;
        if (digits == 0 || leading || (digits == 1 && (text[1] == 'x' || text[1] == 'X'))) {
          return fmt::format("'{}' (legal: a decimal number of bytes, also as 20MiB)", text);
        }
        return units(text);
      },
      units.get_description());
}

void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* o : app.get_options()) {
    // What stands behind `heddle capture --` is the program's.
    if (o->get_items_expected_max() > 0 && o->get_name() != "COMMAND") {
      o->check(CLI::Validator(
          [](const std::string& text) {
            return text.empty() ? std::string("the value is empty") : std::string();
          },
          ""));
    }
  }
  for (CLI::App* c : app.get_subcommands(nullptr)) {
    refuse_empty_values(*c);
  }
}

}  // namespace heddle::cli
