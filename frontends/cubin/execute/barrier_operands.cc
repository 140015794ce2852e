#include "frontends/cubin/execute/barrier_operands.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/cubin/execute/known_values.h"
#include "frontends/cubin/execute/translate.h"
#include "sim/base/error.h"

namespace heddle::cubin {
namespace {

// The recorded code as a kernel of an object; none where it does not lie in one piece.
std::optional<Translation> translated(const isa::KernelImage& image) {
  if (image.encodings.size() != image.code.size() || image.code.empty()) {
    return std::nullopt;
  }
  Object object;
  object.file = image.name;
  object.capability = image.compute_capability;
  Function& f = object.functions.emplace_back();
  f.name = image.name;
  f.kernel = true;
  f.registers = image.shape.registers_per_thread;
  f.parameter_offset = image.parameter_base;
  f.parameter_bytes = static_cast<uint32_t>(image.parameters.size());
  for (size_t i = 0; i < image.code.size(); ++i) {
    if (image.code[i].pc != i * kInstructionBytes) {
      return std::nullopt;
    }
    f.code.push_back({image.encodings[i].low, image.encodings[i].high});
  }
  Placement placement;
  placement.code_at = {kCodeBase};
  placement.code_end = kCodeBase + f.code.size() * kInstructionBytes;
  try {
    Translation t = translate(object, 0, placement);
    const bool plain = t.missing.empty() && t.code.textures.empty();
    return plain ? std::optional(std::move(t)) : std::nullopt;
  } catch (const Error&) {  // of relocations, which recorded code has none of, and of calls
    return std::nullopt;
  }
}

class WithBarrierOperands final : public isa::BlockSource {
 public:
  WithBarrierOperands(std::unique_ptr<isa::BlockSource> source, Translation translation)
      : source_(std::move(source)),
        translation_(std::move(translation)),
        slice_(source_->image(), translation_) {}

  const isa::KernelImage& image() const override { return source_->image(); }
  bool next(isa::BlockTrace& out) override {
    const bool any = source_->next(out);
    if (any) {
      tell(out);
    }
    return any;
  }
  size_t next_batch(std::span<isa::BlockTrace> out, const isa::ParallelFor& parallel) override {
    const size_t n = source_->next_batch(out, parallel);
    parallel(static_cast<uint32_t>(n), [&](uint32_t i) { tell(out[i]); });
    return n;
  }
  bool next_runs(isa::BlockTrace& out) override { return source_->next_runs(out); }
  bool start_over() override { return source_->start_over(); }
  std::unique_ptr<isa::GridProgram> program(const isa::Device& device) override {
    return source_->program(device);
  }
  void want_refs_of(const std::vector<bool>& wanted) override { source_->want_refs_of(wanted); }

 private:
  void tell(isa::BlockTrace& block) const {
    KnownValues values(slice_, block.index);
    const bool all = std::all_of(block.warps.begin(), block.warps.end(),
                                 [&](isa::WarpTrace& w) { return values.find_barriers(w); });
    for (isa::WarpTrace& w : block.warps) {
      if (!all) {
        w.barriers.clear();
      }
    }
  }

  std::unique_ptr<isa::BlockSource> source_;
  const Translation translation_;
  const BarrierSlice slice_;
};

}  // namespace

std::unique_ptr<isa::BlockSource> with_barrier_operands(std::unique_ptr<isa::BlockSource> source) {
  const isa::KernelImage& image = source->image();
  if (image.computed || std::none_of(image.code.begin(), image.code.end(), isa::in_register)) {
    return source;
  }
  std::optional<Translation> t = translated(image);
  return t ? std::make_unique<WithBarrierOperands>(std::move(source), *std::move(t)) : std::move(source);
}

}  // namespace heddle::cubin
