// Checks over several fields: what the machine model could not be built from, or would build into nonsense.
#include <algorithm>
#include <initializer_list>
#include <map>

#include "configs/loader/fields.h"
#include "configs/loader/validate.h"
#include "sim/base/align.h"
#include "sim/isa/op_class.h"

namespace heddle::config {
namespace {

std::string str(uint64_t v) { return std::to_string(v); }

template <typename Names>
std::string all_names(const Names& names) {
  return join(std::vector<std::string>(names.begin(), names.end()));
}

class Combinations {
 public:
  Combinations(const GpuConfig& config, Problems& problems) : c_(config), problems_(problems) {}

  void check() {
    identity();
    topology();
    limits();
    issue();
    fetch();
    pipes();
    operations();
    l1();
    carveouts();
    l2();
    dram();
    tlb();
  }

 private:
  // Reports `path` unless `ok`.
  void require(bool ok, const std::string& path, const std::string& text) {
    if (!ok) {
      problems_.add(c_, path, text);
    }
  }

  void multiple(uint64_t value, const std::string& path, uint64_t of, const std::string& of_path) {
    require(value % of == 0, path,
            "not a multiple of " + of_path + " = " + str(of) + "; nearest legal values: " +
                str(std::max(value / of, uint64_t{1}) * of) + ", " + str((value / of + 1) * of));
  }

  void at_most(uint64_t value, const std::string& path, uint64_t limit, const std::string& limit_path) {
    require(value <= limit, path,
            "more than " + limit_path + " = " + str(limit) + "; legal values: up to " + str(limit));
  }

  void identity() {
    const std::string expected = "sm_" + str(c_.limits().compute_capability());
    require(c_.capability() == expected, "limits.compute_capability",
            "contradicts capability \"" + c_.capability() + "\"; legal value: the number in that name");
  }

  void topology() {
    const Topology& t = c_.topology();
    uint64_t tpcs = 0;
    for (uint32_t n : t.tpcs_per_gpc()) {
      require(n >= 1, "topology.tpcs_per_gpc", "a GPC without TPCs; legal values: 1 or more for each");
      tpcs += n;
    }
    const uint64_t sms = tpcs * t.sms_per_tpc();
    require(sms == t.sms(), "topology.sms",
            "but " + str(tpcs) + " TPCs (the sum of topology.tpcs_per_gpc) x topology.sms_per_tpc = " +
                str(t.sms_per_tpc()) + " make " + str(sms) + "; legal value for these TPCs: " + str(sms));
  }

  void limits() {
    const Limits& l = c_.limits();
    const uint64_t subcores = c_.sm().subcores();
    multiple(l.max_warps_per_sm(), "limits.max_warps_per_sm", subcores, "sm.subcores");
    multiple(l.max_warps_per_sm(), "limits.max_warps_per_sm", l.warp_allocation_unit(),
             "limits.warp_allocation_unit");
    require(l.warp_allocation_unit() == subcores, "limits.warp_allocation_unit",
            "registers are given out in whole warps of each sub-core; legal value: sm.subcores = " +
                str(subcores));
    multiple(l.max_threads_per_block(), "limits.max_threads_per_block", l.warp_size(), "limits.warp_size");
    at_most(l.max_threads_per_block(), "limits.max_threads_per_block",
            uint64_t{l.max_warps_per_sm()} * l.warp_size(), "limits.max_warps_per_sm x limits.warp_size");
    at_most(l.max_registers_per_block(), "limits.max_registers_per_block", l.registers_per_sm(),
            "limits.registers_per_sm");
    multiple(l.registers_per_sm(), "limits.registers_per_sm", subcores * l.register_allocation_unit(),
             "sm.subcores x limits.register_allocation_unit");
    const uint64_t unit = l.register_allocation_unit();
    const uint64_t warp = round_up(uint64_t{l.max_registers_per_thread()} * l.warp_size(), unit);
    require(warp <= l.registers_per_sm() / subcores, "limits.max_registers_per_thread",
            "one such warp takes " + str(warp) + " registers and a sub-core has " +
                str(l.registers_per_sm() / subcores) + "; legal values: up to " +
                str(l.registers_per_sm() / subcores / unit * unit / l.warp_size()));
    const uint64_t reserved = l.reserved_shared_bytes_per_block();
    require(l.max_shared_bytes_per_block() + reserved <= l.shared_bytes_per_sm(),
            "limits.max_shared_bytes_per_block",
            "with limits.reserved_shared_bytes_per_block = " + str(reserved) +
                " more than limits.shared_bytes_per_sm = " + str(l.shared_bytes_per_sm()) +
                "; legal values: up to " +
                str(l.shared_bytes_per_sm() - std::min<uint64_t>(reserved, l.shared_bytes_per_sm())));
    multiple(l.shared_bytes_per_sm(), "limits.shared_bytes_per_sm", l.shared_allocation_unit(),
             "limits.shared_allocation_unit");
  }

