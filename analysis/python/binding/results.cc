// Finished launches as columns, the same for simulations and databases.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>

#include "analysis/python/binding/binding.h"
#include "analysis/report/format.h"
#include "analysis/report/kernel_report.h"
#include "analysis/report/roofs.h"
#include "analysis/report/run_report.h"
#include "analysis/store/result_reader.h"
#include "analysis/store/result_store.h"
#include "configs/loader/draft.h"

namespace heddle::python {
namespace {

using analysis::LaunchRecord;
using analysis::RunRecord;

py::tuple dimensions(const isa::Dim3& d) { return py::make_tuple(d.x, d.y, d.z); }

// A list with f(launch) of each.
template <typename F>
py::list column(const Records& r, const F& f) {
  py::list out;
  for (const LaunchRecord& l : r.launches) {
    out.append(f(l));
  }
  return out;
}

py::dict launches(const Records& r) {
  using L = const LaunchRecord&;
  py::dict d;
  d["trace"] = column(r, [](L l) { return l.trace; });
  d["launch"] = column(r, [](L l) { return l.launch; });
  d["kernel"] = column(r, [](L l) { return analysis::demangled(l.kernel); });
  d["grid"] = column(r, [](L l) { return dimensions(l.shape.grid); });
  d["block"] = column(r, [](L l) { return dimensions(l.shape.block); });
  d["cluster"] = column(r, [](L l) { return dimensions(l.shape.cluster); });
  d["registers"] = column(r, [](L l) { return l.shape.registers_per_thread; });
  d["static_shared"] = column(r, [](L l) { return l.shape.static_shared_bytes; });
  d["dynamic_shared"] = column(r, [](L l) { return l.shape.dynamic_shared_bytes; });
  d["core_mhz"] = column(r, [](L l) { return l.core_mhz; });
  d["cycles"] = column(r, [](L l) { return l.cycles; });
  d["sm_active_cycles"] = column(r, [](L l) { return l.sm_active_cycles; });
  d["seconds"] = column(r, [](L l) { return static_cast<double>(l.cycles) / (l.core_mhz * 1e6); });
  d["warp_instructions"] = column(r, [](L l) { return l.warp_instructions; });
  d["used_control_bits"] = column(r, [](L l) { return l.used_control_bits; });
  d["sampled"] = column(r, [](L l) { return l.sampling.sampled(); });
  d["cycles_low"] = column(r, [](L l) { return l.sampling.requested ? l.sampling.cycles_low : l.cycles; });
  d["cycles_high"] = column(r, [](L l) { return l.sampling.requested ? l.sampling.cycles_high : l.cycles; });
  d["wall_seconds"] = column(r, [](L l) { return l.host.wall_seconds; });
  d["trace_hash"] = column(r, [](L l) { return l.trace_hash; });
  return d;
}

// A row per launch, a column per metric of the catalogue; NaN where there is no value.
py::array_t<double> counters(const Records& r) {
  const size_t metrics = stats::catalogue().size();
  py::array_t<double> out({r.launches.size(), metrics});
  for (size_t i = 0; i < r.launches.size(); ++i) {
    std::copy(r.launches[i].values.begin(), r.launches[i].values.end(), out.mutable_data(i, 0));
  }
  return out;
}

py::array_t<uint64_t> stalls(const Records& r) {
  py::array_t<uint64_t> out({r.launches.size(), size_t{stats::kStallCount}});
  for (size_t i = 0; i < r.launches.size(); ++i) {
    std::copy(r.launches[i].stall_warp_cycles.begin(), r.launches[i].stall_warp_cycles.end(),
              out.mutable_data(i, 0));
  }
  return out;
}

// Columns of a frame with the rows of all launches: `rows_of(profile)` of each, f(launch, index of the row).
template <typename Rows, typename F>
py::list row_column(const Records& r, const Rows& rows_of, const F& f) {
  py::list out;
  for (const LaunchRecord& l : r.launches) {
    for (size_t i = 0; i < rows_of(l.profile).size(); ++i) {
      out.append(f(l, i));
    }
  }
  return out;
}

const auto kInstructions = [](const stats::Profile& p) -> auto& { return p.instructions; };
const auto kSamples = [](const stats::Profile& p) -> auto& { return p.series; };

py::dict instructions(const Records& r) {
  using L = const LaunchRecord&;
  py::dict d;
  const auto add = [&](const char* name, const auto& f) { d[name] = row_column(r, kInstructions, f); };
  const auto count = [&](const char* name, uint64_t stats::InstructionCounts::*member) {
    add(name, [member](L l, size_t i) { return l.profile.instructions[i].counts.*member; });
  };
  add("trace", [](L l, size_t) { return l.trace; });
  add("launch", [](L l, size_t) { return l.launch; });
  add("pc", [](L l, size_t i) { return l.profile.instructions[i].pc; });
  add("opcode", [](L l, size_t i) { return l.profile.instructions[i].opcode; });
  add("sass", [](L l, size_t i) { return l.profile.instructions[i].text; });
  add("source_file", [](L l, size_t i) { return l.profile.instructions[i].source_file; });
  add("source_line", [](L l, size_t i) { return l.profile.instructions[i].source_line; });
  count("executed", &stats::InstructionCounts::executed);
  count("threads", &stats::InstructionCounts::threads);
  add("flop", [](L l, size_t i) { return l.flop[i].count; });
  add("flop_kind", [](L l, size_t i) { return std::string(l.flop[i].kind); });
  count("requests", &stats::InstructionCounts::requests);
  count("sectors", &stats::InstructionCounts::sectors);
  count("sector_hits", &stats::InstructionCounts::sector_hits);
  count("shared_wavefronts", &stats::InstructionCounts::shared_wavefronts);
  count("shared_conflicts", &stats::InstructionCounts::shared_conflicts);
  return d;
}

// A row per instruction as in instructions(), a column per stall reason.
py::array_t<uint64_t> instruction_stalls(const Records& r) {
  size_t rows = 0;
  for (const LaunchRecord& l : r.launches) {
    rows += l.profile.instructions.size();
  }
  py::array_t<uint64_t> out({rows, size_t{stats::kStallCount}});
  size_t row = 0;
  for (const LaunchRecord& l : r.launches) {
    for (const stats::InstructionProfile& p : l.profile.instructions) {
      std::copy(p.counts.stall.begin(), p.counts.stall.end(), out.mutable_data(row++, 0));
    }
  }
  return out;
}

py::dict series(const Records& r) {
  using L = const LaunchRecord&;
  py::dict d;
  d["trace"] = row_column(r, kSamples, [](L l, size_t) { return l.trace; });
  d["launch"] = row_column(r, kSamples, [](L l, size_t) { return l.launch; });
  d["cycle"] = row_column(r, kSamples, [](L l, size_t i) { return l.profile.series[i].cycle; });
  for (size_t c = 0; c < stats::kSeriesCounters.size(); ++c) {
    const auto& info = stats::kCounterInfo[static_cast<size_t>(stats::kSeriesCounters[c])];
    d[py::str(std::string(info.name))] =
        row_column(r, kSamples, [c](L l, size_t i) { return l.profile.series[i].growth[c]; });
  }
  return d;
}

// Per launch: unit -> per cent of its peak, the busiest first; empty where the configuration is unknown.
py::list roofs(const Records& r) {
  const std::optional<config::GpuConfig> gpu = analysis::configuration(r.run);
  return column(r, [&](const LaunchRecord& l) {
    py::dict d;
    for (const analysis::Roof& roof : analysis::roofs(l, gpu)) {
      d[py::str(std::string(roof.name))] = roof.percent;
    }
    return d;
  });
}

py::dict peaks(const config::Draft& draft) {
  const analysis::Peaks p =
      analysis::peaks(throwing<ConfigError>([&]() -> config::GpuConfig { return draft.finish(); }));
  py::dict d;
  d["fp64"] = p.fp64;
  d["fp32"] = p.fp32;
  d["fp16"] = p.fp16;
  d["tensor"] = p.tensor;
  d["l1"] = p.l1;
  d["l2"] = p.l2;
  d["dram"] = p.dram;
  return d;
}

py::dict run_facts(const RunRecord& r) {
  py::dict d;
  d["run"] = r.id;
  d["gpu"] = r.gpu;
  d["product"] = r.product;
  d["config_hash"] = r.config_hash;
  d["config_text"] = r.config_text;
  d["fidelity"] = r.fidelity;
  d["overrides"] = r.overrides;
  d["seed"] = r.seed;
  d["revision"] = r.revision;
  d["launches_planned"] = r.launches_planned;
  return d;
}

std::string report(const Records& r) {
  if (r.launches.empty()) {
    return "no launches\n";
  }
  const std::optional<config::GpuConfig> gpu = analysis::configuration(r.run);
  const std::string heading = analysis::run_heading(r.run, r.launches) + "\n";
  return r.launches.size() == 1
             ? heading + analysis::kernel_details(r.launches[0], analysis::roofs(r.launches[0], gpu))
             : heading + analysis::launch_tables(r.launches, r.launches.size(), gpu) +
                   analysis::sampling_note(r.launches);
}

void save(const Records& r, const std::string& file, const std::string& exists) {
  throwing<ResultsError>([&] {
    analysis::StoreOptions how;
    how.if_exists = exists == "append"    ? analysis::IfExists::kAppend
                    : exists == "replace" ? analysis::IfExists::kReplace
                                          : analysis::IfExists::kRefuse;
    analysis::ResultStore store(file, r.run, how);
    for (const LaunchRecord& l : r.launches) {
      store.add(l);
    }
  });
}

// Run `id` of a file; the last one for 0.
Records read(const std::string& file, int64_t id) {
  return throwing<ResultsError>([&] {
    analysis::ResultReader reader(file);
    const std::vector<RunRecord> runs = reader.runs();
    std::string ids;
    for (const RunRecord& r : runs) {
      if (r.id == id || (id == 0 && &r == &runs.back())) {
        Records out{reader.whole(r), reader.launches(r.id)};
        for (LaunchRecord& l : reader.profiled() ? std::span(out.launches) : std::span<LaunchRecord>()) {
          l.profile = reader.profile(l.id);
          l.profile.dropped_spans = 0;  // the spans are left in the file
          l.flop = reader.flop_by_instruction(l.id);
        }
        return out;
      }
      ids += (ids.empty() ? "" : ", ") + std::to_string(r.id);
    }
    throw Error(file + ": " +
                (id ? "no run " + std::to_string(id) + "; there are: " + (ids.empty() ? "none" : ids)
                    : "the database is empty"));
  });
}

// A folder that is removed with all in it.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "heddle-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) {
      throw ResultsError(path_ + ": " + std::strerror(errno));
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file() const { return path_ + "/results.db"; }

