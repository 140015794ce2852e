// Accesses of global memory that the machine performs: what they are in its terms.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/exec/memory_op.h"
#include "sim/isa/kernel.h"
#include "sim/isa/program.h"

namespace heddle::executed {

bool may_be_global(exec::Space space);
bool returns_values(const exec::MemoryOp& op);
// The record behind the last one of the instruction that `pc` is of.
uint32_t end_of_instruction(const std::vector<uint32_t>& origins, uint32_t pc);
// Whether the machine can perform all that the code does to global memory, or read of it: what was done at
// once would pass stores that are under way. Not reductions by bulk copies, whose order counts, changes of
// tensor maps, more than 16 bytes a lane, atomics of several words or of half a one, nor what its instruction
// mixes with anything but the values that come back, nor bulk copies to global memory beside stores. Textures
// and surfaces are read at once: a kernel may not read so what it has written (C++ guide, texture memory);
// bulk copies are done at once: they are of another proxy, so whoever reads by one what was stored has waited
// for it with a fence (PTX ISA 8.8, async proxy). `origins`: by record, which instruction of the image it is
// of.
bool all_served(const exec::Code& code, const isa::KernelImage& image, const std::vector<uint32_t>& origins);
// Lanes whose addresses are in global memory.
uint32_t in_global(const exec::Access& a);
// Addresses and data, of atomics also what they do.
isa::AtomicOp pack(const exec::Access& a, isa::LaneRoom& room);
// All that such accesses may do: AtomicOp::function.
std::vector<isa::AtomicOp::Function> atomics_of(const exec::Code& code);
// What came back, for the lanes of a.mask.
void unpack(const isa::LaneValues& values, exec::Access& a);

// Copies of the kernel arrive at barrier objects (cp.async.mbarrier.arrive).
bool copies_arrive(const isa::KernelImage& image);
// The machine can count what arrives at barrier objects: no copies do (cp.async.mbarrier.arrive), nobody
// drops out, all arrivals may complete a phase.
bool counts_arrivals(const exec::Code& code, const isa::KernelImage& image);

// The lanes of `mask` as the machine wants them; `into` holds them.
isa::LaneAddresses lanes_of(const exec::Register& from, uint32_t mask,
                            uint64_t (&into)[isa::LaneRoom::kLanes]);

}  // namespace heddle::executed
