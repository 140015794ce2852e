#include <fmt/format.h>

#include <map>

#include "sim/base/error.h"
#include "tools/heddle/describe.h"

namespace heddle::cli {
namespace {

std::string words(const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, " ")); }

std::string options_of(const DescribedCommand& c) {
  std::string out;
  for (const DescribedOption& o : c.options) {
    if (!o.positional) {
      out += (out.empty() ? "" : " ") + words(o.names);
    }
  }
  return out;
}

// The patterns of a shell's case: every command but the program itself.
std::string paths(const std::vector<DescribedCommand>& commands) {
  std::string out;
  for (size_t i = 1; i < commands.size(); ++i) {
    out += fmt::format("{}\"{}\"", i > 1 ? " | " : "", commands[i].path);
  }
  return out;
}

std::vector<std::string> assignments(const std::vector<std::string>& fields) {
  std::vector<std::string> out;
  out.reserve(fields.size());
  for (const std::string& f : fields) {
    out.push_back(f + "=");
  }
  return out;
}

// What stands behind an option, or in the place of an argument.
std::vector<std::string> values_of(const DescribedOption& o, const CompletionValues& v) {
  const std::string& name = o.names.front();
  return name == "--gpu" || name == "GPU"           ? v.gpus
         : name == "--fidelity"                     ? v.presets
         : name == "--metric" || name == "--pareto" ? v.metrics
         : name == "--set"                          ? assignments(v.fields)
                                                    : o.choices;
}

// Where the value may be a file as well.
bool takes_file(const DescribedOption& o) {
  return o.names.front() == "--gpu" || o.names.front() == "--fidelity";
}

// Every option with values, once, but --set, which is followed by more of the same word.
std::map<std::string, DescribedOption> options_with_values(const std::vector<DescribedCommand>& commands,
                                                           const CompletionValues& v) {
  std::map<std::string, DescribedOption> out;
  for (const DescribedCommand& c : commands) {
    for (const DescribedOption& o : c.options) {
      if (!o.positional && !values_of(o, v).empty() && o.names.front() != "--set") {
        out.emplace(fmt::format("{}", fmt::join(o.names, " | ")), o);
      }
    }
  }
  return out;
}

// Subcommands, and the values of arguments.
std::string words_of(const DescribedCommand& c, const CompletionValues& v) {
  std::vector<std::string> out = c.subcommands;
  for (const DescribedOption& o : c.options) {
    if (o.positional) {
      const std::vector<std::string> values = values_of(o, v);
      out.insert(out.end(), values.begin(), values.end());
    }
  }
  return words(out);
}

std::string bash(const std::vector<DescribedCommand>& commands, const CompletionValues& v) {
  std::string out = fmt::format(
      R"(# bash completion of heddle: source it, or put it into /etc/bash_completion.d
_heddle() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} path=heddle i options commands
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case $prev in
    --set) compopt -o nospace; COMPREPLY=($(compgen -W "{}" -- "$cur")); return ;;
)",
      paths(commands), words(assignments(v.fields)));
  for (const auto& [names, o] : options_with_values(commands, v)) {
    out += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"){}); return ;;\n", names,
                       words(values_of(o, v)), takes_file(o) ? " $(compgen -f -- \"$cur\")" : "");
  }
  out += "  esac\n  case $path in\n";
  for (const DescribedCommand& c : commands) {
    out +=
        fmt::format("    \"{}\") options=\"{}\" commands=\"{}\" ;;\n", c.path, options_of(c), words_of(c, v));
  }
  return out + R"(  esac
  case $cur in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$commands" -- "$cur") $(compgen -f -- "$cur")) ;;
  esac
}
complete -o filenames -F _heddle heddle
)";
}

std::string zsh(const std::vector<DescribedCommand>& commands, const CompletionValues& v) {
  std::string out = fmt::format(R"(#compdef heddle
# zsh completion of heddle: put it as _heddle into a directory of $fpath
_heddle() {{
  local path_=heddle w
  for w in ${{words[2,CURRENT-1]}}; do
    case "$path_ $w" in
      {}) path_="$path_ $w" ;;
    esac
  done
  case ${{words[CURRENT-1]}} in
    --set) compadd -S '' -- '{}'; return ;;
)",
                                // in quotes: sm.op[fp32] is a pattern of zsh's
                                paths(commands), fmt::join(assignments(v.fields), "' '"));
  for (const auto& [names, o] : options_with_values(commands, v)) {
    out += fmt::format("    {}) compadd -- {};{} return ;;\n", names, words(values_of(o, v)),
                       takes_file(o) ? " _files;" : "");
  }
  out += "  esac\n  local -a options commands\n  case $path_ in\n";
  for (const DescribedCommand& c : commands) {
    out += fmt::format("    \"{}\") options=({}) commands=({}) ;;\n", c.path, options_of(c), words_of(c, v));
  }
  return out + R"(  esac
  if [[ ${words[CURRENT]} == -* ]]; then
    compadd -- $options
  else
    compadd -- $commands
    _files
  fi
}
compdef _heddle heddle
)";
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return out + "'";
}

std::string fish(const std::vector<DescribedCommand>& commands, const CompletionValues& v) {
  std::string patterns;
  for (size_t i = 1; i < commands.size(); ++i) {
    patterns += " " + fish_quoted(commands[i].path);
  }
  std::string out =
      fmt::format(R"(# fish completion of heddle: put it into ~/.config/fish/completions/heddle.fish
function __heddle_path
  set -l path heddle
  for w in (commandline -opc)[2..-1]
    if contains -- "$path $w"{}
      set path "$path $w"
    end
  end
  echo $path
end
function __heddle_at
  test (__heddle_path) = "$argv"
end
)",
                  patterns);
  for (const DescribedCommand& c : commands) {
    const std::string here = fmt::format("complete -c heddle -n '__heddle_at {}'", c.path);
    if (const std::string offered = words_of(c, v); !offered.empty()) {
      out += fmt::format("{}{} -a {}\n", here, c.subcommands.empty() ? "" : " -f", fish_quoted(offered));
    }
    for (const DescribedOption& o : c.options) {
      if (o.positional) {
        continue;
      }
      std::string line = here;
      for (const std::string& n : o.names) {
        line += n.starts_with("--") ? " -l " + n.substr(2) : " -s " + n.substr(1);
      }
      const std::vector<std::string> values = values_of(o, v);
      line += o.value.empty() ? "" : " -r";
      line += values.empty() ? "" : " -a " + fish_quoted(words(values));
      out += line + " -d " + fish_quoted(o.help) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<DescribedCommand>& commands,
                              const CompletionValues& values) {
  if (shell == "bash" || shell == "zsh" || shell == "fish") {
    return shell == "bash"  ? bash(commands, values)
           : shell == "zsh" ? zsh(commands, values)
                            : fish(commands, values);
  }
  throw Error(fmt::format("no completion for '{}'; legal values: bash, zsh, fish", shell));
}

}  // namespace heddle::cli
