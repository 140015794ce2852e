#include "frontends/ptx/load.h"

#include "frontends/input/limits.h"
#include "frontends/input/out_of_memory.h"
#include "frontends/input/regular_file.h"
#include "frontends/ptx/parser.h"
#include "frontends/ptx/resolver.h"

namespace heddle::ptx {

std::unique_ptr<const Module> parse(std::string name, std::string text) {
  if (text.size() >= UINT32_MAX) {
    throw Error(name + ":1:1: more than 4 GiB of text (legal: up to 4294967294 bytes)");
  }
  const std::string where = name;
  return input::naming(where, [&] {
    auto module = std::make_unique<Module>(std::move(name), std::move(text));
    Parser parser(module->source, module->made);
    Resolver resolver(*module);
    ast::Item item;
    do {
      parser.next(item);
      resolver.add(item);
    } while (item.kind != ast::ItemKind::kEnd);
    resolver.finish();
    return std::unique_ptr<const Module>(std::move(module));
  });
}

std::unique_ptr<const Module> load(const std::filesystem::path& file) {
  return parse(file.string(), input::read_regular_file(file, input::limits().text_bytes));
}

}  // namespace heddle::ptx