  // A level further away cannot answer sooner.
  void ascending(const std::string& prefix, std::initializer_list<std::pair<const char*, uint32_t>> fields) {
    const std::pair<const char*, uint32_t>* before = nullptr;
    for (const auto& f : fields) {
      require(before == nullptr || f.second >= before->second, prefix + f.first,
              before == nullptr ? ""
                                : "less than " + prefix + before->first + " = " + str(before->second) +
                                      "; legal values: that or more");
      before = &f;
    }
  }

  void issue() {
    const Issue& i = c_.sm().issue();
    ascending("sm.issue.", {{"branch_cycles", i.branch_cycles()},
                            {"branch_next_line_cycles", i.branch_next_line_cycles()},
                            {"branch_far_cycles", i.branch_far_cycles()}});
    require(
        !i.dual_issue() || i.dependences() == Issue::SCOREBOARD, "sm.issue.dual_issue",
        "but sm.issue.dependences = CONTROL_BITS, and nothing reads an encoding that says which instructions "
        "issue together; legal value: false");
  }

  void fetch() {
    const InstructionFetch& f = c_.sm().fetch();
    multiple(f.l0_bytes(), "sm.fetch.l0_bytes", f.line_bytes(), "sm.fetch.line_bytes");
    multiple(f.l1_bytes(), "sm.fetch.l1_bytes", f.line_bytes(), "sm.fetch.line_bytes");
    multiple(f.gcc_bytes(), "sm.fetch.gcc_bytes", f.line_bytes(), "sm.fetch.line_bytes");
    ascending("sm.fetch.", {{"l1_latency", f.l1_latency()},
                            {"gcc_latency", f.gcc_latency()},
                            {"l2_latency", f.l2_latency()},
                            {"dram_latency", f.dram_latency()}});
    multiple(f.launch_prefetch_bytes(), "sm.fetch.launch_prefetch_bytes", f.line_bytes(),
             "sm.fetch.line_bytes");
    multiple(f.first_fetch_bytes(), "sm.fetch.first_fetch_bytes", f.line_bytes(), "sm.fetch.line_bytes");
    at_most(f.launch_prefetch_bytes(), "sm.fetch.launch_prefetch_bytes", f.l1_bytes(), "sm.fetch.l1_bytes");
    if (f.launch_prefetch_bytes() != 0) {  // 0: no prefetch, the first fetch is like any other
      at_most(f.first_fetch_bytes(), "sm.fetch.first_fetch_bytes", f.launch_prefetch_bytes(),
              "sm.fetch.launch_prefetch_bytes");
    }
    const ConstantCache& k = c_.sm().constants();
    multiple(k.l0_bytes(), "sm.constants.l0_bytes", k.line_bytes(), "sm.constants.line_bytes");
    multiple(k.l1_bytes(), "sm.constants.l1_bytes", k.line_bytes(), "sm.constants.line_bytes");
    // The launch has just written the parameters: they are not further away than the rest.
    at_most(k.parameter_latency(), "sm.constants.parameter_latency", k.memory_latency(),
            "sm.constants.memory_latency");
  }

  bool has_pipe(std::string_view name) const {
    return std::any_of(c_.sm().pipe().begin(), c_.sm().pipe().end(),
                       [&](const auto& p) { return p.pipe() == name; });
  }

  uint32_t interval(std::string_view pipe) const {
    for (const PipeTiming& p : c_.sm().pipe()) {
      if (p.pipe() == pipe) {
        return p.interval();
      }
    }
    return 0;
  }

