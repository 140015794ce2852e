#include "frontends/ptx/parser.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace heddle::ptx {
namespace {

constexpr std::string_view kModuleDirectives =
    ".version, .target, .address_size, .visible, .extern, .weak, .common, .entry, .func, .global, .const, "
    ".shared, "
    ".local, .tex, .alias, .file, .section, .pragma";

std::optional<Linkage> linkage_of(std::string_view word) {
  if (word == ".visible") {
    return Linkage::kVisible;
  }
  if (word == ".extern") {
    return Linkage::kExtern;
  }
  if (word == ".weak") {
    return Linkage::kWeak;
  }
  return word == ".common" ? std::optional(Linkage::kCommon) : std::nullopt;
}

// Whether a module's next item begins here, not a function's directive.
bool begins_item(const Token& t) {
  constexpr std::string_view kWords[] = {".visible", ".extern", ".weak",   ".common", ".entry", ".func",
                                         ".global",  ".const",  ".shared", ".local",  ".file",  ".section"};
  return t.is(TokenKind::kDirective) &&
         std::find(std::begin(kWords), std::end(kWords), t.text) != std::end(kWords);
}

}  // namespace

void Parser::next(ast::Item& item) {
  item.clear();
  while (tokens_.now().is(';')) {
    tokens_.next();
  }
  while (tokens_.now().is('@', '@')) {  // @@dwarf lines of old compilers
    tokens_.skip_line();
  }
  const Token& t = tokens_.now();
  item.at = t.at;
  item.kind = ast::ItemKind::kEnd;
  if (t.is(TokenKind::kEnd)) {
    return;
  }
  if (!t.is(TokenKind::kDirective)) {
    tokens_.unexpected(kModuleDirectives);
  }
  directive(item);
}

void Parser::directive(ast::Item& item) {
  const std::string_view word = tokens_.now().text;
  if (word == ".version") {
    version(item);
  } else if (word == ".target") {
    target(item);
  } else if (word == ".address_size") {
    item.kind = ast::ItemKind::kAddressSize;
    tokens_.next();
    item.numbers.push_back(parse_count(tokens_, "32 or 64"));
  } else if (word == ".file") {
    file(item);
  } else if (word == ".section") {
    section(item);
  } else if (word == ".alias") {
    alias(item);
  } else if (word == ".loc") {  // outside functions it means nothing
    item.kind = ast::ItemKind::kPragma;
    ast::Item unused;
    loc(unused);
  } else if (word == ".pragma") {
    item.kind = ast::ItemKind::kPragma;
    do {
      tokens_.next();
      item.names.push_back(tokens_.need_string("a string in double quotes"));
    } while (tokens_.now().is(','));
    tokens_.need(';', "';'");
  } else {
    linked(item);
  }
}

// .visible .entry, .extern .global, .func and so on.
void Parser::linked(ast::Item& item) {
  Linkage linkage = Linkage::kNone;
  while (const auto found = linkage_of(tokens_.now().is(TokenKind::kDirective) ? tokens_.now().text : "")) {
    linkage = *found;
    tokens_.next();
  }
  if (tokens_.now().is_directive(".entry") || tokens_.now().is_directive(".func")) {
    function(item, linkage);
    return;
  }
  const std::string_view word = tokens_.now().text;
  if (!tokens_.now().is(TokenKind::kDirective) ||
      (word != ".global" && word != ".const" && word != ".shared" && word != ".local" && word != ".tex" &&
       word != ".param" && word != ".reg")) {
    tokens_.unexpected(linkage == Linkage::kNone ? kModuleDirectives
                                                 : ".entry, .func, .global, .const, .shared, .local, .tex");
  }
  item.kind = ast::ItemKind::kVariables;
  declaration(item, linkage);
}

void Parser::version(ast::Item& item) {
  item.kind = ast::ItemKind::kVersion;
  tokens_.next();
  // "9.0" comes as a floating-point number: its two halves are read from the text.
  const Token t = tokens_.now();
  const size_t dot = t.text.find('.');
  const auto part = [&](size_t from, size_t to) -> uint64_t {
    uint64_t n = 0;
    for (const char c : t.text.substr(from, to - from)) {
      if (c < '0' || c > '9' || n > 99) {
        tokens_.unexpected("a version such as 8.5");
      }
      n = n * 10 + static_cast<uint64_t>(c - '0');
    }
    return n;
  };
  if (!t.is(TokenKind::kFloat64) || dot == std::string_view::npos) {
    tokens_.unexpected("a version such as 8.5");
  }
  item.numbers = {part(0, dot), part(dot + 1, t.text.size())};
  tokens_.next();
}

void Parser::target(ast::Item& item) {
  item.kind = ast::ItemKind::kTarget;
  do {
    tokens_.next();
    item.names.push_back(tokens_.need_name("a target such as sm_90a, or an option such as debug"));
  } while (tokens_.now().is(','));
}

