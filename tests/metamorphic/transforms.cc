#include "tests/metamorphic/transforms.h"

#include <algorithm>
#include <bit>
#include <random>
#include <utility>

#include "frontends/trace/reader.h"
#include "frontends/trace/writer.h"
#include "sim/access/space.h"
#include "tests/support/temp_dir.h"

namespace heddle::metamorphic {
namespace {

using isa::MemRef;
using isa::OpClass;

// `order` names clusters.
Recording ordered(const Recording& k, const std::vector<size_t>& order) {
  std::vector<isa::BlockTrace> blocks;
  for (size_t c : order) {
    const auto first = k.blocks.begin() + static_cast<ptrdiff_t>(c * k.cluster());
    blocks.insert(blocks.end(), first, first + static_cast<ptrdiff_t>(k.cluster()));
  }
  return with_blocks(k, std::move(blocks));
}

std::vector<size_t> clusters_of(const Recording& k) {
  std::vector<size_t> order(k.blocks.size() / k.cluster());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  return order;
}

template <class F>
Recording each_warp(Recording k, F&& f) {
  for (isa::BlockTrace& b : k.blocks) {
    for (isa::WarpTrace& w : b.warps) {
      f(w);
    }
  }
  return k;
}

template <class F>
Recording each_instruction(Recording k, F&& f) {
  for (isa::Instr& in : k.image.code) {
    f(in);
  }
  return k;
}

// f(instruction, mask, number of the reference, reference) for all references of a warp, in order.
template <class F>
void each_reference(const isa::KernelImage& image, isa::WarpTrace& w, F&& f) {
  size_t ref = 0;
  for (const isa::Run& run : w.runs) {
    for (uint32_t i = run.first; run.mask && i < run.first + run.count; ++i) {
      for (uint32_t n = 0; n < image.code[i].mem_refs; ++n) {
        f(image.code[i], run.mask, n, w.refs[ref++]);
      }
    }
  }
}

bool has_addresses(const MemRef& r) {
  return r.kind != MemRef::Kind::kNone && r.kind != MemRef::Kind::kValues;
}

// The reference with these addresses, each by itself; operands behind them stay.
void list_addresses(isa::WarpTrace& w, MemRef& r, uint32_t mask, const uint64_t addr[32]) {
  const auto list = static_cast<uint32_t>(w.values.size());
  for (uint32_t m = mask; m; m &= m - 1) {
    w.values.push_back(addr[std::countr_zero(m)]);
  }
  const uint32_t operands = r.list + (r.kind == MemRef::Kind::kFull ? r.count : 0u);
  for (uint32_t i = 0; i < r.count; ++i) {
    w.values.push_back(uint64_t{w.values[operands + i]});
  }
  r.kind = MemRef::Kind::kFull;
  r.list = list;
}

// Adds f(instruction, number of the reference, address) to addresses.
template <class F>
Recording moved(const Recording& k, F&& f) {
  return each_warp(k, [&](isa::WarpTrace& w) {
    each_reference(k.image, w, [&](const isa::Instr& in, uint32_t mask, uint32_t n, MemRef& r) {
      uint64_t addr[32];
      if (!has_addresses(r) || !isa::expand(w, r, mask, addr)) {
        return;
      }
      const uint64_t by = f(in, n, addr[std::countr_zero(mask)]);
      if (r.kind != MemRef::Kind::kFull) {
        r.base += by;
      } else if (by) {
        for (uint32_t m = mask; m; m &= m - 1) {
          addr[std::countr_zero(m)] += by;
        }
        list_addresses(w, r, mask, addr);
      }
    });
  });
}

uint8_t mirrored(uint8_t scoreboard) {
  return scoreboard < 6 ? static_cast<uint8_t>(5 - scoreboard) : scoreboard;
}

uint8_t mirrored_mask(uint8_t mask) {
  uint8_t out = 0;
  for (uint8_t b = 0; b < 6; ++b) {
    out |= static_cast<uint8_t>((mask >> b & 1) << mirrored(b));
  }
  return out;
}

uint32_t mirrored_bits(uint32_t mask) {
  uint32_t out = 0;
  for (int lane = 0; lane < 32; ++lane) {
    out |= (mask >> lane & 1) << (31 - lane);
  }
  return out;
}

}  // namespace

Recording reversed_blocks(const Recording& k) {
  std::vector<size_t> order = clusters_of(k);
  std::reverse(order.begin(), order.end());
  return ordered(k, order);
}

Recording rotated_blocks(const Recording& k) {
  std::vector<size_t> order = clusters_of(k);
  std::rotate(order.begin(), order.begin() + static_cast<ptrdiff_t>(order.size() / 3), order.end());
  return ordered(k, order);
}

Recording shuffled_blocks(const Recording& k) {
  std::vector<size_t> order = clusters_of(k);
  std::mt19937 random(1);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random() % i]);
  }
  return ordered(k, order);
}

