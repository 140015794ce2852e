#include "frontends/capture/assembler.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "frontends/accelsim/address_list.h"
#include "sim/base/error.h"
#include "sim/isa/launch_order.h"

namespace heddle::capture {

namespace {

using isa::MemRef;

// A launch is held in memory, and room for its warps is made before the first record comes.
constexpr uint64_t kMostWarps = uint64_t{1} << 22;

constexpr size_t kMapBytes = sizeof(uint64_t) + kTensorMapBytes;

uint64_t word(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

size_t list_bytes(bool strided, int n) { return 8 * static_cast<size_t>(strided ? 2 : n); }

bool is_form(const Record& r) {
  const unsigned lists = r.form & kLists;
  const bool more = r.form & (kUniform | kTensorMap);
  return r.form < 2 * kTensorMap && lists <= 2 && (r.mask != 0 || r.form == 0) &&
         !(more && r.form & ~(kUniform | kTensorMap)) && !(r.form & kTensorMap && !(r.form & kUniform)) &&
         !(r.form & kOperands && lists != 2);
}

size_t payload_bytes(const Record& r) {
  const int n = std::popcount(r.mask);
  const unsigned lists = r.form & kLists;
  return (lists > 0 ? list_bytes(r.form & kStrided, n) : 0) +
         (lists > 1 ? list_bytes(r.form & kSecondStrided, n) : 0) +
         (r.form & kUniform ? kUniformValues * sizeof(uint32_t) : 0) + (r.form & kTensorMap ? kMapBytes : 0);
}

}  // namespace

size_t Assembler::record_bytes(const Input& in, std::string_view bytes) {
  Record r;
  if (bytes.size() < sizeof r) {
    return 0;
  }
  std::memcpy(&r, bytes.data(), sizeof r);
  if (!is_form(r)) {
    in.fail("a record of form " + std::to_string(r.form) + " with mask " + std::to_string(r.mask));
  }
  const size_t n = sizeof r + payload_bytes(r);
  return bytes.size() < n ? 0 : n;
}

Assembler::Assembler(const Input& in, Launch& launch, const std::vector<const Function*>& functions,
                     const std::vector<uint32_t>& starts, uint64_t bytes)
    : in_(in),
      launch_(launch),
      blocks_(launch.blocks()),
      warps_(launch.image.shape.warps()),
      check_(launch.image) {
  if (blocks_ > kMostWarps / std::max<uint32_t>(1, warps_)) {
    in.fail(std::to_string(blocks_) + " blocks of " + std::to_string(warps_) + " warps (legal: up to " +
            std::to_string(kMostWarps) + " warps in a launch; --blocks records a part of it)");
  }
  // Every warp executes something: so there is no more to make room for than has been written.
  if (blocks_ > bytes / sizeof(Record) / warps_) {
    in.fail(std::to_string(bytes) + " bytes of records for " + std::to_string(blocks_) + " blocks of " +
            std::to_string(warps_) + " warps (legal: a record of 16 bytes or more for each)");
  }
  launch_.warps.resize(blocks_ * warps_);
  for (size_t i = 0; i < functions.size(); ++i) {
    const uint32_t first = functions[i]->first;
    parts_.push_back({first, first + static_cast<uint32_t>(functions[i]->code.size()), starts[i]});
  }
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.first < b.first; });
}

void Assembler::fail(const std::string& what) const {
  in_.fail("record at byte " + std::to_string(at_) + " of the launch's: " + what);
}

// Among the blocks that are recorded; UINT64_MAX, or more than there are: none of them.
uint64_t Assembler::place_of(uint32_t block) const {
  const isa::Dim3 &grid = launch_.whole_grid(), &cluster = launch_.image.shape.cluster;
  uint64_t position = block;
  if (block >= grid.count()) {
    return UINT64_MAX;
  }
  if (cluster.y * cluster.z > 1) {
    position =
        isa::position_of({block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y}, grid, cluster);
  }
  return position - launch_.first_block();
}

void Assembler::add(std::string_view bytes, uint64_t at) {
  at_ = at;
  Record r;
  std::memcpy(&r, bytes.data(), sizeof r);
  const uint64_t place = place_of(r.block);
  if (place >= blocks_ || r.warp >= warps_) {
    fail("block " + std::to_string(r.block) + ", warp " + std::to_string(r.warp) + ", form " +
         std::to_string(r.form) + " (legal: of " + std::to_string(blocks_) + " blocks of " +
         std::to_string(warps_) + " warps)");
  }
  const uint32_t code = code_of(r.instr);
  isa::WarpTrace& w = launch_.warps[place * warps_ + r.warp];
  isa::Run* last = w.runs.empty() ? nullptr : &w.runs.back();
  if (last && code == last->first + last->count && r.mask == last->mask) {
    ++last->count;
  } else {
    w.runs.push_back({code, 1, r.mask});
  }
  ++w.instructions;
  ++launch_.warp_instructions;
  if (r.mask != 0) {
    references(r, bytes.data() + sizeof r, launch_.image.code[code], w);
  }
}