// .file 1 "a.cu", 1234, 56
void Parser::file(ast::Item& item) {
  item.kind = ast::ItemKind::kFile;
  tokens_.next();
  item.numbers.push_back(parse_count(tokens_, "the number of a file"));
  item.names.push_back(tokens_.need_string("the name of a file in double quotes"));
  while (tokens_.take(',')) {
    item.numbers.push_back(parse_count(tokens_, "a number"));
  }
}

// .section .debug_info { ... }: data whose use is in debuggers.
void Parser::section(ast::Item& item) {
  item.kind = ast::ItemKind::kSection;
  tokens_.next();
  if (tokens_.now().is(TokenKind::kDirective) || tokens_.now().is(TokenKind::kName)) {
    item.names.push_back(tokens_.now().text);
    tokens_.next();
  } else {
    tokens_.unexpected("the name of a section such as .debug_info");
  }
  const uint32_t at = tokens_.now().at;
  tokens_.need('{', "'{'");
  for (int depth = 1; depth > 0; tokens_.next()) {
    if (tokens_.now().is(TokenKind::kEnd)) {
      tokens_.fail(at, "section without an end (legal: { ... })");
    }
    depth += tokens_.now().is('{') ? 1 : tokens_.now().is('}') ? -1 : 0;
  }
}

void Parser::alias(ast::Item& item) {
  item.kind = ast::ItemKind::kAlias;
  tokens_.next();
  item.names.push_back(tokens_.need_name("the name of an alias"));
  tokens_.need(',', "',' and the name of a function");
  item.at = tokens_.now().at;
  item.names.push_back(tokens_.need_name("the name of a function"));
  tokens_.need(';', "';'");
}

// .entry name (parameters) directives { body }
void Parser::function(ast::Item& item, Linkage linkage) {
  item.kind = ast::ItemKind::kFunction;
  ast::Prototype p;
  p.entry = tokens_.now().text == ".entry";
  p.linkage = linkage;
  tokens_.next();
  ast::Declaration ignored;
  while (tokens_.now().is_directive(".attribute")) {
    attribute(item, ignored);
  }
  if (!p.entry && tokens_.now().is('(')) {
    p.returns = parameters(item);
  }
  p.at = tokens_.now().at;
  p.name = tokens_.need_name("the name of a function");
  if (tokens_.now().is('(')) {
    p.parameters = parameters(item);
  }
  function_directives(item, p);
  if (tokens_.take(';') || begins_item(tokens_.now())) {  // without ';' by nvopencc
    item.prototypes.push_back(p);
    return;
  }
  tokens_.need(
      '{',
      "';', '{', or one of .maxnreg, .maxntid, .reqntid, .minnctapersm, .maxnctapersm, "
      ".reqnctapercluster, .explicitcluster, .maxclusterrank, .blocksareclusters, .noreturn, .pragma, "
      ".abi_preserve, .abi_preserve_control");
  p.has_body = true;
  item.prototypes.push_back(p);
  body(item);
}

// What stands between the parameters and the body.
void Parser::function_directives(ast::Item& item, ast::Prototype& prototype) {
  prototype.directives.first = static_cast<uint32_t>(item.directives.size());
  while (tokens_.now().is(TokenKind::kDirective) && !begins_item(tokens_.now())) {
    ast::Directive d;
    d.name = tokens_.now().text;
    d.at = tokens_.now().at;
    tokens_.next();
    d.values.first = static_cast<uint32_t>(item.numbers.size());
    if (d.name == ".attribute") {
      tokens_.need('(', "'('");
      skip_to_end();
      continue;
    }
    if (d.name == ".pragma") {
      d.text = tokens_.need_string("a string in double quotes");
      tokens_.take(';');
    } else if (d.name == ".noreturn") {
      prototype.noreturn = true;
    } else if (!tokens_.now().is(TokenKind::kDirective) && !tokens_.now().is('{') && !tokens_.now().is(';')) {
      do {
        item.numbers.push_back(parse_count(tokens_, "a number"));
      } while (tokens_.take(','));
    }
    d.values.count = static_cast<uint32_t>(item.numbers.size()) - d.values.first;
    item.directives.push_back(d);
  }
  prototype.directives.count = static_cast<uint32_t>(item.directives.size()) - prototype.directives.first;
}

// Behind the ')' of a '(' that has been read.
void Parser::skip_to_end() {
  for (int depth = 1; depth > 0; tokens_.next()) {
    if (tokens_.now().is(TokenKind::kEnd)) {
      tokens_.unexpected("')'");
    }
    depth += tokens_.now().is('(') ? 1 : tokens_.now().is(')') ? -1 : 0;
  }
}

}  // namespace heddle::ptx
