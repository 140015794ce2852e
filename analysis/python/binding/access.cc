// Bank conflicts and sectors, of a trace and of single accesses.
#include <algorithm>
#include <memory>
#include <thread>

#include "analysis/access/access_picture.h"
#include "analysis/access/access_text.h"
#include "analysis/access/kernel_accesses.h"
#include "analysis/python/binding/binding.h"
#include "analysis/run/plan.h"
#include "frontends/trace/launches.h"
#include "sim/access/bank_conflicts.h"
#include "sim/access/coalesce.h"

namespace heddle::python {
namespace {

using analysis::AccessSide;
using Addresses = std::array<uint64_t, 32>;

// A dictionary per instruction, the most beyond the ideal first.
py::list profile(const analysis::PlannedLaunch& l, bool banks) {
  const AccessSide side = banks ? AccessSide::kBanks : AccessSide::kSectors;
  analysis::KernelAccesses k;
  interruptible([&](std::atomic<bool>& cancel) {
    throwing<TraceError>([&] {
      k = l.open ? analysis::profile_kernel(l.open().source, side, cancel)
                 : analysis::profile_kernel(l.source.path, l.cluster, side,
                                            std::max(1u, std::thread::hardware_concurrency()), cancel);
    });
  });
  const isa::KernelImage& image = k.image();
  py::list out;
  for (const analysis::InstrAccesses& n : k.all) {
    const isa::Instr& in = image.code[n.index];
    py::dict d;
    d["pc"] = in.pc;
    d["opcode"] = image.opcodes[in.opcode];
    d["source"] = image.source_text(n.index);
    d["width"] = in.width;
    d["requests"] = n.requests;
    d["total"] = n.total;
    d["ideal"] = n.ideal;
    d["excess"] = n.excess();
    d["worst"] = n.worst.cost.total;
    d["worst_mask"] = n.worst.mask;
    d["worst_addresses"] = std::vector<uint64_t>(n.worst.address.begin(), n.worst.address.end());
    d["picture"] = banks ? analysis::bank_picture(in, n.worst) : analysis::sector_picture(in, n.worst);
    const analysis::Advice* a = k.advice_for(n.index);
    const analysis::RemedyEffect* padding = a && a->padding ? &*a->padding : nullptr;
    const analysis::RemedyEffect* swizzle = a && a->swizzle ? &*a->swizzle : nullptr;
    const analysis::RemedyEffect* either = padding ? padding : swizzle;
    const auto number = [](const analysis::RemedyEffect* known, auto f) {
      return known ? py::object(py::int_(f(*known))) : py::object(py::none());
    };
    const auto left = [](const analysis::RemedyEffect& e) { return e.conflicts_with; };
    d["padding"] = number(padding, [](const auto& e) { return e.remedy.words * 4; });
    d["row_bytes"] = number(either, [](const auto& e) { return e.remedy.row_words * 4; });
    d["padded_conflicts"] = number(padding, left);
    d["swizzle"] = swizzle ? py::object(py::str(analysis::formula(swizzle->remedy))) : py::object(py::none());
    d["swizzled_conflicts"] = number(swizzle, left);
    out.append(d);
  }
  return out;
}

py::tuple bank_conflicts(const Addresses& a, uint32_t mask, uint32_t width, const std::string& kind) {
  constexpr uint32_t kBanks = analysis::kBanks;
  const memory::Wavefronts w =
      kind == "atomic" ? memory::shared_atomic_wavefronts(a.data(), mask, width, kBanks)
      : kind == "matrix"
          ? memory::matrix_wavefronts(a.data(), mask, width / 4, kBanks)  // a lane gets 4 bytes of each
          : memory::shared_wavefronts(a.data(), mask, width, kBanks, kind == "load");
  return py::make_tuple(w.total, w.conflicts);
}

py::tuple sectors(const Addresses& a, uint32_t mask, uint32_t width) {
  const auto c = std::make_unique<memory::Coalesced>();
  memory::coalesce(a.data(), mask, width, *c);
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < c->count; ++i) {
    for (uint32_t part : c->lines[i].bytes) {
      bytes += static_cast<uint32_t>(std::popcount(part));
    }
  }
  return py::make_tuple(c->count, c->sectors, bytes);
}

}  // namespace

void bind_access(py::module_& m) {
  m.def("profile", profile);
  m.def("bank_conflicts", bank_conflicts);
  m.def("sectors", sectors);
}

}  // namespace heddle::python
