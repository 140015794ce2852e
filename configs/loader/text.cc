#include "configs/loader/text.h"

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

#include "configs/loader/fields.h"
#include "configs/proto_text/proto_text.h"
#include "sim/base/error.h"

namespace heddle::config {
namespace {

// Where in the schema a place of the text is. protobuf's messages name neither the path nor the legal values.
struct Context {
  struct Level {
    const Descriptor* message;  // null inside an unknown field
    std::string path;
  };
  std::vector<Level> levels;
  const FieldDescriptor* field = nullptr;  // the last one named at this level
  std::string name;                        // its name, known or not
  int line = 0;                            // of the last token before the place
  int column = 0;
};

// Reads the tokens before (line, column).
class Scanner {
 public:
  Scanner(std::string_view text, int line, int column)
      : text_(text), stop_line_(line), stop_column_(column) {}

  Context scan() {
    context_.levels.push_back({GpuConfig::descriptor(), ""});
    while (at_ < text_.size() && (line_ < stop_line_ || (line_ == stop_line_ && column_ < stop_column_))) {
      token();
    }
    return std::move(context_);
  }

 private:
  void step() {
    if (text_[at_] == '\n') {
      ++line_;
      column_ = 0;
    } else if (text_[at_] == '\t') {
      column_ += 8 - column_ % 8;  // as protobuf's tokenizer counts
    } else {
      ++column_;
    }
    ++at_;
  }

  template <typename Predicate>
  void step_while(Predicate predicate) {
    while (at_ < text_.size() && predicate(text_[at_])) {
      step();
    }
  }

  void token() {
    const char c = text_[at_];
    if (std::isspace(static_cast<unsigned char>(c))) {
      step();
      return;
    }
    if (c == '#') {
      step_while([](char x) { return x != '\n'; });
      return;
    }
    context_.line = line_;
    context_.column = column_;
    if (c == '"' || c == '\'') {
      string(c);
    } else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      const size_t begin = at_;
      step_while([](char x) { return std::isalnum(static_cast<unsigned char>(x)) || x == '_'; });
      if (!value_follows_) {
        named(text_.substr(begin, at_ - begin));
      }
      value_follows_ = false;
    } else {
      punctuation(c);
      step();
    }
  }

  void string(char quote) {
    step();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        step();
      }
      step();
    }
    if (at_ < text_.size()) {
      step();
    }
    value_follows_ = false;
  }

  void named(std::string_view name) {
    const auto* message = context_.levels.back().message;
    context_.name = name;
    context_.field = message ? message->FindFieldByName(context_.name) : nullptr;
  }

  void punctuation(char c) {
    value_follows_ = c == ':' || (in_list_ && c == ',');
    if (c == '{' || c == '<') {
      const auto& outer = context_.levels.back();
      const bool known = context_.field && context_.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
      context_.levels.push_back({known ? context_.field->message_type() : nullptr,
                                 outer.path + (outer.path.empty() ? "" : ".") + context_.name});
      context_.field = nullptr;
      context_.name.clear();
    } else if ((c == '}' || c == '>') && context_.levels.size() > 1) {
      context_.levels.pop_back();
      context_.field = nullptr;
      context_.name.clear();
    } else if (c == '[') {
      in_list_ = value_follows_ = true;
    } else if (c == ']') {
      in_list_ = false;
    }
  }

  std::string_view text_;
  int stop_line_;
  int stop_column_;
  size_t at_ = 0;
  int line_ = 0;
  int column_ = 0;
  bool value_follows_ = false;
  bool in_list_ = false;
  Context context_;
};

[[noreturn]] void fail(std::string_view text, const std::string& name, const TextError& error) {
  const Context context = Scanner(text, error.line, error.column).scan();
  const auto& level = context.levels.back();
  const std::string path =
      level.path + (level.path.empty() || context.name.empty() ? "" : ".") + context.name;
  if (error.message.find(" has no field named ") != std::string::npos && level.message != nullptr) {
    throw Error(text_place(name, context.line, context.column) + "no field \"" + context.name + "\"" +
                (level.path.empty() ? "" : " in " + level.path) + "; " +
                suggest_fields(level.message, level.path, context.name));
  }
  // protobuf reports an unknown enumerator at the token after it.
  const bool before = error.message.rfind("Unknown enumeration value", 0) == 0;
  std::string out =
      text_place(name, before ? context.line : error.line, before ? context.column : error.column) +
      (path.empty() ? "" : path + ": ") + error.message;
  if (context.field != nullptr && context.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    out += "; legal values: " + legal_values(context.field) + unit_suffix(context.field);
  }
  throw Error(out);
}