uint32_t Assembler::code_of(uint32_t instr) {
  const auto in_part = [instr](const Part& p) { return instr >= p.first && instr < p.end; };
  if (!in_part(parts_[latest_])) {
    const auto it = std::find_if(parts_.begin(), parts_.end(), in_part);
    if (it == parts_.end()) {
      fail("instruction " + std::to_string(instr) + " is in none of the launch's functions");
    }
    latest_ = static_cast<size_t>(it - parts_.begin());
  }
  return parts_[latest_].start + instr - parts_[latest_].first;
}

void Assembler::references(const Record& r, const char* p, const isa::Instr& in, isa::WarpTrace& w) {
  if (in.mem_refs == 0) {
    return;  // the model has no use for them
  }
  const size_t begin = w.refs.size();
  w.refs.resize(begin + in.mem_refs);
  if (r.form & kUniform) {
    w.refs[begin] = values(r, p, w);
    return;
  }
  const int n = std::popcount(r.mask);
  List lists[2];
  const unsigned count = r.form & kLists;
  for (unsigned i = 0; i < count; ++i) {
    List& l = lists[i];
    l.strided = r.form & (i == 0 ? kStrided : kSecondStrided);
    l.at = p;
    if (l.strided) {
      l.base = word(p);
      l.stride = static_cast<int64_t>(word(p + 8));
    }
    p += list_bytes(l.strided, n);
  }
  if (count == 2 && r.form & kOperands) {
    w.refs[begin] = operands(lists[0], lists[1], n, w);
    return;
  }
  for (unsigned i = 0; i < count && i < in.mem_refs; ++i) {
    const isa::MemRef ref = addresses(lists[i], n, w);
    w.refs[begin + i] = ref;
  }
}

namespace {

template <class List>
void expand(const List& l, int n, uint64_t out[32]) {
  for (int i = 0; i < n; ++i) {
    out[i] =
        l.strided ? l.base + static_cast<uint64_t>(l.stride) * static_cast<uint64_t>(i) : word(l.at + 8 * i);
  }
}

}  // namespace

MemRef Assembler::addresses(const List& l, int n, isa::WarpTrace& w) const {
  uint64_t addr[32];
  if (l.strided && l.stride >= INT32_MIN && l.stride <= INT32_MAX) {
    MemRef r;
    r.kind = MemRef::Kind::kStride;
    r.base = l.base;
    r.stride = static_cast<int32_t>(l.stride);
    return r;
  }
  expand(l, n, addr);
  return accelsim::compact(addr, n, w);
}

MemRef Assembler::operands(const List& where, const List& what, int n, isa::WarpTrace& w) const {
  uint64_t addr[32], operand[32];
  expand(where, n, addr);
  expand(what, n, operand);
  return accelsim::with_operands(addr, n, operand, n, w);
}

MemRef Assembler::values(const Record& r, const char* p, isa::WarpTrace& w) {
  MemRef ref;
  ref.kind = MemRef::Kind::kValues;
  ref.list = static_cast<uint32_t>(w.values.size());
  ref.count = kUniformValues;
  for (uint32_t i = 0; i < kUniformValues; ++i, p += sizeof(uint32_t)) {
    uint32_t v;
    std::memcpy(&v, p, sizeof v);
    w.values.push_back(v);
  }
  if (r.form & kTensorMap) {
    auto& maps = launch_.image.tensor_maps;
    const auto [it, added] =
        maps_.try_emplace({word(p), std::string(p + sizeof(uint64_t), kTensorMapBytes)}, maps.size());
    if (added) {
      maps.emplace_back().address = word(p);
      std::memcpy(maps.back().bytes.data(), p + sizeof(uint64_t), kTensorMapBytes);
    }
    w.values.push_back(it->second);
    ++ref.count;
  }
  return ref;
}

void Assembler::finish() {
  for (size_t i = 0; i < launch_.warps.size(); ++i) {
    launch_.warps[i].warp = static_cast<uint32_t>(i % warps_);
    std::string what = launch_.warps[i].runs.empty() ? "no records" : check_.fault_of(launch_.warps[i]);
    if (!what.empty()) {
      in_.fail("warp " + std::to_string(i % warps_) + " of block " +
               std::to_string(launch_.first_block() + i / warps_) + ": " + what);
    }
  }
}

}  // namespace heddle::capture
