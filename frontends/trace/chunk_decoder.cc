#include "frontends/trace/chunk_decoder.h"

#include <bit>

namespace heddle::trace {

namespace {

using Kind = isa::MemRef::Kind;

[[noreturn]] void fail(std::string what) { throw ChunkError{std::move(what)}; }

}  // namespace

ChunkDecoder::ChunkDecoder(const isa::KernelImage& image, const std::vector<Path>& shared_paths)
    : image_(image),
      slots_(image.code),
      shared_paths_(shared_paths),
      run_coder_(image.code.size()),
      predictor_(slots_.count()) {}

void ChunkDecoder::begin(const pb::Chunk& c) {
  block_ = c.first_block();
  left_ = c.blocks();
  indices_ = ColumnReader(c.indices());
  paths_ = ColumnReader(c.paths());
  runs_ = ColumnReader(c.runs());
  masks_ = ColumnReader(c.masks());
  symbols_ = ColumnReader(c.symbols());
  residuals_ = ColumnReader(c.residuals());
  shape_bytes_ = ColumnReader(c.shapes());
  for (size_t i = 0; i < kPlanes; ++i) {
    planes_[i] =
        static_cast<int>(i) < c.planes_size() ? ColumnReader(c.planes(static_cast<int>(i))) : ColumnReader();
  }
  local_paths_.clear();
  run_coder_.reset();
  predictor_.begin_chunk();
  shapes_.clear();
  in_warp_.clear();
}

void ChunkDecoder::next(isa::BlockTrace& out) {
  out.linear = block_;
  out.index = next_index();
  out.warps.resize(image_.shape.warps());
  predictor_.begin_block(out.warps.size());
  for (size_t i = 0; i < out.warps.size(); ++i) {
    isa::WarpTrace& w = out.warps[i];
    w.clear();
    w.warp = static_cast<uint32_t>(i);
    ++warp_;
    predictor_.begin_warp(i);
    const Path& path = next_path();
    w.runs.assign(path.begin(), path.end());
    for (const isa::Run& r : path) {
      w.instructions += r.count;
      if (r.mask) {
        const uint32_t end = slots_.end(r);
        for (uint32_t slot = slots_.begin(r); slot < end; ++slot) {
          next_reference(slot, r.mask, w);
        }
      }
    }
  }
  ++block_;
  if (--left_ == 0) {
    finish_chunk();
  }
}

isa::Dim3 ChunkDecoder::next_index() {
  const isa::Dim3& g = image_.shape.grid;
  const uint8_t how = indices_.byte();
  if (how == 0 && indices_.good()) {
    return {static_cast<uint32_t>(block_ % g.x), static_cast<uint32_t>(block_ / g.x % g.y),
            static_cast<uint32_t>(block_ / g.x / g.y)};
  }
  const uint64_t x = indices_.varint(), y = indices_.varint(), z = indices_.varint();
  if (how != 1 || !indices_.good() || x >= g.x || y >= g.y || z >= g.z) {
    fail("the index of a block is not in the grid");
  }
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

const Path& ChunkDecoder::next_path() {
  const uint64_t code = paths_.varint();
  if (!paths_.good()) {
    fail("the column of paths ends early");
  }
  if (code == 0) {
    local_paths_.emplace_back();
    if (!run_coder_.get(runs_, masks_, local_paths_.back())) {
      fail("a warp's path ends early or leaves the code");
    }
    return local_paths_.back();
  }
  const std::vector<Path>& table = code & 1 ? shared_paths_ : local_paths_;
  const uint64_t number = (code - 1) / 2;
  if (number >= table.size()) {
    fail("path number " + std::to_string(number) + " of " + std::to_string(table.size()));
  }
  return table[number];
}

void ChunkDecoder::next_reference(uint32_t slot, uint32_t mask, isa::WarpTrace& w) {
  const uint8_t symbol = symbols_.byte();
  const int guess = symbol & 7;
  if (!symbols_.good() || guess >= kGuesses) {
    fail("the column of symbols ends early or holds an unknown one");
  }
  const uint32_t number = next_shape(slot, symbol, mask);
  uint64_t base = predictor_.base(slot, static_cast<Guess>(guess));
  if (symbol & kSymbolResidual) {
    const uint64_t difference = residuals_.signed_varint();
    if (!residuals_.good()) {
      fail("the column of residuals ends early");
    }
    base += symbol & kSymbolWords ? difference * 4 : difference;
  }
  predictor_.learn(slot, base, number);
  const Shape& s = shapes_[number];
  isa::MemRef r;
  r.base = base;
  r.stride = s.stride;
  r.kind = s.kind;
  r.count = s.count;
  if (s.elements() > 0) {
    put_lists(number, r, w);
  }
  w.refs.push_back(r);
}

uint32_t ChunkDecoder::next_shape(uint32_t slot, uint8_t symbol, uint32_t mask) {
  const auto guess = static_cast<ShapeGuess>(symbol >> 4 & 7);
  uint32_t number = kNoShape;
  if (guess == ShapeGuess::kNew) {
    return new_shape(slot, mask);
  }
  if (guess == ShapeGuess::kNumber) {
    const uint64_t n = shape_bytes_.varint();
    number = n < kNoShape ? static_cast<uint32_t>(n) : kNoShape;
  } else {
    number = predictor_.shape(slot, guess);
  }
  if (number >= shapes_.size()) {
    fail("a reference of an unknown shape");
  }
  const Shape& s = shapes_[number];
  const auto lanes = static_cast<uint32_t>(std::popcount(mask));
  if ((s.kind == Kind::kDelta && s.addresses + 1u != lanes) ||
      (s.kind == Kind::kFull && s.addresses != lanes)) {
    fail("a reference of another number of lanes than its instruction has");
  }
  return number;
}

uint32_t ChunkDecoder::new_shape(uint32_t slot, uint32_t mask) {
  const uint8_t how = shape_bytes_.byte();
  Shape s;
  s.kind = static_cast<Kind>(how & 7);
  s.count = how & 8 ? shape_bytes_.byte() : 0;
  const auto lanes = static_cast<uint16_t>(std::popcount(mask));
  if (s.kind == Kind::kStride) {
    const auto stride = static_cast<int64_t>(shape_bytes_.signed_varint());
    if (stride < INT32_MIN || stride > INT32_MAX) {
      fail("a stride of more than 32 bits");
    }
    s.stride = static_cast<int32_t>(stride);
  } else if (s.kind == Kind::kDelta) {
    s.addresses = static_cast<uint16_t>(lanes - 1);
  } else if (s.kind == Kind::kFull) {
    s.addresses = lanes;
  }
  const bool may_have_values = s.kind == Kind::kStride || s.kind == Kind::kFull || s.kind == Kind::kValues;
  if (how > 15 || s.kind > Kind::kValues || (s.count > 0 && !may_have_values)) {
    fail("a reference of an unknown kind");
  }
  std::array<uint64_t, ShapeTable::kMaxElements> elements;
  const uint32_t last = predictor_.shape(slot, ShapeGuess::kLast);
  const uint64_t* previous =
      last != kNoShape && s.like(shapes_[last]) ? shapes_.elements(shapes_[last]) : nullptr;
  bool good = true;
  if (s.addresses) {
    good = get_list(elements.data(), s.addresses, previous, shape_bytes_, planes_);
  }
  if (s.count) {
    good &= get_list(elements.data() + s.addresses, s.count, previous ? previous + s.addresses : nullptr,
                     shape_bytes_, planes_);
  }
  for (size_t i = 0; s.kind == Kind::kDelta && i < s.addresses; ++i) {
    good &= static_cast<int64_t>(elements[i]) == static_cast<int32_t>(elements[i]);
  }
  for (const ColumnReader& p : planes_) {
    good &= p.good();
  }
  if (!good || !shape_bytes_.good()) {
    fail("the columns of lists end early or do not fit");
  }
  in_warp_.emplace_back();
  return shapes_.add(s, elements.data());
}

// Distances and values are the same for every reference of a shape, so a warp holds them once.
void ChunkDecoder::put_lists(uint32_t number, isa::MemRef& r, isa::WarpTrace& w) {
  const Shape& s = shapes_[number];
  const uint64_t* e = shapes_.elements(s);
  if (s.kind == Kind::kFull) {
    r.list = static_cast<uint32_t>(w.values.size());
    for (size_t i = 0; i < s.addresses; ++i) {
      w.values.push_back(r.base + e[i]);
    }
    w.values.insert(w.values.end(), e + s.addresses, e + s.elements());
    return;
  }
  Shared& shared = in_warp_[number];
  if (shared.warp == warp_) {
    r.list = shared.list;
    return;
  }
  if (s.kind == Kind::kDelta) {
    r.list = static_cast<uint32_t>(w.deltas.size());
    for (size_t i = 0; i < s.addresses; ++i) {
      w.deltas.push_back(static_cast<int32_t>(e[i]));
    }
  } else {
    r.list = static_cast<uint32_t>(w.values.size());
    w.values.insert(w.values.end(), e, e + s.count);
  }
  shared = {warp_, r.list};
}

void ChunkDecoder::finish_chunk() const {
  bool all = indices_.at_end() && paths_.at_end() && runs_.at_end() && masks_.at_end() && symbols_.at_end() &&
             residuals_.at_end() && shape_bytes_.at_end();
  for (const ColumnReader& p : planes_) {
    all &= p.at_end();
  }
  if (!all) {
    fail("there are bytes behind its last block");
  }
}

}  // namespace heddle::trace
