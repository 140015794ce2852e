#include "frontends/accelsim/address_list.h"

#include <algorithm>
#include <bit>

#include "frontends/accelsim/scan.h"

namespace heddle::accelsim {

namespace {

bool fits32(int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; }

// An address has at most 16 digits, and traces are full of them: no check for overflow on each digit.
const char* scan_address(const char* p, uint64_t& value) {
  if (p[0] == '0' && p[1] == 'x') {
    p += 2;
  }
  const char* start = p;
  uint64_t v = 0;
  for (uint8_t d; (d = kHexDigit[static_cast<uint8_t>(*p)]) != 0xff; ++p) {
    v = v << 4 | d;
  }
  value = v;
  return p != start && p - start <= 16 && is_token_end(*p) ? p : nullptr;
}

// Deltas are differences of addresses: more than 20 characters cannot be one.
const char* scan_delta(const char* p, uint64_t& value) {
  const bool negative = *p == '-';
  p += negative;
  const char* start = p;
  uint64_t v = 0;
  for (uint32_t d; (d = static_cast<uint8_t>(*p) - uint32_t{'0'}) < 10; ++p) {
    v = v * 10 + d;
  }
  value = negative ? 0 - v : v;
  return p != start && p - start <= 19 && is_token_end(*p) ? p : nullptr;
}

const char* fail(ListError& e, const char* at, const char* what) {
  e = {at, what};
  return nullptr;
}

const char* missing(ListError& e, const char* at, const char* what_if_ended, const char* what) {
  return fail(e, at, *at == '\n' ? what_if_ended : what);
}

const char* scan_mode(const char* p, char& mode, ListError& error) {
  mode = *p;
  if (mode < '0' || mode > '2' || !is_token_end(p[1])) {
    return missing(error, p, "the address mode is missing (legal: 0, 1, 2)",
                   "bad address mode (legal: 0, 1, 2)");
  }
  return skip_blanks(p + 1);
}

const char* scan_stride(const char* p, uint32_t mask, uint64_t& base, int64_t& stride, ListError& error) {
  const uint32_t run = mask >> std::countr_zero(mask);
  if (run & (run + 1)) {
    return fail(error, p, "address mode 1 (base and stride) needs contiguous lanes, but the mask has gaps");
  }
  const char* q = scan_address(p, base);
  if (!q) {
    return missing(error, p, "the base address is missing", "not a hexadecimal address");
  }
  p = skip_blanks(q);
  q = scan_signed(p, stride);
  if (!q || !fits32(stride)) {
    return missing(error, p, "the stride is missing", "not a stride (legal: a decimal 32-bit number)");
  }
  return q;
}

const char* scan_lanes(const char* p, char mode, int n, uint64_t addr[32], ListError& error) {
  const char* q = scan_address(p, addr[0]);
  if (!q) {
    return missing(error, p, "fewer addresses than lanes in the mask", "not a hexadecimal address");
  }
  for (int i = 1; i < n; ++i) {
    p = skip_blanks(q);
    if (mode == '0') {
      q = scan_address(p, addr[i]);
      if (!q) {
        return missing(error, p, "fewer addresses than lanes in the mask", "not a hexadecimal address");
      }
    } else {
      uint64_t delta = 0;
      q = scan_delta(p, delta);
      if (!q) {
        return missing(error, p, "fewer address deltas than lanes in the mask",
                       "not a decimal address delta");
      }
      addr[i] = addr[i - 1] + delta;
    }
  }
  return q;
}

}  // namespace

const char* scan_address_list(const char* p, uint32_t mask, uint64_t addr[32], ListError& error) {
  const int n = std::popcount(mask);
  char mode = 0;
  p = scan_mode(p, mode, error);
  if (!p || mode != '1') {
    return p ? scan_lanes(p, mode, n, addr, error) : nullptr;
  }
  int64_t stride = 0;
  p = scan_stride(p, mask, addr[0], stride, error);
  for (int i = 1; p && i < n; ++i) {
    addr[i] = addr[i - 1] + static_cast<uint64_t>(stride);
  }
  return p;
}

uint32_t DeltaLists::keep_once(std::vector<int32_t>& deltas, size_t n) {
  const size_t begin = deltas.size() - n;
  const int32_t* d = deltas.data() + begin;
  // A few elements tell patterns apart well enough; slots are overwritten, so that long warps stay cheap.
  uint64_t h = n;
  for (const int32_t e : {d[0], d[n / 3], d[n / 2], d[n - 1]}) {
    h = (h ^ static_cast<uint32_t>(e)) * 0x9e3779b97f4a7c15u;
  }
  Slot& s = slots_[h >> 56];
  if (s.warp == warp_ && s.n == n && std::equal(d, d + n, deltas.data() + s.list)) {
    deltas.resize(begin);
    return s.list;
  }
  s = {warp_, static_cast<uint32_t>(begin), static_cast<uint32_t>(n)};
  return s.list;
}

isa::MemRef compact(const uint64_t* addr, int n, isa::WarpTrace& w, DeltaLists* known) {
  using Kind = isa::MemRef::Kind;
  isa::MemRef r;
  r.base = addr[0];
  const int64_t stride = n > 1 ? static_cast<int64_t>(addr[1] - addr[0]) : 0;
  bool regular = fits32(stride);
  for (int i = 2; regular && i < n; ++i) {
    regular = static_cast<int64_t>(addr[i] - addr[i - 1]) == stride;
  }
  if (regular) {
    r.kind = Kind::kStride;
    r.stride = static_cast<int32_t>(stride);
    return r;
  }
  const bool near =
      std::all_of(addr + 1, addr + n, [&](uint64_t a) { return fits32(static_cast<int64_t>(a - addr[0])); });
  if (near) {
    r.kind = Kind::kDelta;
    r.list = static_cast<uint32_t>(w.deltas.size());
    for (int i = 1; i < n; ++i) {
      w.deltas.push_back(static_cast<int32_t>(addr[i] - addr[0]));
    }
    if (known) {
      r.list = known->keep_once(w.deltas, static_cast<size_t>(n) - 1);
    }
  } else {
    r.kind = Kind::kFull;
    r.list = static_cast<uint32_t>(w.values.size());
    w.values.insert(w.values.end(), addr, addr + n);
  }
  return r;
}

const char* scan_mem_ref(const char* p, uint32_t mask, isa::WarpTrace& w, isa::MemRef& ref, ListError& error,
                         DeltaLists* known) {
  if (*p == '1') {
    char mode = 0;
    int64_t stride = 0;
    p = scan_mode(p, mode, error);
    p = p ? scan_stride(p, mask, ref.base, stride, error) : nullptr;
    ref.kind = isa::MemRef::Kind::kStride;
    ref.stride = static_cast<int32_t>(stride);
    return p;
  }
  uint64_t addr[32] = {};
  p = scan_address_list(p, mask, addr, error);
  if (p) {
    ref = compact(addr, std::popcount(mask), w, known);
  }
  return p;
}

isa::MemRef with_operands(const uint64_t* addr, int n, const uint64_t* operand, int operands,
                          isa::WarpTrace& w) {
  // Not a kDelta reference: its list would be in `deltas`, but `list` has to say where the operands are.
  isa::WarpTrace scratch;
  isa::MemRef ref = compact(addr, n, scratch);
  ref.list = static_cast<uint32_t>(w.values.size());
  if (ref.kind != isa::MemRef::Kind::kStride) {
    ref.kind = isa::MemRef::Kind::kFull;
    w.values.insert(w.values.end(), addr, addr + n);
  }
  ref.count = static_cast<uint8_t>(operands);
  w.values.insert(w.values.end(), operand, operand + operands);
  return ref;
}

isa::MemRef split_async_store(const isa::MemRef& ref, uint32_t mask, isa::WarpTrace& w) {
  uint64_t both[32] = {}, address[32] = {}, barrier[32] = {};
  if (!isa::expand(w, ref, mask, both)) {
    return ref;
  }
  int n = 0;
  for (uint32_t m = mask; m; m &= m - 1, ++n) {
    const uint64_t a = both[std::countr_zero(m)];
    address[n] = a & UINT32_MAX;
    barrier[n] = a >> 32;
  }
  return with_operands(address, n, barrier, n, w);
}

}  // namespace heddle::accelsim
