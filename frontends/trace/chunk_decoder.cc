#include "frontends/trace/chunk_decoder.h"

#include <algorithm>
#include <bit>

namespace heddle::trace {

namespace {

using Kind = isa::MemRef::Kind;

constexpr uint8_t kShapeCoded = static_cast<uint8_t>(ShapeGuess::kNumber) << 4;  // bit of a symbol
const char* const kBadSymbol = "the column of symbols ends early or holds an unknown one";

[[noreturn]] void fail(std::string what) { throw ChunkError{std::move(what)}; }

isa::MemRef unlisted(const Reference& packed, const Shape& s) {
  isa::MemRef r;
  r.base = packed.base;
  r.stride = s.stride;
  r.kind = s.kind;
  r.count = s.count;
  return r;
}

// The elements of the shape, as a warp has them.
void put(isa::MemRef& r, const Shape& s, const uint64_t* e, isa::WarpTrace& w) {
  if (s.kind == Kind::kDelta) {
    r.list = static_cast<uint32_t>(w.deltas.size());
    for (size_t i = 0; i < s.addresses; ++i) {
      w.deltas.push_back(static_cast<int32_t>(e[i]));
    }
    return;
  }
  r.list = static_cast<uint32_t>(w.values.size());
  for (size_t i = 0; i < s.addresses; ++i) {
    w.values.push_back(r.base + e[i]);
  }
  w.values.insert(w.values.end(), e + s.addresses, e + s.elements());
}

}  // namespace

void unpack(const Reference& packed, const ShapeTable& shapes, isa::WarpTrace& w) {
  const Shape& s = shapes[packed.shape];
  isa::MemRef r = unlisted(packed, s);
  if (s.elements() > 0) {
    put(r, s, shapes.elements(s), w);
  }
  w.refs.push_back(r);
}

ChunkDecoder::ChunkDecoder(const isa::KernelImage& image, const isa::Dim3& whole_grid,
                           const std::vector<Path>& shared_paths)
    : image_(image),
      whole_grid_(whole_grid),
      slots_(image.code),
      shared_paths_(shared_paths),
      run_coder_(image.code.size()),
      predictor_(slots_.count()) {}

namespace {

// The most memory that decoding can take beside the columns, as each path, run, reference, shape and element
// of a list has a byte of its own.
uint64_t most_bytes(const pb::Chunk& c) {
  const uint64_t paths = std::min(c.paths().size(), c.runs().size());
  const uint64_t shapes = std::min(c.shapes().size(), c.symbols().size());
  const uint64_t elements = c.planes_size() > 0 ? c.planes(0).size() : 0;
  return paths * sizeof(Path) + c.runs().size() * sizeof(isa::Run) +
         c.symbols().size() * std::max(sizeof(isa::MemRef), sizeof(Reference)) + shapes * 2 * sizeof(Shape) +
         elements * sizeof(uint64_t);
}

}  // namespace

void ChunkDecoder::begin(const pb::Chunk& c) {
  if (const uint64_t bytes = most_bytes(c); bytes > block_limit_.value) {
    fail("it may need " + std::to_string(bytes) + " bytes of memory (legal: " + block_limit_.legal() + ")");
  }
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
  lanes_.clear();
  in_warp_.clear();
  ++chunk_;
}

isa::Dim3 ChunkDecoder::begin_block(size_t warps) {
  const isa::Dim3 index = next_index();
  predictor_.begin_block(warps);
  return index;
}

void ChunkDecoder::end_block() {
  ++block_;
  if (--left_ == 0) {
    finish_chunk();
  }
}

// Paths and shapes are shared, so that a block may be many times as large as its chunk.
void ChunkDecoder::take(uint64_t bytes, uint64_t& taken) const {
  taken += bytes;
  if (taken > block_limit_.value) {
    fail("the streams of a block need too many bytes of memory (legal: " + block_limit_.legal() + ")");
  }
}

void ChunkDecoder::next(isa::BlockTrace& out) {
  out.linear = block_;
  out.warps.resize(image_.shape.warps());
  out.index = begin_block(out.warps.size());
  Writing block{in_warp_};
  for (size_t i = 0; i < out.warps.size(); ++i) {
    const Path& path = next_warp(i);
    in_warp_.resize(shapes_.size());
    out.warps[i].warp = static_cast<uint32_t>(i);
    write_warp(path, predictor_.references(), ++warp_, out.warps[i], block);
  }
  end_block();
}

void ChunkDecoder::hold(HeldBlock& out) {
  out.linear = block_;
  out.warps.resize(image_.shape.warps());
  out.references.clear();
  out.index = begin_block(out.warps.size());
  for (size_t i = 0; i < out.warps.size(); ++i) {
    const Path& path = next_warp(i);
    const std::vector<Reference>& r = predictor_.references();
    const size_t begin = out.references.size();
    out.references.insert(out.references.end(), r.begin(), r.end());
    out.warps[i] = {path, begin, out.references.size(), ++warp_};
  }
  end_block();
}

void ChunkDecoder::write(HeldBlock& held, isa::BlockTrace& out) const {
  out.linear = held.linear;
  out.index = held.index;
  out.warps.resize(held.warps.size());
  held.in_warp.resize(std::max(held.in_warp.size(), shapes_.size()));
  Writing block{held.in_warp};
  for (size_t i = 0; i < out.warps.size(); ++i) {
    const HeldBlock::Warp& w = held.warps[i];
    out.warps[i].warp = static_cast<uint32_t>(i);
    write_warp(w.runs, std::span(held.references).subspan(w.begin, w.end - w.begin), w.number, out.warps[i],
               block);
  }
}

void ChunkDecoder::write_warp(std::span<const isa::Run> runs, std::span<const Reference> references,
                              uint64_t number, isa::WarpTrace& w, Writing& block) const {
  w.clear();
  take(runs.size() * sizeof(isa::Run), block.taken);
  w.runs.assign(runs.begin(), runs.end());
  for (const isa::Run& r : runs) {
    w.instructions += r.count;
  }
  take(references.size() * sizeof(isa::MemRef), block.taken);
  w.refs.reserve(references.size());
  for (const Reference& packed : references) {
    const Shape& s = shapes_[packed.shape];
    isa::MemRef r = unlisted(packed, s);
    if (s.elements() > 0) {
      put_lists(packed.shape, r, number, w, block);
    }
    w.refs.push_back(r);
  }
}

void ChunkDecoder::next_packed(PackedBlock& out) {
  out.linear = block_;
  out.chunk = chunk_;
  out.shapes = &shapes_;
  out.warps.resize(image_.shape.warps());
  begin_block(out.warps.size());
  for (size_t i = 0; i < out.warps.size(); ++i) {
    PackedWarp& w = out.warps[i];
    const Path& path = next_warp(i);
    w.runs = path;
    w.path = predictor_.path();
    w.refs = predictor_.references();
  }
  end_block();
}

isa::Dim3 ChunkDecoder::next_index() {
  const isa::Dim3& g = image_.shape.grid;
  const uint8_t how = indices_.byte();
  if (how == 0 && indices_.good()) {
    return {static_cast<uint32_t>(block_ % g.x), static_cast<uint32_t>(block_ / g.x % g.y),
            static_cast<uint32_t>(block_ / g.x / g.y)};
  }
  const uint64_t x = indices_.varint(), y = indices_.varint(), z = indices_.varint();
  const isa::Dim3& w = whole_grid_;
  if (how != 1 || !indices_.good() || x >= w.x || y >= w.y || z >= w.z) {
    fail("the index of a block is not in the grid");
  }
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

const Path& ChunkDecoder::next_warp(size_t w) {
  uint64_t number = 0;
  const Path& path = next_path(number);
  predictor_.begin_warp(w, number);
  if (!predictor_.may_align()) {
    one_by_one(path);
  } else if (!predictor_.has_before()) {
    aligned<true, false>(path);
  } else if (!predictor_.has_above()) {
    aligned<false, true>(path);
  } else {
    aligned<true, true>(path);
  }
  return path;
}

// `number` is that of the encoder's: not 0.
const Path& ChunkDecoder::next_path(uint64_t& number_out) {
  const uint64_t code = paths_.varint();
  if (!paths_.good()) {
    fail("the column of paths ends early");
  }
  if (code == 0) {
    local_paths_.emplace_back();
    if (!run_coder_.get(runs_, masks_, local_paths_.back())) {
      fail("a warp's path ends early or leaves the code");
    }
    if (!within(local_paths_.back(), warp_limit_)) {
      fail(too_long(warp_limit_));
    }
    number_out = 2 * uint64_t{local_paths_.size()};
    return local_paths_.back();
  }
  number_out = code;
  const std::vector<Path>& table = code & 1 ? shared_paths_ : local_paths_;
  const uint64_t number = (code - 1) / 2;
  if (number >= table.size()) {
    fail("path number " + std::to_string(number) + " of " + std::to_string(table.size()));
  }
  return table[number];
}

void ChunkDecoder::one_by_one(const Path& path) {
  predictor_.begin();
  for (const isa::Run& r : path) {
    const auto lanes = static_cast<uint32_t>(std::popcount(r.mask));
    const uint32_t end = slots_.end(r);
    for (uint32_t slot = slots_.begin(r); lanes && slot < end; ++slot) {
      const uint8_t symbol = symbols_.byte();
      const int guess = symbol & 7;
      if (!symbols_.good() || guess >= kGuesses) {
        fail(kBadSymbol);
      }
      const auto how = static_cast<ShapeGuess>(symbol >> 4 & 7);
      uint32_t number = 0;
      if (how < ShapeGuess::kNumber) {
        number = predictor_.shape(slot, how);
        check_shape(number, lanes);
      } else {
        number = coded_shape(slot, how, lanes);
      }
      const uint64_t base = predictor_.base(slot, static_cast<Guess>(guess)) + residual(symbol);
      predictor_.learn(slot, base, number);
    }
  }
}

// The same for most warps, several times as fast: what one_by_one() decides by branches, which the processor
// cannot foresee, is selected here.
template <bool kAbove, bool kBefore>
void ChunkDecoder::aligned(const Path& path) {
  using Warp = Predictor::Aligned<kAbove, kBefore>;
  Warp warp(predictor_);
  const uint8_t* symbols = symbols_.take(warp.size());
  if (!symbols) {
    fail(kBadSymbol);
  }
  const uint8_t* known = lanes_.data();
  size_t shapes = lanes_.size();
  for (const isa::Run& r : path) {
    const auto lanes = static_cast<uint32_t>(std::popcount(r.mask));
    const uint32_t end = lanes ? slots_.end(r) : 0;
    for (uint32_t slot = slots_.begin(r); slot < end; ++slot) {
      const uint8_t symbol = *symbols++;
      if ((symbol & 7) >= kGuesses) {
        fail(kBadSymbol);
      }
      uint64_t base = warp.base(slot, static_cast<Guess>(symbol & 7));
      uint32_t number = warp.shape(slot, static_cast<ShapeGuess>(symbol >> 4 & 3));
      if (symbol & (kSymbolResidual | kShapeCoded)) {
        if (symbol & kShapeCoded) {
          number = coded_shape(slot, static_cast<ShapeGuess>(symbol >> 4 & 7), lanes);
          known = lanes_.data();
          shapes = lanes_.size();
        }
        base += residual(symbol);
      }
      if (number >= shapes || (known[number] != 0 && known[number] != lanes)) {
        check_shape(number, lanes);  // throws
      }
      warp.learn(slot, base, number);
    }
  }
}

uint64_t ChunkDecoder::residual(uint8_t symbol) {
  if (!(symbol & kSymbolResidual)) {
    return 0;
  }
  const uint64_t difference = residuals_.signed_varint();
  if (!residuals_.good()) {
    fail("the column of residuals ends early");
  }
  return symbol & kSymbolWords ? difference * 4 : difference;
}

uint32_t ChunkDecoder::coded_shape(uint32_t slot, ShapeGuess how, uint32_t lanes) {
  if (how == ShapeGuess::kNew) {
    return new_shape(slot, lanes);
  }
  const uint64_t n = how == ShapeGuess::kNumber ? shape_bytes_.varint() : kNoShape;
  const uint32_t number = n < kNoShape ? static_cast<uint32_t>(n) : kNoShape;
  check_shape(number, lanes);
  return number;
}

void ChunkDecoder::check_shape(uint32_t number, uint32_t lanes) const {
  if (number >= lanes_.size()) {
    fail("a reference of an unknown shape");
  }
  if (lanes_[number] != 0 && lanes_[number] != lanes) {
    fail("a reference of another number of lanes than its instruction has");
  }
}

uint32_t ChunkDecoder::new_shape(uint32_t slot, uint32_t for_lanes) {
  const uint8_t how = shape_bytes_.byte();
  Shape s;
  s.kind = static_cast<Kind>(how & 7);
  s.count = how & 8 ? shape_bytes_.byte() : 0;
  const auto lanes = static_cast<uint16_t>(for_lanes);
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
  lanes_.push_back(s.addresses > 0 || s.kind == Kind::kDelta ? static_cast<uint8_t>(lanes) : 0);
  return shapes_.add(s, elements.data());
}

// Distances and values are the same for every reference of a shape, so a warp holds them once.
void ChunkDecoder::put_lists(uint32_t shape, isa::MemRef& r, uint64_t number, isa::WarpTrace& w,
                             Writing& block) const {
  const Shape& s = shapes_[shape];
  Shared& shared = block.in_warp[shape];
  if (s.kind != Kind::kFull && shared.warp == number) {
    r.list = shared.list;
    return;
  }
  take(s.elements() * sizeof(uint64_t), block.taken);
  put(r, s, shapes_.elements(s), w);
  shared = {number, r.list};
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