 private:
  std::string path_;
};

// The run's row, and a database's bytes: none without launches, where there is no database.
py::tuple pickled(const Records& r) {
  std::string bytes;
  if (!r.launches.empty()) {
    const TemporaryFolder folder;
    save(r, folder.file(), "error");
    std::ifstream in(folder.file(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  return py::make_tuple(run_facts(r.run), py::bytes(bytes));
}

Records unpickled(const py::tuple& t) {
  const py::dict d = t[0];
  RunRecord run;
  run.id = d["run"].cast<int64_t>();
  run.gpu = d["gpu"].cast<std::string>();
  run.product = d["product"].cast<std::string>();
  run.config_hash = d["config_hash"].cast<std::string>();
  run.config_text = d["config_text"].cast<std::string>();
  run.fidelity = d["fidelity"].cast<std::string>();
  run.overrides = d["overrides"].cast<std::string>();
  run.seed = d["seed"].cast<uint64_t>();
  run.revision = d["revision"].cast<std::string>();
  run.launches_planned = d["launches_planned"].cast<uint64_t>();
  Records out{run, {}};
  const std::string bytes = t[1].cast<std::string>();
  if (!bytes.empty()) {
    const TemporaryFolder folder;
    if (!(std::ofstream(folder.file(), std::ios::binary) << bytes << std::flush)) {
      throw ResultsError(folder.file() + ": cannot write");
    }
    out.launches = read(folder.file(), 0).launches;
  }
  return out;
}

py::list read_runs(const std::string& file) {
  py::list out;
  for (const RunRecord& r : throwing<ResultsError>([&] { return analysis::ResultReader(file).runs(); })) {
    out.append(run_facts(r));
  }
  return out;
}

}  // namespace

void bind_results(py::module_& m) {
  py::class_<Records>(m, "Records")
      .def(py::pickle([](const Records& r) { return pickled(r); },
                      [](const py::tuple& t) { return unpickled(t); }))
      .def("__len__", [](const Records& r) { return r.launches.size(); })
      .def("select",
           [](const Records& r, const std::vector<size_t>& which) {
             Records out{r.run, {}};
             for (size_t i : which) {
               out.launches.push_back(r.launches.at(i));
             }
             return out;
           })
      .def("run", [](const Records& r) { return run_facts(r.run); })
      .def("launches", launches)
      .def("counters", counters)
      .def("stalls", stalls)
      .def(
          "unknown_opcodes",
          [](const Records& r) { return column(r, [](const LaunchRecord& l) { return l.unknown_opcodes; }); })
      .def("instructions", instructions)
      .def("instruction_stalls", instruction_stalls)
      .def("series", series)
      .def("roofs", roofs)
      .def("report", report)
      .def("save", save);
  m.def("peaks", peaks);
  m.def("read", read);
  m.def("read_runs", read_runs);
  m.def("content_hash", [](const std::string& file) {
    return throwing<ResultsError>([&] { return analysis::ResultReader(file).content_hash(); });
  });
}

}  // namespace heddle::python
