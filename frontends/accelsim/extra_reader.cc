#include "frontends/accelsim/extra_reader.h"

#include <bit>
#include <cstdio>
#include <utility>

#include "frontends/accelsim/address_list.h"
#include "frontends/accelsim/scan.h"
#include "frontends/accelsim/text_error.h"

namespace heddle::accelsim {

ExtraReader::ExtraReader(std::unique_ptr<ByteStream> in) : in_(std::move(in)) { advance(); }

void ExtraReader::fail(std::string_view what) const { fail_at(in_.name(), in_.line(), what); }

void ExtraReader::advance() {
  std::string_view line;
  valid_ = in_.next_content(line);
  if (!valid_) {
    return;
  }
  uint64_t warp = 0;
  const char* p = skip_blanks(line.data());
  p = scan_dec(p, block_);
  p = p ? scan_dec(skip_blanks(p), warp) : nullptr;
  p = p && warp <= UINT32_MAX ? scan_dec(skip_blanks(p), ordinal_) : nullptr;
  p = p ? scan_hex32(skip_blanks(p), pc_) : nullptr;
  p = p ? skip_blanks(p) : nullptr;
  if (!p || (*p != 'S' && *p != 'B' && *p != 'U') || !is_token_end(p[1])) {
    fail("not an operand record: " + quote(line) + " (legal: block warp ordinal offset S|B|U ...)");
  }
  warp_ = static_cast<uint32_t>(warp);
  kind_ = *p;
  payload_ = skip_blanks(p + 1);
}

uint64_t ExtraReader::begin_warp(uint64_t block, uint32_t warp) {
  current_block_ = block;
  current_warp_ = warp;
  return at(block, warp) ? ordinal_ : kNone;
}

void ExtraReader::fail_missing(uint32_t pc) const {
  char b[128];
  std::snprintf(b, sizeof b,
                "the file ends here, but warp %u of block %llu goes on with offset %x (incomplete copy?)",
                current_warp_, static_cast<unsigned long long>(current_block_), pc);
  fail(b);
}

uint64_t ExtraReader::apply(const Place& place, const sass::OperandCheck& check, isa::WarpTrace& w) {
  if (pc_ != place.pc) {
    char b[96];
    std::snprintf(b, sizeof b, "the record is for offset %x, but the trace has offset %x at this place", pc_,
                  place.pc);
    fail(b);
  }
  if (place.mask && place.mem_refs) {
    isa::MemRef* refs = &w.refs[w.refs.size() - static_cast<size_t>(place.mem_refs)];
    if (kind_ == 'S') {
      apply_addresses(payload_, place.mask, refs[place.mem_refs - 1], w);
    } else if (kind_ == 'B') {
      apply_barrier(payload_, place.mask, refs[0], w);
    } else {
      apply_values(payload_, refs[0], w);
    }
    if (check.wanted(place.index)) {
      if (const std::string what = check.fault(place.index, place.mask, refs, w); !what.empty()) {
        fail(what);
      }
    }
  }
  const uint64_t done = ordinal_;
  advance();
  if (!at(current_block_, current_warp_)) {
    return kNone;
  }
  if (ordinal_ <= done) {
    fail("ordinal " + std::to_string(ordinal_) + " after " + std::to_string(done) +
         " (legal: records in the order of the trace)");
  }
  return ordinal_;
}

void ExtraReader::end_warp(uint64_t instructions) const {
  if (at(current_block_, current_warp_)) {
    fail("ordinal " + std::to_string(ordinal_) + " is beyond the " + std::to_string(instructions) +
         " instructions of warp " + std::to_string(warp_) + " of block " + std::to_string(block_));
  }
}

void ExtraReader::end_block(uint64_t block) const {
  if (valid_ && block_ == block) {
    fail("the record for warp " + std::to_string(warp_) + " of block " + std::to_string(block_) +
         " comes too late, or that warp does not exist (legal: records in the order of the trace)");
  }
}

void ExtraReader::end() const {
  if (valid_) {
    fail("the record for block " + std::to_string(block_) +
         " comes too late, or that block does not exist (legal: records in the order of the trace)");
  }
}

void ExtraReader::expect_end(const char* p) const {
  p = skip_blanks(p);
  if (*p != '\n') {
    fail("unexpected " + quote(token_at(p)) + " at the end of the record");
  }
}

// Mode 2 lists carry the immediate that the trace's lines end with.
const char* ExtraReader::scan_list(const char* p, uint32_t mask, uint64_t addr[32]) const {
  ListError e{.at = p};
  p = scan_address_list(p, mask, addr, e);
  if (!p) {
    fail(std::string(e.what) + (*e.at == '\n' ? "" : ": " + quote(token_at(e.at))));
  }
  p = skip_blanks(p);
  int64_t immediate = 0;
  const char* q = scan_signed(p, immediate);
  return q ? skip_blanks(q) : p;
}

void ExtraReader::apply_addresses(const char* p, uint32_t mask, isa::MemRef& ref, isa::WarpTrace& w) {
  uint64_t addr[32] = {};
  p = scan_list(p, mask, addr);
  expect_end(p);
  ref = compact(addr, std::popcount(mask), w);
}

void ExtraReader::apply_barrier(const char* p, uint32_t mask, isa::MemRef& ref, isa::WarpTrace& w) {
  const int n = std::popcount(mask);
  uint64_t addr[32] = {};
  uint64_t operand[32] = {};
  p = scan_list(p, mask, addr);
  const bool has_operands = *p == 'V';
  if (has_operands) {
    p = scan_list(skip_blanks(p + 1), mask, operand);
  }
  expect_end(p);
  ref = with_operands(addr, n, operand, has_operands ? n : 0, w);
}

void ExtraReader::apply_values(const char* p, isa::MemRef& ref, isa::WarpTrace& w) {
  constexpr int kMaxValues = 32;
  isa::MemRef r;
  r.kind = isa::MemRef::Kind::kValues;
  r.list = static_cast<uint32_t>(w.values.size());
  while (*p != '\n') {
    uint32_t v = 0;
    const char* q = scan_hex32(p, v);
    if (!q || r.count == kMaxValues) {
      fail("bad register value " + quote(token_at(p)) + " (legal: up to 32 hexadecimal numbers of 32 bits)");
    }
    w.values.push_back(v);
    ++r.count;
    p = skip_blanks(q);
  }
  ref = r;
}

}  // namespace heddle::accelsim
