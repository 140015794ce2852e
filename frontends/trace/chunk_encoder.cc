#include "frontends/trace/chunk_encoder.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "frontends/trace/bytes.h"

namespace heddle::trace {

namespace {

using Kind = isa::MemRef::Kind;

[[noreturn]] void broken(const char* what) {
  throw std::logic_error(std::string("a block that breaks the rules of isa::WarpTrace: ") + what);
}

}  // namespace

ChunkEncoder::ChunkEncoder(const isa::KernelImage& image)
    : image_(image), slots_(image.code), run_coder_(image.code.size()), predictor_(slots_.count()) {
  take();
}

size_t ChunkEncoder::bytes() const {
  size_t n = indices_.size() + paths_.size() + runs_.size() + masks_.size() + symbols_.size() +
             residuals_.size() + shape_bytes_.size();
  for (const std::string& p : planes_) {
    n += p.size();
  }
  return n;
}

pb::Chunk ChunkEncoder::take() {
  pb::Chunk c;
  c.set_first_block(first_block_);
  c.set_blocks(blocks_);
  c.mutable_indices()->swap(indices_);
  c.mutable_paths()->swap(paths_);
  c.mutable_runs()->swap(runs_);
  c.mutable_masks()->swap(masks_);
  c.mutable_symbols()->swap(symbols_);
  c.mutable_residuals()->swap(residuals_);
  c.mutable_shapes()->swap(shape_bytes_);
  for (size_t used = kPlanes; used > 0; --used) {
    if (!planes_[used - 1].empty()) {
      for (size_t i = 0; i < used; ++i) {
        c.add_planes()->swap(planes_[i]);
      }
      break;
    }
  }
  first_block_ += blocks_;
  blocks_ = 0;
  local_.clear();
  run_coder_.reset();
  predictor_.begin_chunk();
  shapes_.clear();
  shape_numbers_.clear();
  favourite_.assign(slots_.count(), Guess::kStride);
  favourite_shape_.assign(slots_.count(), ShapeGuess::kLast);
  return c;
}

void ChunkEncoder::add(const isa::BlockTrace& b) {
  if (b.warps.size() != image_.shape.warps()) {
    broken("number of warps");
  }
  const isa::Dim3& g = image_.shape.grid;
  const uint64_t at = first_block_ + blocks_;
  const isa::Dim3 usual = {static_cast<uint32_t>(at % g.x), static_cast<uint32_t>(at / g.x % g.y),
                           static_cast<uint32_t>(at / g.x / g.y)};
  indices_.push_back(b.index == usual ? 0 : 1);
  if (b.index != usual) {
    for (const uint32_t v : {b.index.x, b.index.y, b.index.z}) {
      put_varint(indices_, v);
    }
  }
  predictor_.begin_block(b.warps.size());
  for (size_t i = 0; i < b.warps.size(); ++i) {
    const isa::WarpTrace& w = b.warps[i];
    predictor_.begin_warp(i);
    predictor_.begin();
    put_path(w);
    size_t next = 0;
    for (const isa::Run& r : w.runs) {
      for (uint32_t slot = slots_.begin(r); r.mask && slot < slots_.end(r); ++slot) {
        if (next == w.refs.size()) {
          broken("fewer memory references than its instructions make");
        }
        put_reference(slot, r.mask, w, w.refs[next++]);
      }
    }
    if (next != w.refs.size()) {
      broken("more memory references than its instructions make");
    }
  }
  ++blocks_;
}

// 0: a path not seen before, in `runs`; else 1 + 2 n for the n-th shared one, 2 + 2 n for the n-th of the
// chunk.
void ChunkEncoder::put_path(const isa::WarpTrace& w) {
  for (const isa::Run& r : w.runs) {
    if (r.count == 0 || r.first >= image_.code.size() || r.count > image_.code.size() - r.first) {
      broken("a run outside the code");
    }
  }
  const uint64_t hash = PathTable::hash(w.runs);
  uint32_t number = shared_.find(w.runs, hash);
  if (number == PathTable::kNone && shared_.paths().size() < kMaxSharedPaths &&
      shared_.runs() + w.runs.size() <= kMaxSharedRuns) {
    number = shared_.add(w.runs, hash);
  }
  if (number != PathTable::kNone) {
    put_varint(paths_, 1 + 2 * uint64_t{number});
    return;
  }
  number = local_.find(w.runs, hash);
  if (number != PathTable::kNone) {
    put_varint(paths_, 2 + 2 * uint64_t{number});
    return;
  }
  put_varint(paths_, 0);
  local_.add(w.runs, hash);
  run_coder_.put(w.runs, runs_, masks_);
}

void ChunkEncoder::put_reference(uint32_t slot, uint32_t mask, const isa::WarpTrace& w,
                                 const isa::MemRef& r) {
  const Shape s = shape_of(w, r, mask);
  uint32_t number = 0;
  const uint8_t shape_bits = put_shape(slot, s, number);
  const uint8_t base_bits = put_base(slot, r.base);
  symbols_.push_back(static_cast<char>(shape_bits | base_bits));
  predictor_.learn(slot, r.base, number);
}

Shape ChunkEncoder::shape_of(const isa::WarpTrace& w, const isa::MemRef& r, uint32_t mask) {
  Shape s;
  s.kind = r.kind;
  s.count = r.count;
  s.stride = r.kind == Kind::kStride ? r.stride : 0;
  const auto lanes = static_cast<uint16_t>(std::popcount(mask));
  size_t values = r.list;  // where the `count` values begin
  switch (r.kind) {
    case Kind::kNone:
      s.count = 0;
      break;
    case Kind::kStride:
    case Kind::kValues:
      break;
    case Kind::kDelta:
      s.addresses = static_cast<uint16_t>(lanes - 1);
      if (r.count != 0 || r.list + size_t{s.addresses} > w.deltas.size()) {
        broken("a list of deltas");
      }
      for (size_t i = 0; i < s.addresses; ++i) {
        elements_[i] = static_cast<uint64_t>(int64_t{w.deltas[r.list + i]});
      }
      return s;
    case Kind::kFull:
      s.addresses = lanes;
      values += lanes;
      if (values > w.values.size()) {
        broken("a list of addresses");
      }
      for (size_t i = 0; i < lanes; ++i) {
        elements_[i] = w.values[r.list + i] - r.base;
      }
      break;
  }
  if (s.count > 0) {
    if (values + s.count > w.values.size()) {
      broken("a list of values");
    }
    std::copy_n(w.values.begin() + static_cast<ptrdiff_t>(values), s.count, elements_.begin() + s.addresses);
  }
  return s;
}

bool ChunkEncoder::is(uint32_t number, const Shape& s) const {
  if (number == kNoShape) {
    return false;
  }
  const Shape& o = shapes_[number];
  return s.like(o) && s.stride == o.stride &&
         std::equal(elements_.begin(), elements_.begin() + s.elements(), shapes_.elements(o));
}

uint64_t ChunkEncoder::hash(const Shape& s) const {
  uint64_t h = uint64_t{static_cast<uint8_t>(s.kind)} << 48 | uint64_t{s.count} << 40 |
               uint64_t{s.addresses} << 32 | static_cast<uint32_t>(s.stride);
  for (size_t i = 0; i < s.elements(); ++i) {
    h = (h ^ h >> 29 ^ elements_[i]) * 0x9e3779b97f4a7c15;
  }
  return h ^ h >> 32;
}

uint8_t ChunkEncoder::put_shape(uint32_t slot, const Shape& s, uint32_t& number) {
  ShapeGuess guess = favourite_shape_[slot];
  bool found = is(predictor_.shape(slot, guess), s);
  for (int g = 0; !found && g < static_cast<int>(ShapeGuess::kNumber); ++g) {
    guess = static_cast<ShapeGuess>(g);
    found = is(predictor_.shape(slot, guess), s);
  }
  if (found) {
    favourite_shape_[slot] = guess;
    number = predictor_.shape(slot, guess);
  } else {
    const auto [it, added] = shape_numbers_.emplace(hash(s), static_cast<uint32_t>(shapes_.size()));
    if (!added && is(it->second, s)) {
      guess = ShapeGuess::kNumber;
      number = it->second;
      put_varint(shape_bytes_, number);
    } else {
      guess = ShapeGuess::kNew;
      put_new_shape(slot, s);
      number = shapes_.add(s, elements_.data());
    }
  }
  return static_cast<uint8_t>(static_cast<uint8_t>(guess) << 4);
}

// Kind and whether there are values in a byte; their number; the stride; the addresses; the values.
void ChunkEncoder::put_new_shape(uint32_t slot, const Shape& s) {
  shape_bytes_.push_back(static_cast<char>(static_cast<uint8_t>(s.kind) | (s.count ? 8 : 0)));
  if (s.count) {
    shape_bytes_.push_back(static_cast<char>(s.count));
  }
  if (s.kind == Kind::kStride) {
    put_varint(shape_bytes_, zigzag(static_cast<uint64_t>(int64_t{s.stride})));
  }
  const uint32_t last = predictor_.shape(slot, ShapeGuess::kLast);
  const uint64_t* previous =
      last != kNoShape && s.like(shapes_[last]) ? shapes_.elements(shapes_[last]) : nullptr;
  if (s.addresses) {
    put_list(elements_.data(), s.addresses, previous, shape_bytes_, planes_);
  }
  if (s.count) {
    put_list(elements_.data() + s.addresses, s.count, previous ? previous + s.addresses : nullptr,
             shape_bytes_, planes_);
  }
}

uint8_t ChunkEncoder::put_base(uint32_t slot, uint64_t base) {
  Guess best = favourite_[slot];
  if (predictor_.base(slot, best) == base) {
    return static_cast<uint8_t>(best);
  }
  uint64_t best_size = UINT64_MAX;
  for (int g = 0; g < kGuesses; ++g) {
    const auto guess = static_cast<Guess>(g);
    const uint64_t size = zigzag(base - predictor_.base(slot, guess));
    if (size < best_size) {
      best = guess;
      best_size = size;
    }
  }
  uint8_t symbol = static_cast<uint8_t>(best);
  if (best_size == 0) {
    favourite_[slot] = best;
    return symbol;
  }
  const auto difference = static_cast<int64_t>(base - predictor_.base(slot, best));
  const bool words = difference % 4 == 0;
  symbol |= kSymbolResidual | (words ? kSymbolWords : 0);
  put_varint(residuals_, zigzag(static_cast<uint64_t>(words ? difference / 4 : difference)));
  return symbol;
}

}  // namespace heddle::trace