Recording doubled_blocks(const Recording& k) {
  std::vector<isa::BlockTrace> blocks = k.blocks;
  blocks.insert(blocks.end(), k.blocks.begin(), k.blocks.end());
  return with_blocks(k, std::move(blocks));
}

Recording part_of(const Recording& k, size_t part, size_t parts) {
  std::vector<size_t> order;
  for (size_t c = part; c < k.blocks.size() / k.cluster(); c += parts) {
    order.push_back(c);
  }
  return ordered(k, order);
}

Recording reversed_warps(const Recording& original) {
  Recording k = original;
  for (isa::BlockTrace& b : k.blocks) {
    std::reverse(b.warps.begin(), b.warps.end());
    for (size_t i = 0; i < b.warps.size(); ++i) {
      b.warps[i].warp = static_cast<uint32_t>(i);
    }
  }
  return k;
}

Recording with_empty_blocks(const Recording& k, uint32_t blocks) {
  const auto exit = std::find_if(k.image.code.begin(), k.image.code.end(),
                                 [](const isa::Instr& in) { return in.op == OpClass::kExit; });
  isa::BlockTrace empty;
  empty.warps.resize(k.image.shape.warps());
  for (size_t i = 0; i < empty.warps.size(); ++i) {
    empty.warps[i].warp = static_cast<uint32_t>(i);
    empty.warps[i].runs = {{static_cast<uint32_t>(exit - k.image.code.begin()), 1, ~0u}};
    empty.warps[i].instructions = 1;
  }
  std::vector<isa::BlockTrace> all = k.blocks;
  all.insert(all.end(), blocks, empty);
  return with_blocks(k, std::move(all));
}

Recording split_runs(const Recording& k) {
  return each_warp(k, [](isa::WarpTrace& w) {
    std::vector<isa::Run> runs;
    for (const isa::Run& r : w.runs) {
      for (uint32_t i = 0; i < r.count; ++i) {
        runs.push_back({r.first + i, 1, r.mask});
      }
    }
    w.runs = std::move(runs);
  });
}

Recording listed_addresses(const Recording& k) {
  return each_warp(k, [&](isa::WarpTrace& w) {
    each_reference(k.image, w, [&](const isa::Instr&, uint32_t mask, uint32_t, MemRef& r) {
      uint64_t addr[32];
      if (has_addresses(r) && isa::expand(w, r, mask, addr)) {
        list_addresses(w, r, mask, addr);
      }
    });
  });
}

Recording renamed(const Recording& original) {
  Recording k = original;
  k.image.name = "another";
  k.image.id += 1000;
  k.image.shape.stream += 7;
  k.image.text.clear();
  for (isa::BlockTrace& b : k.blocks) {
    b.index = {1000 + b.index.y, b.index.x, 1};
  }
  return k;
}

Recording moved_code(const Recording& k, uint32_t bytes) {
  return each_instruction(k, [&](isa::Instr& in) {
    in.pc += bytes;
    in.target += in.target ? bytes : 0;
  });
}

