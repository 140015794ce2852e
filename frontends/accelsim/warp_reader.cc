#include "frontends/accelsim/warp_reader.h"

#include <cstdio>
#include <cstring>
#include <utility>

#include "frontends/accelsim/address_list.h"
#include "frontends/accelsim/scan.h"
#include "frontends/accelsim/text_error.h"
#include "frontends/accelsim/warp_bytes.h"
#include "frontends/input/limits.h"
#include "frontends/sass/opcode_table.h"
#include "sim/base/error.h"

namespace heddle::accelsim {

namespace {

std::string hex_pc(uint32_t pc) {
  char b[16];
  std::snprintf(b, sizeof b, "0x%04x", pc);
  return b;
}

const char* line_end(const char* p) {
  // The buffer has a '\n' behind every line.
  return static_cast<const char*>(rawmemchr(p, '\n'));
}

// Lines that can follow a warp's instructions.
bool is_structure(const char* p) {
  const std::string_view s = token_at(skip_blanks(p));
  return s.empty() || s[0] == '#' || s.starts_with("warp") || s.starts_with("insts") || s == "thread";
}

}  // namespace

WarpReader::WarpReader(LineReader& in, bool lineinfo, const isa::KernelImage& image, std::string side_name,
                       std::shared_ptr<isa::SourceMap> source)
    : in_(in),
      lineinfo_(lineinfo),
      image_(&image),
      source_(std::move(source)),
      side_name_(std::move(side_name)) {
  entries_.reserve(image.code.size() + 1);
  check_ = std::make_unique<const sass::OperandCheck>(image);
  for (const isa::Instr& i : image.code) {
    const auto index = static_cast<uint32_t>(entries_.size());
    index_of_.insert(i.pc, index);
    entries_.push_back(make_entry(i.pc, i.mem_refs));
    entries_.back().async_store = (i.flags & isa::kFlagAsyncStore) != 0;
    entries_.back().checked = check_->wanted(index);
  }
  entries_.push_back(make_entry(0, 0));
}

WarpReader::WarpReader(LineReader& in, bool lineinfo, CodeCollector& collector)
    : in_(in), lineinfo_(lineinfo), collector_(&collector) {
  entries_.push_back(make_entry(0, 0));
}

WarpReader::Entry WarpReader::make_entry(uint32_t pc, uint8_t mem_refs) {
  Entry e;
  e.pc = pc;
  e.mem_refs = mem_refs;
  return e;
}

void WarpReader::fail(const std::string& what) const { fail_at(in_.name(), in_.line() + lines_ + 1, what); }

void WarpReader::fail_line(const char* p, const FieldError& e) const {
  if (is_structure(p)) {
    fail("insts = " + std::to_string(expected_) + ", but only " + std::to_string(done_) +
         " instruction lines follow");
  }
  FieldError other;
  InstrFields f;
  if (lineinfo_ && scan_instr(p, false, f, other)) {
    fail("no source line in front of PC " + hex_pc(f.pc) +
         " (legal: 'LINE PC MASK ...', as the header has -enable lineinfo = 1)");
  }
  fail(std::string("bad ") + e.field + " " + quote(token_at(e.at)) + " (legal: " + e.legal + ")" +
       (in_.torn(p) ? "; the file ends inside this line (incomplete copy?)" : ""));
}

void WarpReader::want_refs_of(const std::vector<bool>& wanted) {
  for (size_t i = 0; i < wanted.size() && i < entries_.size(); ++i) {
    entries_[i].wanted = wanted[i];
  }
}

void WarpReader::fail_block_bytes() const {
  fail("the streams of this thread block need too many bytes of memory (legal: " +
       input::limits().block_bytes.legal() + ")");
}

const char* WarpReader::next_lines(const isa::WarpTrace& so_far, uint64_t most) {
  if (bytes_of(so_far) > most) {
    fail_block_bytes();
  }
  sync(limit_);
  if (!in_.has_line()) {
    fail("the file ends after " + std::to_string(done_) + " of " + std::to_string(expected_) +
         " instruction lines of a warp");
  }
  limit_ = in_.limit();
  return in_.pos();
}

void WarpReader::read(uint64_t n, isa::WarpTrace& out, ExtraReader* extra, uint64_t ordinal, uint64_t most) {
  out.clear();
  delta_lists_.begin_warp();
  out.instructions = n;
  expected_ = n;
  lines_ = 0;
  const char* p = in_.pos();
  limit_ = in_.limit();
  uint32_t predicted = 0;
  isa::Run run = {0, 0, 0};
  const uint32_t lanes = check_ ? check_->lanes(out.warp) : ~0u;
  for (uint64_t i = 0; i < n; ++i) {
    done_ = i;
    if (p == limit_) {
      p = next_lines(out, most);
    }
    uint32_t index = predicted;
    uint32_t mask = 0;
    const Entry* e = &entries_[index];
    if (e->length != 0 && std::memcmp(p, e->text, e->length) == 0) {
      mask = e->mask;
      p += e->length;
    } else {
      p = resolve(p, index, mask);
      e = &entries_[index];
    }
    if (run.count != 0 && index == run.first + run.count && mask == run.mask) {
      ++run.count;
    } else {
      if (run.count != 0) {
        out.runs.push_back(run);
      }
      if (mask & ~lanes) {
        fail(check_->lane_fault(out.warp, mask));
      }
      run = {index, 1, mask};
    }
    if (mask != 0 && e->mem_refs != 0 && want_refs_) {
      if (e->addresses && e->wanted) {
        p = read_refs(p, mask, e->mem_refs, out);
        if (e->async_store) {
          out.refs.back() = split_async_store(out.refs.back(), mask, out);
        }
        if (e->checked) {
          check_refs(index, mask, out);
        }
      } else {
        out.refs.resize(out.refs.size() + e->mem_refs);
        p = e->addresses ? line_end(p) + 1 : p;
      }
    } else if (e->addresses) {
      p = line_end(p) + 1;
    }
    ++lines_;
    if (i == ordinal) {
      ordinal = extra->apply({index, e->pc, mask, want_refs_ ? e->mem_refs : 0}, *check_, out);
      entries_[index].recorded = true;
    } else if (e->recorded && mask != 0 && extra->ended()) {
      extra->fail_missing(e->pc);
    }
    predicted = index + 1;
  }
  if (run.count != 0) {
    out.runs.push_back(run);
  }
  sync(p);
}

// The line at p is not the one foreseen. Finds its instruction; returns the position behind the kept text.
const char* WarpReader::resolve(const char* p, uint32_t& index, uint32_t& mask) {
  FieldError error;
  uint32_t pc = 0, line = 0;
  const char* q = scan_pc_and_mask(p, lineinfo_, line, pc, mask, error);
  if (!q) {
    fail_line(p, error);
  }
  index = find_or_collect(p, pc);
  Entry& e = entries_[index];
  const auto head = static_cast<size_t>(q - p);
  if (e.length != 0 && head == e.mask_end) {
    const size_t tail = e.length - head;
    if (std::memcmp(q, e.text + head, tail) == 0) {
      std::memcpy(e.text, p, head);
      e.mask = mask;
      return q + tail;
    }
  }
  InstrFields f;
  if (!scan_instr(p, lineinfo_, f, error)) {
    fail_line(p, error);
  }
  check_opcode(index, f);
  if (source_ && source_->lines[index].line == 0) {
    source_->lines[index].line = line;
  }
  e.mask = mask;
  e.mask_end = head < Entry::kText ? static_cast<uint8_t>(head) : 0;
  return keep_text(p, e, f);
}

uint32_t WarpReader::find_or_collect(const char* p, uint32_t pc) {
  const uint32_t index = index_of_.find(pc);
  if (index != PcMap::kNone) {
    return index;
  }
  FieldError error;
  InstrFields f;
  if (!scan_instr(p, lineinfo_, f, error)) {
    fail_line(p, error);
  }
  if (!collector_) {
    fail("PC " + hex_pc(pc) + " is not in the side file " + side_name_);
  }
  try {
    collector_->add(f);
  } catch (const Error& e) {
    fail(e.what());
  }
  const auto added = static_cast<uint32_t>(entries_.size() - 1);
  entries_.back().pc = pc;
  entries_.push_back(make_entry(0, 0));
  index_of_.insert(pc, added);
  return added;
}

const char* WarpReader::keep_text(const char* p, Entry& e, const InstrFields& f) {
  e.addresses = f.mem_width != 0;
  const char* end = f.rest;
  if (!e.addresses) {
    int64_t immediate = 0;
    const char* q = *end == '\n' ? end : scan_signed(end, immediate);
    q = q ? skip_blanks(q) : end;
    if (*q != '\n') {
      fail("unexpected " + quote(token_at(q)) +
           " behind mem_width 0 (legal: nothing, or one decimal immediate)");
    }
    end = q + 1;
  }
  const auto length = static_cast<size_t>(end - p);
  // A text that ends within mem_width could match the beginning of a longer number.
  const bool whole = !e.addresses || is_blank(end[-1]);
  e.length = whole && length <= Entry::kText ? static_cast<uint8_t>(length) : 0;
  std::memcpy(e.text, p, e.length);
  return end;
}

void WarpReader::check_opcode(uint32_t index, const InstrFields& f) const {
  const std::string_view known =
      collector_ ? collector_->opcode(index) : std::string_view(image_->opcodes[image_->code[index].opcode]);
  // Tracers and disassemblers differ in modifiers, not in the base.
  if (sass::base_of(known) != sass::base_of(f.opcode)) {
    const std::string where =
        collector_ ? "in an earlier line"
                   : "in the side file " + side_name_ + ", which does not belong to this trace";
    fail("PC " + hex_pc(f.pc) + " is " + quote(f.opcode) + " here but " + quote(known) + " " + where);
  }
}

void WarpReader::check_refs(uint32_t index, uint32_t mask, const isa::WarpTrace& out) const {
  const isa::MemRef* refs = &out.refs[out.refs.size() - entries_[index].mem_refs];
  if (const std::string what = check_->fault(index, mask, refs, out); !what.empty()) {
    fail(what);
  }
}

const char* WarpReader::read_refs(const char* p, uint32_t mask, int mem_refs, isa::WarpTrace& out) {
  isa::MemRef ref;
  ListError error{.at = p};
  const char* q = scan_mem_ref(skip_blanks(p), mask, out, ref, error, &delta_lists_);
  if (!q) {
    fail(std::string(error.what) + (*error.at == '\n' ? "" : ": " + quote(token_at(error.at))));
  }
  if (*q != '\n') {
    // The immediate may be there or not. Behind a mode 2 list it looks like one delta more.
    q = skip_blanks(q);
    int64_t immediate = 0;
    const char* r = *q == '\n' ? q : scan_signed(q, immediate);
    r = r ? skip_blanks(r) : q;
    if (*r != '\n') {
      fail("more addresses than lanes in the mask: unexpected " + quote(token_at(r)) +
           " (legal: one decimal immediate behind the addresses)");
    }
    q = r;
  }
  out.refs.push_back(ref);
  out.refs.resize(out.refs.size() + static_cast<size_t>(mem_refs) - 1);
  return q + 1;
}

}  // namespace heddle::accelsim
