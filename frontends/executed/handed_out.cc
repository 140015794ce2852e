#include "frontends/executed/handed_out.h"

#include <utility>

#include "frontends/executed/recorder.h"

namespace heddle::executed {

isa::WarpTrace& HandedOut::fresh() {
  isa::WarpTrace storage;
  if (!kept_.empty() && kept_.back().refs.empty()) {  // nobody needs it any more
    storage = std::move(kept_.back());
    kept_.pop_back();
  } else if (!kept_.empty()) {
    references_ += kept_.back().refs.size();
  }
  while (!kept_.empty() && references_ - kept_.front().refs.size() >= kKept) {
    references_ -= kept_.front().refs.size();
    storage = std::move(kept_.front());
    kept_.pop_front();
  }
  if (storage_bytes(storage) > kStorage) {
    storage = {};
  }
  storage.clear();
  ref_ = 0;
  return kept_.emplace_back(std::move(storage));
}

void HandedOut::issue(const isa::KernelImage& image, const isa::Instr& in, uint32_t mask, uint32_t rank,
                      const isa::RecordedPhases* phases, isa::Operands& out) {
  const isa::WarpTrace& trace = kept_.back();
  const isa::MemRef* const r = &trace.refs[ref_];
  ref_ += in.mem_refs;
  operands_.read(image, in, mask, rank, phases, trace, r, out);
}

}  // namespace heddle::executed
