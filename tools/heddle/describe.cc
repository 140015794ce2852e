#include "tools/heddle/describe.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace heddle::cli {
namespace {

// The words of "driver|max|PERCENT", and of what CLI11 says of a set: "TEXT:{block,regs,smem}".
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> out(1);
  for (char c : type.substr(type.find('{') == std::string::npos ? 0 : type.find('{') + 1)) {
    c == '|' || c == ',' || c == '}' ? (void)out.emplace_back() : out.back().push_back(c);
  }
  std::erase_if(out, [](const std::string& word) {
    return word.empty() ||
           !std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  });
  return out;
}

void add(const CLI::App& app, const std::string& path, std::vector<DescribedCommand>& out) {
  DescribedCommand c{path, app.get_description(), {}, {}};
  for (const CLI::Option* o : app.get_options()) {
    DescribedOption d;
    for (const std::string& name : o->get_lnames()) {
      d.names.push_back("--" + name);
    }
    for (const std::string& name : o->get_snames()) {
      d.names.push_back("-" + name);
    }
    d.positional = d.names.empty();
    if (d.positional) {
      d.names.push_back(o->get_name(true));
    }
    d.help = o->get_description();
    if (o->get_items_expected_max() != 0) {
      // "INT:INT in [1 - 64]": what CLI11 appends for checks is too much for a page.
      const std::string type = o->get_type_name();
      d.choices = choices_of(type);
      d.value = type.empty() ? "VALUE" : type.substr(0, type.find(':'));
    }
    d.required = o->get_required();
    c.options.push_back(d);
  }
  std::vector<const CLI::App*> subcommands;
  for (const CLI::App* s : app.get_subcommands(nullptr)) {
    if (!s->get_group().empty()) {
      c.subcommands.push_back(s->get_name());
      subcommands.push_back(s);
    }
  }
  out.push_back(c);
  for (const CLI::App* s : subcommands) {
    add(*s, path + " " + s->get_name(), out);
  }
}

// In front of '.' and "'" a line would be a request.
std::string roff(const std::string& text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (char c : text) {
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return out;
}

}  // namespace

std::vector<DescribedCommand> describe(const CLI::App& app) {
  std::vector<DescribedCommand> out;
  add(app, app.get_name(), out);
  return out;
}

std::string man_page(const std::vector<DescribedCommand>& commands, const std::string& revision) {
  std::string out =
      fmt::format(".TH HEDDLE 1 \"\" \"Heddle {}\" \"User Commands\"\n.SH NAME\nheddle \\- {}\n",
                  roff(revision), roff(commands.front().help));
  out += ".SH SYNOPSIS\n.B heddle\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const DescribedCommand& c : commands) {
    if (c.path == commands.front().path) {
      continue;
    }
    out += fmt::format(".SS {}\n{}\n", roff(c.path), roff(c.help));
    for (const DescribedOption& o : c.options) {
      std::string names;
      for (const std::string& n : o.names) {
        names += (names.empty() ? "" : ", ") + roff(n);
      }
      out +=
          fmt::format(".TP\n{}{}{}{}\n{}\n", o.positional ? "\\fI" : "\\fB", names, "\\fR",
                      o.positional || o.value.empty() ? "" : " \\fI" + roff(o.value) + "\\fR", roff(o.help));
    }
  }
  out +=
      ".SH EXIT STATUS\n0 when all went well, 1 after an error, 130 and 143 when interrupted.\n"
      ".SH ENVIRONMENT\n\\fBHEDDLE_LIMITS\\fR: NAME=N[,NAME=N...] changes how much an input file may ask "
      "for; the "
      "message about a file that asks for more names the limit.\n"
      ".SH FILES\nGPUs are looked up in the directories of \\fBHEDDLE_CONFIGS\\fR, then in the shipped "
      "ones.\n";
  return out;
}

}  // namespace heddle::cli