Recording moved_registers(const Recording& k, uint32_t by) {
  return each_instruction(k, [&](isa::Instr& in) {
    const auto move = [&](isa::Operand& o) {
      if (o.file == isa::RegFile::kGpr) {
        o.index = static_cast<uint8_t>(o.index + by);
      }
    };
    std::for_each(in.src.begin(), in.src.begin() + in.n_src, move);
    std::for_each(in.dst.begin(), in.dst.begin() + in.n_dst, move);
  });
}

Recording mirrored_scoreboards(const Recording& k) {
  return each_instruction(k, [](isa::Instr& in) {
    in.ctl.write_barrier = mirrored(in.ctl.write_barrier);
    in.ctl.read_barrier = mirrored(in.ctl.read_barrier);
    in.ctl.wait_mask = mirrored_mask(in.ctl.wait_mask);
    in.depbar_sb = mirrored(in.depbar_sb);
    in.depbar_mask = mirrored_mask(in.depbar_mask);
  });
}

Recording renumbered_barriers(const Recording& k) {
  return each_instruction(k, [](isa::Instr& in) {
    if (in.op == OpClass::kBarrier && in.barrier_id < 16) {
      in.barrier_id = static_cast<uint8_t>(15 - in.barrier_id);
    }
  });
}

Recording through_heddle(const Recording& k) {
  const test::TempDir dir;
  const auto file = dir / "k.heddle";
  trace::WriterOptions options;
  options.level = 1;
  trace::Writer writer(file, k.image, k.listing, {}, options);
  for (const isa::BlockTrace& b : k.blocks) {
    writer.add(b);
  }
  writer.finish();
  const auto reader = trace::open(file);
  std::vector<isa::BlockTrace> blocks;
  for (isa::BlockTrace b; reader->next(b);) {
    blocks.push_back(b);
  }
  Recording out = with_blocks(k, std::move(blocks));
  out.image = reader->image();
  return out;
}

Recording moved_global(const Recording& k, uint64_t bytes) {
  Recording out = moved(k, [&](const isa::Instr& in, uint32_t n, uint64_t address) {
    const bool global = in.op == OpClass::kLdgsts
                            ? n == 0
                            : isa::space_of(k.image.shape, in, address) == isa::MemSpace::kGlobal;
    return global ? bytes : 0;
  });
  return each_warp(std::move(out), [&](isa::WarpTrace& w) {
    each_reference(k.image, w, [&](const isa::Instr& in, uint32_t, uint32_t, const MemRef& r) {
      if (in.op == OpClass::kBulkCopy && r.kind == MemRef::Kind::kValues && r.count >= 5) {
        // UBLKCP: the source is in words 2 and 3.
        uint64_t* v = w.values.data() + r.list;
        const uint64_t source = ((v[2] & 0xffffffffu) | v[3] << 32) + bytes;
        v[2] = source & 0xffffffffu;
        v[3] = source >> 32;
      }
    });
  });
}

Recording moved_shared(const Recording& k, uint64_t bytes) {
  return moved(k, [&](const isa::Instr& in, uint32_t n, uint64_t address) {
    const bool shared = in.op == OpClass::kLdgsts
                            ? n == 1
                            : isa::space_of(k.image.shape, in, address) == isa::MemSpace::kShared;
    return shared ? bytes : 0;
  });
}

Recording mirrored_lanes(const Recording& k) {
  Recording out = each_warp(k, [&](isa::WarpTrace& w) {
    each_reference(k.image, w, [&](const isa::Instr&, uint32_t mask, uint32_t, MemRef& r) {
      uint64_t addr[32], turned[32];
      if (!has_addresses(r) || !isa::expand(w, r, mask, addr)) {
        return;
      }
      for (uint32_t m = mask; m; m &= m - 1) {
        turned[31 - std::countr_zero(m)] = addr[std::countr_zero(m)];
      }
      list_addresses(w, r, mirrored_bits(mask), turned);
    });
  });
  return each_warp(std::move(out), [](isa::WarpTrace& w) {
    for (isa::Run& r : w.runs) {
      r.mask = mirrored_bits(r.mask);
    }
  });
}

}  // namespace heddle::metamorphic
