#include "frontends/accelsim/static_code.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "frontends/accelsim/text_error.h"
#include "frontends/input/limits.h"
#include "frontends/sass/from_fields.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

namespace heddle::accelsim {

namespace {

bool drop_other_kernels(std::vector<sass::Function>& functions, const std::string& name) {
  const auto at_zero = [](const sass::Function& f) { return f.base == 0; };
  if (std::count_if(functions.begin(), functions.end(), at_zero) > 1) {
    std::erase_if(functions, [&](const sass::Function& f) { return f.base == 0 && f.name != name; });
  }
  const auto kernel = std::find_if(functions.begin(), functions.end(), at_zero);
  return kernel != functions.end() && (kernel->name.empty() || kernel->name == name);
}

std::string pseudo_sass(const InstrFields& f) {
  std::string s(f.opcode);
  const char* separator = " ";
  for (const auto regs : {f.dst_regs(), f.src_regs()}) {
    for (const uint8_t r : regs) {
      s += separator;
      s += r == 255 ? "RZ" : "R" + std::to_string(r);
      separator = ", ";
    }
  }
  return s;
}

// The lines of a function whose code was just added.
void add_source(const sass::Function& f, const isa::KernelImage& image, isa::SourceMap& map) {
  map.lines.resize(image.code.size());
  for (size_t i = 0, at = image.code.size() - f.code.size(); i < f.source.lines.size(); ++i) {
    map.lines[at + i] = {map.file(f.source.files[f.source.lines[i].file]), f.source.lines[i].line};
  }
}

}  // namespace

void add_functions(std::vector<sass::Function> functions, const std::string& file, isa::KernelImage& image) {
  const std::string first = functions.empty() ? "" : functions.front().name;
  if (!drop_other_kernels(functions, image.name)) {
    throw Error(file + ": no function for kernel " + quote(image.name) +
                (first.empty() ? "" : ", the first is for " + quote(first)) +
                " (legal: one function of that name, with base 0)");
  }
  std::sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
  std::map<std::string, uint16_t> opcode_index;
  image.has_control = true;
  isa::SourceMap source;
  uint64_t end = 0;  // of the code so far
  for (sass::Function& f : functions) {
    std::vector<uint16_t> renumbered;
    for (std::string& op : f.opcodes) {
      const auto [it, added] = opcode_index.emplace(op, static_cast<uint16_t>(image.opcodes.size()));
      if (added) {
        if (image.opcodes.size() > UINT16_MAX) {
          throw Error(file + ": more than 65536 different opcodes");
        }
        image.opcodes.push_back(std::move(op));
      }
      renumbered.push_back(it->second);
    }
    // The tracer prints the offsets of a related function with its base added, disassemblers do not. A
    // function's own offsets begin at 0.
    const uint32_t base = !f.code.empty() && f.code.front().pc >= f.base ? 0 : f.base;
    for (isa::Instr& in : f.code) {
      const uint64_t pc = uint64_t{base} + in.pc;
      if (pc < end || pc > UINT32_MAX) {
        throw Error(
            file + ": function " + quote(f.name) + " at base " + hex(f.base) +
            (pc < end ? " overlaps the one before it" : " does not fit into 32-bit program counters"));
      }
      end = pc + 1;
      in.pc = static_cast<uint32_t>(pc);
      in.target += in.target ? base : 0;
      in.opcode = renumbered[in.opcode];
      image.code.push_back(in);
    }
    std::move(f.text.begin(), f.text.end(), std::back_inserter(image.text));
    image.encodings.insert(image.encodings.end(), f.encodings.begin(), f.encodings.end());
    add_source(f, image, source);
    image.has_control &= f.has_control;
    for (const auto& [op, n] : f.unknown_opcodes) {
      image.unknown_opcodes[op] += n;
    }
  }
  if (!image.has_control) {
    image.encodings.clear();
  }
  if (source.files.size() > 1) {
    image.source = std::make_shared<isa::SourceMap>(std::move(source));
  }
}

void build_code(const Listing& l, isa::KernelImage& image) {
  if (!l.side_text.empty()) {
    add_functions(sass::read_side_text(l.side_text, l.side_name), l.side_name, image);
    return;
  }
  CodeCollector collector;
  for (const Columns& c : l.columns) {
    InstrFields f;
    f.pc = c.pc;
    f.opcode = c.opcode;
    f.mem_width = c.mem_width;
    f.source_line = c.source_line;
    f.n_dst = static_cast<uint8_t>(std::min<size_t>(c.dst.size(), InstrFields::kMaxRegs));
    f.n_src = static_cast<uint8_t>(std::min<size_t>(c.src.size(), InstrFields::kMaxRegs));
    std::copy_n(c.dst.begin(), f.n_dst, f.dst.begin());
    std::copy_n(c.src.begin(), f.n_src, f.src.begin());
    collector.add(f);
  }
  collector.finish(image);
}

void CodeCollector::add(const InstrFields& f) {
  if (const input::Limit& most = input::limits().instructions; code_.size() >= most.value) {
    throw Error("more than " + std::to_string(most.value) +
                " different instructions (legal: " + most.legal() + ")");
  }
  code_.push_back(sass::decode_fields(f.pc, f.opcode, f.dst_regs(), f.src_regs(), f.mem_width, pool_));
  text_.push_back(pseudo_sass(f));
  const auto dst = f.dst_regs(), src = f.src_regs();
  columns_.push_back({f.pc,
                      std::string(f.opcode),
                      {dst.begin(), dst.end()},
                      {src.begin(), src.end()},
                      f.mem_width,
                      f.source_line});
}

void CodeCollector::finish(isa::KernelImage& image) {
  std::vector<size_t> order(code_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return code_[a].pc < code_[b].pc; });
  for (const size_t i : order) {
    image.code.push_back(code_[i]);
    image.text.push_back(std::move(text_[i]));
  }
  if (std::any_of(columns_.begin(), columns_.end(), [](const Columns& c) { return c.source_line != 0; })) {
    auto source = std::make_shared<isa::SourceMap>();
    for (const size_t i : order) {
      source->lines.push_back({0, columns_[i].source_line});
    }
    image.source = std::move(source);
  }
  image.opcodes = pool_.opcodes();
  image.unknown_opcodes = pool_.unknown();
  image.has_control = false;
}

}  // namespace heddle::accelsim