  void pipes() {
    std::map<std::string, int> seen;
    for (const PipeTiming& p : c_.sm().pipe()) {
      const std::string path = "sm.pipe[" + p.pipe() + "]";
      require(p.pipe() != "none" && isa::pipe_from_name(p.pipe()).has_value(), path + ".pipe",
              "no such pipe; legal names: " + all_names(isa::kPipeNames) + ", but not none");
      require(++seen[p.pipe()] == 1, path + ".pipe", "given twice; legal: one entry per pipe");
    }
    require(!has_pipe("fma") || (!has_pipe("fmaheavy") && !has_pipe("fmalite")), "sm.pipe[fma].pipe",
            "stands for either of fmaheavy and fmalite; legal: those two, or fma alone");
    require(!has_pipe("fmalite") || !has_pipe("fmaheavy") || interval("fmalite") == interval("fmaheavy"),
            "sm.pipe[fmalite].interval",
            "the halves of fma have one speed; legal value: sm.pipe[fmaheavy].interval = " +
                str(interval("fmaheavy")));
  }

  void operations() {
    std::vector<std::string> pipes = {"none"};
    for (const PipeTiming& p : c_.sm().pipe()) {
      pipes.push_back(p.pipe());
    }
    if (has_pipe("fmaheavy") && has_pipe("fmalite")) {
      pipes.push_back("fma");
    }
    const std::vector<std::string> timed = {"alu",  "fma", "fmaheavy", "fmalite", "fp16",
                                            "fp64", "xu",  "tensor",   "uniform"};
    std::map<std::string, int> seen;
    for (const OpTiming& o : c_.sm().op()) {
      const std::string path = "sm.op[" + o.op() + "]";
      if (!isa::op_class_from_name(o.op())) {  // the message takes longer than all other checks
        require(false, path + ".op",
                "no such class; nearest: " +
                    join(nearest(o.op(), {isa::kOpClassNames.begin(), isa::kOpClassNames.end()})) +
                    "; legal names: " + all_names(isa::kOpClassNames));
      }
      require(++seen[o.op()] == 1, path + ".op", "given twice; legal: one entry per class");
      require(std::find(pipes.begin(), pipes.end(), o.pipe()) != pipes.end(), path + ".pipe",
              "sm.pipe has no such entry; legal values: " + join(pipes));
      // The others' times are the memory path's, or they have no result.
      const bool computes = std::find(timed.begin(), timed.end(), o.pipe()) != timed.end();
      require(o.has_latency() || !computes, path + ".latency",
              "not set, which the pipe " + o.pipe() + " needs; legal values: 0 to 4096 core cycles");
    }
    std::vector<std::string> missing;
    for (std::string_view name : isa::kOpClassNames) {
      // Those of tensor memory where there is some. Exponentials may be like other special functions, pairs
      // of FP32 like two of them.
      const auto op = isa::op_class_from_name(name);
      const bool needed = op != isa::OpClass::kMufuExp && op != isa::OpClass::kFp32x2 &&
                          (!isa::uses_tensor_memory(*op) || c_.sm().tensor_memory().columns() > 0);
      if (needed && !seen.contains(std::string(name))) {
        missing.emplace_back(name);
      }
    }
    require(missing.empty(), "sm.op",
            "no entry for " + join(missing) + "; legal: one for each instruction class");
  }

  void l1() {
    const L1Cache& l1 = c_.sm().l1();
    ascending("sm.l1.", {{"hit_latency_32", l1.hit_latency_32()},
                         {"hit_latency_64", l1.hit_latency_64()},
                         {"hit_latency_128", l1.hit_latency_128()}});
    const SharedMemory& s = c_.sm().shared();
    ascending("sm.shared.", {{"load_latency_32", s.load_latency_32()},
                             {"load_latency_64", s.load_latency_64()},
                             {"load_latency_128", s.load_latency_128()}});
    if (l1.has_subcores_per_unit()) {
      const uint32_t subcores = c_.sm().subcores(), each = l1.subcores_per_unit();
      require(subcores % each == 0, "sm.l1.subcores_per_unit",
              "does not divide sm.subcores = " + str(subcores) + "; legal values: its divisors");
      require(each == subcores || l1.apart_from_shared(), "sm.l1.subcores_per_unit",
              "several L1s, but one array with shared memory (sm.l1.apart_from_shared = false); legal value: "
              "sm.subcores = " +
                  str(subcores));
    }
  }