// Entries of one table with one name would silently shadow each other.
void check_unique(const Message& message, const TextFormat::ParseInfoTree& tree, const std::string& file,
                  const std::string& prefix) {
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    }
    if (!field->is_repeated()) {
      check_unique(reflection->GetMessage(message, field), *tree.GetTreeForNested(field, -1), file,
                   prefix + field->name() + ".");
      continue;
    }
    const auto* key = key_field(field);
    std::set<std::string> seen;
    for (int i = 0; key != nullptr && i < reflection->FieldSize(message, field); ++i) {
      const auto& entry = reflection->GetRepeatedMessage(message, field, i);
      const std::string value = entry.GetReflection()->GetString(entry, key);
      const auto at = tree.GetLocation(field, i);
      std::string where = text_place(file, at.line, at.column).append(prefix).append(field->name());
      if (value.empty()) {
        throw Error(where + ": an entry without \"" + key->name() + "\"");
      }
      if (!seen.insert(value).second) {
        throw Error(where.append("[").append(value).append("] is given twice; legal: one entry per ") +
                    key->name());
      }
    }
  }
}

void check_provenance(const ParsedFile& file, const TextFormat::ParseInfoTree& tree) {
  const auto* field = GpuConfig::descriptor()->FindFieldByName("provenance");
  for (int i = 0; i < file.config.provenance_size(); ++i) {
    const Provenance& p = file.config.provenance(i);
    const auto at = tree.GetLocation(field, i);
    const std::string where = text_place(file.name, at.line, at.column) + "provenance of " + p.path();
    find_field(p.path(), where);
    if (!p.has_kind()) {
      throw Error(where + ": no kind; legal values: " +
                  legal_values(Provenance::descriptor()->FindFieldByName("kind")));
    }
    if (p.source().empty()) {
      throw Error(where +
                  ": no source; legal: a document, a measurement's file, or how the value was chosen");
    }
  }
}

}  // namespace

ParsedFile parse_text(std::string_view text, const std::string& name) {
  ParsedFile file;
  file.name = name;
  TextFormat::ParseInfoTree tree;
  if (const auto error = parse_proto_text(text, file.config, &tree)) {
    fail(text, name, *error);
  }
  check_unique(file.config, tree, name, "");
  check_provenance(file, tree);
  for (const Leaf& leaf : leaves(file.config, &tree)) {
    file.lines[leaf.path] = leaf.line;
  }
  return file;
}

std::vector<Ablation> parse_ablations(std::string_view text, const std::string& name) {
  Ablations table;
  if (const auto error = parse_proto_text(text, table)) {
    throw Error(text_place(name, error->line, error->column) + error->message);
  }
  std::set<std::string> names;
  for (const Ablation& a : table.ablation()) {
    if (a.name().empty() || a.instead().empty() || a.set().empty()) {
      throw Error(name + ": ablation \"" + a.name() + "\": needs `name`, `instead` and `set`");
    }
    if (!names.insert(a.name()).second) {
      throw Error(name + ": ablation \"" + a.name() + "\" is given twice; legal: one entry per name");
    }
  }
  return {table.ablation().begin(), table.ablation().end()};
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in;
  if (std::filesystem::is_regular_file(path)) {  // opening a pipe would wait for a writer
    in.open(path, std::ios::binary);
  }
  std::stringstream text;
  if (!in.is_open() || !in || !(text << in.rdbuf())) {
    // An empty file is read as well, although << of it fails.
    if (!std::filesystem::is_regular_file(path) || std::filesystem::file_size(path) != 0) {
      const bool folder = std::filesystem::is_directory(path);
      throw Error(path.string() + ": cannot be read: " +
                  (folder                          ? "is a directory"
                   : std::filesystem::exists(path) ? "no plain file"
                                                   : "no such file"));
    }
  }
  return text.str();
}

ParsedFile parse_file(const std::filesystem::path& path) {
  return parse_text(read_file(path), path.string());
}

}  // namespace heddle::config
