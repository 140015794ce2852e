#include "tests/exec/oracle/against_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "frontends/trace/launches.h"
#include "sim/base/error.h"

namespace heddle::oracle {
namespace {

struct Step {
  uint32_t pc, mask;
  bool operator==(const Step&) const = default;
};

std::vector<Step> steps(const isa::KernelImage& image, const isa::WarpTrace& w) {
  std::vector<Step> out;
  for (const isa::Run& r : w.runs) {
    for (uint32_t i = 0; i < r.count; ++i) {
      out.push_back({image.code[r.first + i].pc, r.mask});
    }
  }
  return out;
}

// A digest of each lane's program counters, in its order.
std::array<uint64_t, 32> by_lane(const std::vector<Step>& all) {
  std::array<uint64_t, 32> out{};
  for (const Step& s : all) {
    for (uint32_t m = s.mask; m != 0; m &= m - 1) {
      uint64_t& h = out[static_cast<size_t>(std::countr_zero(m))];
      h = (h + s.pc + 1) * 0x9e3779b97f4a7c15;
      h ^= h >> 31;
    }
  }
  return out;
}

// Of the instructions on global memory, one after the other; in shared memory the windows differ.
std::vector<uint64_t> global_addresses(const isa::KernelImage& image, const isa::WarpTrace& w) {
  std::vector<uint64_t> out;
  size_t next = 0;
  for (const isa::Run& r : w.runs) {
    for (uint32_t i = 0; i < r.count && r.mask != 0; ++i) {
      const isa::Instr& in = image.code[r.first + i];
      std::array<uint64_t, 32> a{};
      const bool global = in.space == isa::MemSpace::kGlobal && in.op != isa::OpClass::kBulkCopy;
      if (in.mem_refs > 0 && global && isa::expand(w, w.refs[next], r.mask, a.data())) {
        for (uint32_t m = r.mask; m != 0; m &= m - 1) {
          out.push_back(a[static_cast<size_t>(std::countr_zero(m))]);
        }
      }
      next += in.mem_refs;
    }
  }
  return out;
}

std::string difference(const isa::KernelImage& image, uint64_t block, uint32_t warp,
                       const std::vector<Step>& ours, const std::vector<Step>& theirs) {
  size_t i = 0;
  while (i < ours.size() && i < theirs.size() && ours[i] == theirs[i]) {
    ++i;
  }
  const auto text = [&](const std::vector<Step>& all) {
    if (i >= all.size()) {
      return std::string("nothing more");
    }
    const int64_t at = image.index_of(all[i].pc);
    return fmt::format("0x{:x} {:08x} {}", all[i].pc, all[i].mask,
                       at >= 0 ? image.text[static_cast<size_t>(at)] : "");
  };
  return fmt::format("block {} warp {} step {} of {} and {}: {}; recorded: {}", block, warp, i, ours.size(),
                     theirs.size(), text(ours), text(theirs));
}

}  // namespace

Agreement compare(isa::BlockSource& executed, const std::filesystem::path& recording) {
  const trace::OpenedTrace opened = trace::open_any(recording);
  isa::BlockSource& recorded = *opened.source;
  Agreement out;
  isa::BlockTrace ours, theirs;
  while (recorded.next(theirs)) {
    if (!executed.next(ours)) {
      throw Error("fewer blocks than in the recording");
    }
    for (size_t i = 0; i < theirs.warps.size(); ++i) {
      ++out.warps;
      const std::vector<Step> a = steps(executed.image(), ours.warps[i]);
      const std::vector<Step> b = steps(recorded.image(), theirs.warps[i]);
      if (a == b) {
        ++out.streams;
        ++out.lanes;
        const std::vector<uint64_t> at = global_addresses(executed.image(), ours.warps[i]),
                                    there = global_addresses(recorded.image(), theirs.warps[i]);
        if (out.apart == 0 && !at.empty() && !there.empty()) {
          out.apart = there[0] - at[0];
        }
        out.addresses += std::equal(at.begin(), at.end(), there.begin(), there.end(),
                                    [&](uint64_t x, uint64_t y) { return y - x == out.apart; })
                             ? 1
                             : 0;
        continue;
      }
      out.lanes += by_lane(a) == by_lane(b) ? 1 : 0;
      if (out.first.empty()) {
        out.first = difference(executed.image(), theirs.linear, static_cast<uint32_t>(i), a, b);
      }
    }
  }
  return out;
}

}  // namespace heddle::oracle