  void carveouts() {
    const L1Cache& l1 = c_.sm().l1();
    const std::string path = "sm.l1.carveout_bytes";
    const auto& all = l1.carveout_bytes();
    require(std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()) == all.end(), path,
            "not ascending; legal: each larger than the one before");
    const uint64_t set_bytes = uint64_t{l1.line_bytes()} * l1.ways();
    for (uint32_t b : all) {
      require(b % c_.limits().shared_allocation_unit() == 0, path,
              str(b) + " is not a multiple of limits.shared_allocation_unit = " +
                  str(c_.limits().shared_allocation_unit()));
      if (b >= l1.total_bytes()) {
        require(false, path,
                str(b) + " leaves nothing of sm.l1.total_bytes; legal values: less than " +
                    str(l1.total_bytes()));
      } else {
        require((l1.total_bytes() - b) % set_bytes == 0, path,
                str(b) + " leaves " + str(l1.total_bytes() - b) +
                    " bytes of L1, no whole number of sets; legal: a multiple of sm.l1.line_bytes x "
                    "sm.l1.ways = " +
                    str(set_bytes));
      }
    }
    const uint32_t most = *std::max_element(all.begin(), all.end());
    require(most >= c_.limits().shared_bytes_per_sm(), path,
            "the largest, " + str(most) + ", is less than limits.shared_bytes_per_sm; legal: at least " +
                str(c_.limits().shared_bytes_per_sm()));
    std::vector<std::string> legal;
    for (uint32_t b : all) {
      legal.push_back(str(b));
    }
    require(std::find(all.begin(), all.end(), l1.default_min_carveout_bytes()) != all.end(),
            "sm.l1.default_min_carveout_bytes", "not in sm.l1.carveout_bytes; legal values: " + join(legal));
    at_most(l1.default_min_carveout_threads(), "sm.l1.default_min_carveout_threads",
            c_.limits().max_threads_per_block(), "limits.max_threads_per_block");
    require(l1.default_carveout_headroom() >= 1, "sm.l1.default_carveout_headroom",
            "chooses a carve-out in which the resident blocks have no room; legal values: 1 to 16");
  }

  void l2() {
    const L2& l2 = c_.l2();
    multiple(l2.slices(), "l2.slices", l2.partitions(), "l2.partitions");
    const uint64_t one_set = uint64_t{l2.slices()} * l2.ways() * l2.line_bytes();
    multiple(l2.total_bytes(), "l2.total_bytes", one_set, "l2.slices x l2.ways x l2.line_bytes");
    at_most(l2.max_persisting_bytes(), "l2.max_persisting_bytes", l2.total_bytes(), "l2.total_bytes");
  }

  void dram() {
    const Dram& d = c_.dram();
    const uint32_t slices = c_.l2().slices();
    if (slices % d.channels() != 0) {  // each slice has one channel behind it
      std::vector<std::string> divisors;
      for (uint32_t n = 1; n <= slices; ++n) {
        if (slices % n == 0) {
          divisors.push_back(str(n));
        }
      }
      require(false, "dram.channels",
              "does not divide l2.slices = " + str(slices) +
                  ", so that slices would share channels unevenly, or channels be behind none; legal " +
                  "values: " + join(divisors));
    }
    multiple(d.access_bytes(), "dram.access_bytes", c_.l2().sector_bytes(), "l2.sector_bytes");
    at_most(d.access_bytes(), "dram.access_bytes", c_.l2().line_bytes(), "l2.line_bytes");
    at_most(d.access_bytes(), "dram.access_bytes", d.row_bytes(), "dram.row_bytes");
    require(d.t_ras() >= d.t_rcd(), "dram.t_ras",
            "less than dram.t_rcd = " + str(d.t_rcd()) + "; legal values: that or more");
    require(d.t_rfc() < d.t_refi(), "dram.t_rfc",
            "not less than dram.t_refi = " + str(d.t_refi()) +
                ", so that a read would wait for ever; legal " + "values: up to " + str(d.t_refi() - 1));
    const uint64_t rows = uint64_t{d.channels()} * d.banks() * d.row_bytes();
    require(d.total_bytes() >= rows, "dram.total_bytes",
            "less than one row in every bank; legal values: " + str(rows) + " or more");
  }

  void tlb() {
    const Tlb& t = c_.tlb();
    require(t.walk_bytes() >= t.page_bytes(), "tlb.walk_bytes",
            "less than tlb.page_bytes = " + str(t.page_bytes()) + "; legal values: that or more");
  }

  const GpuConfig& c_;
  Problems& problems_;
};

}  // namespace

void check_combinations(const GpuConfig& config, Problems& problems) {
  Combinations(config, problems).check();
}

}  // namespace heddle::config
