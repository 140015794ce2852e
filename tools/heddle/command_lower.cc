// heddle lower: the machine code that a kernel in PTX is timed as.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "frontends/ptx/load.h"
#include "frontends/ptx/lower/lower.h"
#include "sim/base/error.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/module_launch.h"

namespace heddle::cli {
namespace {

struct LowerOptions {
  std::filesystem::path file;
  std::string kernel;
};

std::string counters(uint8_t mask) {
  std::string out;
  for (uint32_t b = 0; b < 6; ++b) {
    out += (mask >> b & 1) != 0 ? static_cast<char>('0' + b) : '-';
  }
  return out;
}

// Address, counters waited for, counters of operands and results, stall, the instruction.
void print_code(const isa::KernelImage& image) {
  print(fmt::format("// {}: {} registers\n", image.name, image.shape.registers_per_thread));
  for (size_t i = 0; i < image.code.size(); ++i) {
    const isa::Control& c = image.code[i].ctl;
    const auto one = [](uint8_t b) { return b < 6 ? static_cast<char>('0' + b) : '-'; };
    print(fmt::format("{:04x}  {} {}{} {:2}{}  {} ;\n", image.code[i].pc, counters(c.wait_mask),
                      one(c.read_barrier), one(c.write_barrier), c.stall, c.yield ? 'Y' : ' ',
                      image.text[i]));
  }
}

int lower(const LowerOptions& o) {
  const auto module = ptx::load(o.file);
  bool any = false;
  int status = 0;
  for (const ptx::Function& f : module->functions) {
    if (!f.entry || !f.defined || (!o.kernel.empty() && f.name != o.kernel)) {
      continue;
    }
    any = true;
    try {
      print_code(ptx::lower::lower(*module, f)->image);
    } catch (const Unsupported& e) {
      status = report_instructions(e.what(), e.lines());
    }
  }
  if (!any) {
    throw Error(o.kernel.empty() ? fmt::format("{}: no kernel in it", o.file.string())
                                 : fmt::format("{}: no kernel {}", o.file.string(), o.kernel));
  }
  return status;
}

}  // namespace

void add_lower(CLI::App& app, int& status) {
  auto o = std::make_shared<LowerOptions>();
  CLI::App* c = app.add_subcommand("lower", "the machine code that a kernel in PTX is timed as");
  c->add_option("FILE", o->file, "a module in PTX")->type_name("FILE.ptx")->required();
  c->add_option("--kernel", o->kernel, "this kernel only (default: all)");
  c->callback([o, &status] { status = lower(*o); });
}

}  // namespace heddle::cli
