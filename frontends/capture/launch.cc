#include "frontends/capture/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/trace/header.h"
#include "sim/base/error.h"
#include "sim/isa/launch_order.h"

namespace heddle::capture {

namespace {

isa::Dim3 dim3(const uint32_t (&d)[3]) { return {d[0], d[1], d[2]}; }

bool is_word(std::string_view s) {
  return !s.empty() &&
         std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) > ' '; });
}
bool is_line(std::string_view s) { return s.find_first_of("\r\n") == std::string_view::npos; }

bool has_encodings(const Function& f) {
  return std::any_of(f.code.begin(), f.code.end(),
                     [](const InstrHead& i) { return i.low != 0 || i.high != 0; });
}

// As in a .sass side file, from which the code is decoded again whenever the .heddle is opened. Without
// encodings: as cuobjdump prints it.
void append_text(const Function& f, uint32_t base, bool encodings, std::string& out) {
  out += encodings ? fmt::format("# function {} base {:#x}\n", f.name, base)
                   : fmt::format("Function : {}\n", f.name);
  std::string place;
  for (size_t i = 0; i < f.code.size(); ++i) {
    const InstrHead& in = f.code[i];
    if (in.line != 0 && is_line(f.files[i]) && f.files[i].find('"') == std::string::npos) {
      std::string line = fmt::format("//## File \"{}\", line {}\n", f.files[i], in.line);
      out += line == place ? "" : line;
      place = std::move(line);
    }
    out += encodings ? fmt::format("{:04x} {:016x} {:016x} {}\n", in.offset, in.low, in.high, f.text[i])
                     : fmt::format("/*{:04x}*/ {} ;\n", in.offset, f.text[i].substr(0, f.text[i].find(';')));
  }
}

void take_part(const Input& in, const LaunchHead& head, Launch& out) {
  isa::LaunchShape& s = out.image.shape;
  const uint64_t blocks = s.grid.count(), cluster = s.cluster.count();
  if (head.blocks == 0 || (head.first_block == 0 && head.blocks == blocks)) {
    return;
  }
  if (head.first_block >= blocks || head.blocks > blocks - head.first_block ||
      head.first_block % cluster != 0 || head.blocks % cluster != 0) {
    in.fail(
        fmt::format("{} blocks from block {} on, of {} in clusters of {} (legal: whole clusters of the grid)",
                    head.blocks, head.first_block, blocks, cluster));
  }
  out.part = trace::Part{s.grid, head.first_block};
  s.grid = trace::grid_of_part(head.blocks, s.cluster);
}

}  // namespace

isa::BlockTrace Launch::take_block(uint64_t position) {
  const isa::LaunchShape& s = image.shape;
  isa::BlockTrace out;
  out.linear = position;
  out.index = isa::block_at(first_block() + position, whole_grid(), s.cluster);
  const uint64_t first = position * s.warps();
  for (uint32_t w = 0; w < s.warps(); ++w) {
    out.warps.push_back(std::move(warps[first + w]));
    out.warps.back().warp = w;
  }
  return out;
}

Function read_function(const Input& in, std::string_view payload) {
  Fields fields(in, payload);
  const auto head = fields.take<FunctionHead>();
  Function f;
  f.first = head.first;
  f.name = fields.bytes(head.name_bytes);
  if (!is_word(f.name)) {
    in.fail("a function's name is empty or has blanks");
  }
  if (head.count == 0 || uint64_t{head.first} + head.count > UINT32_MAX) {
    in.fail("a function of " + std::to_string(head.count) + " instructions (legal: 1 or more)");
  }
  for (uint32_t i = 0; i < head.count; ++i) {
    f.code.push_back(fields.take<InstrHead>());
    f.text.emplace_back(fields.bytes(f.code.back().text_bytes));
    f.files.emplace_back(fields.bytes(f.code.back().file_bytes));
    if (!is_line(f.text.back()) || (i > 0 && f.code[i].offset <= f.code[i - 1].offset)) {
      in.fail("instruction " + std::to_string(i) + " of " + f.name +
              " is no line of text, or its offset is not above the one before it");
    }
  }
  fields.end();
  return f;
}

void describe(const Input& in, const LaunchHead& head, const std::vector<const Function*>& functions,
              std::string_view parameters, Launch& out, std::vector<uint32_t>& starts) {
  isa::KernelImage image;
  image.name = functions.front()->name;
  image.id = head.number;
  out.graph = head.graph;
  out.graph_launch = head.graph_launch;
  image.compute_capability = head.compute_capability;
  image.shape.grid = dim3(head.grid);
  image.shape.block = dim3(head.block);
  image.shape.cluster = dim3(head.cluster);
  image.shape.registers_per_thread = head.registers;
  image.shape.static_shared_bytes = head.static_shared;
  image.shape.dynamic_shared_bytes = head.dynamic_shared;
  image.shape.local_bytes_per_thread = head.local_bytes;
  image.shape.carveout_percent = head.carveout;
  image.shape.cooperative = head.cooperative != 0;
  image.shape.shared_base = head.shared_base;
  image.shape.local_base = head.local_base;
  image.shape.stream = head.stream;
  image.parameter_base = head.parameter_base;
  image.parameters.assign(parameters.begin(), parameters.end());

  const bool encodings =
      std::all_of(functions.begin(), functions.end(), [](auto* f) { return has_encodings(*f); });
  std::vector<uint32_t> offsets;  // of all instructions
  uint64_t base = 0;
  for (const Function* f : functions) {
    constexpr uint64_t kGap = 4096;
    starts.push_back(static_cast<uint32_t>(offsets.size()));
    for (const InstrHead& i : f->code) {
      offsets.push_back(static_cast<uint32_t>(base + i.offset));
    }
    append_text(*f, static_cast<uint32_t>(base), encodings, out.listing.side_text);
    base = (base + f->code.back().offset + kGap) / kGap * kGap;
    if (base > UINT32_MAX) {
      in.fail("the code does not fit into 32-bit program counters");
    }
  }
  // The way it will be read: all checks of a file's header. Those of the whole grid come first.
  out.listing.side_name = "the captured code";
  out.image = trace::image_of(trace::make_header(image, out.listing, {}), in.place());
  take_part(in, head, out);
  const auto same = [](const isa::Instr& i, uint32_t pc) { return i.pc == pc; };
  if (!std::equal(out.image.code.begin(), out.image.code.end(), offsets.begin(), offsets.end(), same)) {
    in.fail("the code of " + image.name + " is not as it was sent" +
            (encodings ? "" : ", since it came without encodings"));
  }
}

}  // namespace heddle::capture
