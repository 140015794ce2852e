#include "frontends/executed/bounded_grid.h"

#include <algorithm>
#include <utility>

namespace heddle::executed {
namespace {

constexpr uint64_t kWorthKeeping = uint64_t{1} << 16;  // bytes of a recording whose storage is used again

}  // namespace

// Blocks that have been executed whole, until RecordedGrid asks for them.
class BoundedGrid::Whole final : public isa::BlockSource {
 public:
  explicit Whole(const isa::KernelImage& image) : image_(image) {}
  const isa::KernelImage& image() const override { return image_; }
  bool next(isa::BlockTrace& out) override {
    if (blocks.empty()) {
      return false;
    }
    out = std::move(blocks.front());
    blocks.pop_front();
    return true;
  }

  std::deque<isa::BlockTrace> blocks;

 private:
  const isa::KernelImage& image_;
};

BoundedGrid::BoundedGrid(ExecutedSource& source, uint64_t most)
    : source_(source),
      most_(most),
      shared_(source.image(), source.output_),
      whole_(std::make_unique<Whole>(source.image())),
      recordings_(*whole_) {
  source_.note_barriers_ = shared_.register_barriers;
}

BoundedGrid::~BoundedGrid() = default;

std::unique_ptr<isa::BlockProgram> BoundedGrid::next() {
  if (!cluster_ && whole_->blocks.empty()) {
    std::unique_ptr<ExecutedCluster> c = source_.execute(most_ - std::min(most_, kept_));
    if (!c) {
      return nullptr;
    }
    if (ended(*c)) {
      source_.finish(*c, whole_->blocks);
    } else {
      cluster_ = std::make_shared<PieceCluster>(shared_, std::move(c));
      next_rank_ = 0;
    }
  }
  if (!cluster_) {
    const isa::BlockTrace& t = whole_->blocks.front();
    uint64_t bytes = 0;
    for (const isa::WarpTrace& w : t.warps) {
      bytes += storage_bytes(w);
    }
    std::unique_ptr<isa::BlockProgram> block = recordings_.next();
    keep(*block, {bytes, true});
    return block;
  }
  const uint64_t ranks = image().shape.cluster.count();
  if (next_rank_ == 0) {
    first_bytes_ = cluster_->recorder().kept_bytes() / ranks;
  }
  auto block = std::make_unique<PieceBlock>(cluster_, next_rank_);
  source_.place(*block);
  ++pieces_;
  // All SMs ask for blocks before any has taken what such blocks have done until there was no room.
  keep(*block, {first_bytes_, false});
  if (++next_rank_ == ranks) {
    cluster_.reset();
  }
  return block;
}

void BoundedGrid::keep(const isa::BlockProgram& block, Kept kept) {
  blocks_[&block] = kept;
  kept_ += kept.bytes;
  most_kept_ = std::max(most_kept_, kept_);
}

void BoundedGrid::recycle(std::unique_ptr<isa::BlockProgram> block) {
  const auto it = blocks_.find(block.get());
  const Kept kept = it->second;
  kept_ -= kept.bytes;
  blocks_.erase(it);
  if (kept.whole && kept.bytes <= kWorthKeeping) {
    recordings_.recycle(std::move(block));
  }
}

}  // namespace heddle::executed
