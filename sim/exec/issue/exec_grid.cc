#include "sim/exec/issue/exec_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/engine/archive.h"
#include "sim/isa/launch_order.h"

namespace heddle::executed {

ExecBlock::ExecBlock(const ExecCode& code, std::shared_ptr<exec::Cluster> cluster, uint32_t rank)
    : code_(code), cluster_(std::move(cluster)), rank_(rank) {
  warps_.reserve(block().warps());
  for (uint32_t i = 0; i < block().warps(); ++i) {
    warps_.emplace_back(code, block().warp(i).core(), *this);
  }
}

void ExecBlock::begins_on(uint32_t sm) {
  for (uint32_t i = 0; i < block().warps(); ++i) {
    block().warp(i).set_special(exec::Special::kSmid, sm);
    block().warp(i).set_special(exec::Special::kNsmid, code_.sms);
  }
}

isa::BlockWork ExecBlock::work() const {
  isa::BlockWork out;
  for (uint32_t i = 0; i < block().warps(); ++i) {
    const exec::WarpCore& w = block().warp(i).core();
    out.instructions += w.executed;
    out.thread_pred_on += w.thread_executed;
  }
  return out;
}

void ExecBlock::serialize(Archive& ar) {
  cluster_->serialize(ar);
  block().serialize(ar);
}

void ExecBlock::warp_ended() {
  if (block().done()) {
    cluster_->ended(rank_);
  }
}

ExecGrid::ExecGrid(const isa::KernelImage& image, const std::vector<uint32_t>& origins,
                   const Tellings* tellings, const exec::Launch& launch, std::shared_ptr<std::string> output,
                   const isa::Device& device, bool serves)
    : launch_(launch),
      code_(image, *launch.code, origins, tellings, device, serves),
      output_(std::move(output)),
      printed_before_(output_->size()) {}

bool ExecGrid::reads_at_once() const {
  const exec::Code& code = *launch_.code;
  return !code.textures.empty() ||
         std::any_of(code.transfers.begin(), code.transfers.end(), [](const exec::TransferOp& op) {
           return op.kind != exec::TransferOp::Kind::kCopy && op.kind != exec::TransferOp::Kind::kCheck;
         });
}

std::unique_ptr<isa::BlockProgram> ExecGrid::next() {
  if (!cluster_) {
    if (next_cluster_ == launch_.clusters()) {
      return nullptr;
    }
    cluster_ = std::make_shared<exec::Cluster>(launch_, next_cluster_++);
    next_rank_ = 0;
  }
  auto block = std::make_unique<ExecBlock>(code_, cluster_, next_rank_);
  block->index = isa::block_at(position_, launch_.grid, launch_.cluster);
  block->linear = position_++;
  if (++next_rank_ == launch_.cluster.count()) {
    cluster_.reset();
  }
  return block;
}

// Blocks come in the order in which they have ended, whatever the number of threads.
void ExecGrid::recycle(std::unique_ptr<isa::BlockProgram> block) {
  *output_ += static_cast<const ExecBlock&>(*block).block().output();
}

std::string ExecGrid::cannot_be_saved() const {
  const exec::Checks& checks = launch_.checks;
  if (launch_.runtime) {
    return fmt::format(
        "kernel {} calls the CUDA runtime, whose launches and streams cannot be saved yet (legal: kernels "
        "that do not)",
        code_.image.name);
  }
  if (checks.init || checks.race || checks.sync) {
    return "a launch that is checked while it executes cannot be saved yet (legal: one that is not)";
  }
  return "";
}

void ExecGrid::serialize(Archive& ar) {
  ar.mark("executed grid");
  std::string printed = output_->substr(printed_before_);
  ar(printed);
  if (ar.reading()) {
    output_->replace(printed_before_, std::string::npos, printed);
  }
  launch_.memory->serialize(ar);
}

}  // namespace heddle::executed
