// A warp of machine code that is executed as its instructions issue.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/exec/issue/copies.h"
#include "sim/exec/issue/later.h"
#include "sim/exec/issue/teller.h"
#include "sim/exec/issue/telling.h"
#include "sim/exec/observer.h"
#include "sim/exec/warp/core.h"
#include "sim/isa/program.h"
#include "sim/isa/recorded_operands.h"
#include "sim/isa/recorded_phases.h"

namespace heddle::executed {

class ExecBlock;

// What all warps of a launch have in common.
struct ExecCode {
  // All outlive it; the image is `computed`.
  // `serves`: the machine performs what its warps do to global memory; else it is done when it issues.
  // `tellings`: of PTX, or null.
  ExecCode(const isa::KernelImage& image, const exec::Code& code, const std::vector<uint32_t>& origins,
           const Tellings* tellings, const isa::Device& device, bool serves);

  const isa::KernelImage& image;
  const exec::Code& code;
  const std::vector<uint32_t>& origins;
  const Tellings* const tellings;
  // By record: it is what is left of an instruction that has issued, or of none of the image's.
  std::vector<bool> silent;
  const bool serves;
  const uint32_t sms;
  const double ns_per_cycle;
  // What the machine knows of barrier objects: all, or, where it could not count, nothing but bytes.
  const isa::RecordedPhases* phases() const { return counts_arrivals_ ? nullptr : &no_phases_; }

 private:
  const isa::RecordedPhases no_phases_;
  const bool counts_arrivals_;
};

class ExecWarp final : public isa::WarpProgram, private exec::Observer {
 public:
  // All outlive this.
  ExecWarp(const ExecCode& code, exec::WarpCore& warp, ExecBlock& block);
  ExecWarp(ExecWarp&& other) noexcept;

  // Throws Error for what the program may not do.
  std::span<const isa::Run> next(uint64_t now) override;
  bool waits() const override { return waits_; }
  void issue(uint32_t code, uint32_t mask, isa::Operands& out) override;
  void complete(uint32_t ticket, uint32_t mask, const isa::LaneValues& values) override;
  State state() const override;
  std::string place() const override;
  std::optional<std::span<const isa::Run>> serialize(Archive& ar) override;

 private:
  // A load or atomic whose values are on their way, and what its instruction does with them.
  struct Pending {
    uint32_t pc = 0;    // of the access; what follows of its instruction is done when the values are there
    exec::Group group;  // as it was, behind the instruction
    uint32_t mask = 0;
    uint32_t ticket = 0;

    template <class A>
    void serialize(A& ar) {
      ar(pc, group, mask, ticket);
    }
  };

  // One record of the current group; false: the group does not go on. `out`: of an instruction that issues.
  bool step(exec::Group& g, const exec::Inst& in, uint32_t mask, isa::Operands* out);
  uint32_t global_lanes(const exec::Group& g, const exec::Inst& in, uint32_t mask);
  bool send(exec::Group& g, const exec::Inst& in, uint32_t mask, isa::Operands& out);
  bool send_copy(exec::Group& g, const exec::Inst& in, uint32_t mask, isa::Operands& out);
  bool arrive_later(exec::Group& g, const exec::Inst& in, uint32_t mask);
  void give_places();
  // Of the group that stands where others are to meet it: whether it goes on.
  bool meet(exec::Group& g);
  static void fetch(const exec::Inst& in, const exec::Banks& b);
  void let_others(exec::Group& g);
  // It has gone round in loops that look for something, or for long.
  bool spins() const;

  // exec::Observer, while an instruction issues.
  void executed(const exec::Block&, uint32_t, uint32_t, uint32_t, uint32_t) override {}
  void accessed(const exec::Block&, uint32_t warp, uint32_t pc, uint32_t mask, const exec::Register& address,
                const exec::Register* to) override;
  void accessed_matrix(const exec::Block&, uint32_t warp, uint32_t pc, uint64_t base,
                       uint64_t stride) override;
  void synchronised(const exec::Block&, uint32_t warp, uint32_t pc, uint32_t mask,
                    exec::BarrierObjectOp::Kind kind, const exec::Register& object,
                    const exec::Register& operand) override;
  void arrived(const exec::Block&, uint32_t warp, uint32_t number, uint32_t threads) override;
  void transferred(const exec::Block&, uint32_t warp, uint32_t pc, uint32_t lane,
                   const exec::Transfer& t) override;
  void used_tensor_memory(const exec::Block&, uint32_t warp, uint32_t pc, uint32_t lane,
                          const exec::TensorMemoryOp& op, const exec::TensorUse& use) override;
  void read_operands(uint32_t pc, uint32_t mask, isa::MemRef first);

  const ExecCode& code_;
  exec::WarpCore& w_;
  ExecBlock& block_;
  exec::SimulatedTime time_;
  exec::Group* current_ = nullptr;
  isa::Run run_{};
  bool waits_ = false, ended_ = false;
  isa::Operands* out_ = nullptr;
  uint32_t tickets_ = 0;
  std::vector<Pending> pending_;
  Copies copies_;
  Later later_;
  Teller teller_;
  isa::WarpTrace trace_;  // references of the instruction that issues
  isa::RecordedOperands operands_;
};

}  // namespace heddle::executed
