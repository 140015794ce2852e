// Tables of what was measured on the host's side of a GPU, row by row against the model.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/host/experiments.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::hostbench {

struct MeasuredRow : Row {
  std::string place;    // FILE:LINE
  bool scored = false;  // drawn at random before anything was simulated: nobody has looked at its error
  // The least and the greatest of several runs on several machines, of which `value` is the median; of one
  // run, `value`.
  double low = 0, high = 0;
};

// Rows `test,parameter,value,unit`, or below a first line that says so `test,parameter,value,unit,low,high`
// (as tools/microbench/host_rows.py writes them; both empty where there was one run). Those of a file
// "..._scored.csv" are only scored. Throws Error for what is no number.
std::vector<MeasuredRow> read_rows(const std::filesystem::path& file);

struct Compared {
  MeasuredRow row;
  std::optional<double> bound;  // per cent that is asked for
  std::optional<double> simulated;
};

struct BenchOptions {
  std::filesystem::path l2;  // code of the sliding-window kernel; empty: rows `l2_persist_us` are left out
  int threads = 1;
  const std::atomic<bool>* cancel = nullptr;
};

// The rows that are asked for or modelled. Throws Error for a parameter that its test does not have.
std::vector<Compared> compare(const std::vector<MeasuredRow>& rows, const config::GpuConfig& gpu,
                              const BenchOptions& options);

// Whether any row of an experiment is there to be compared.
bool any(const std::vector<Compared>& rows);
// "12 of 14 within what is asked; 0 not modelled yet\n", and the errors of the rows only scored, and of all
// others; where there were several runs, how many rows lie between the least and the greatest of them, and
// how far those are apart.
std::string summary(const std::vector<Compared>& rows);
std::string as_text(const std::vector<Compared>& rows);

inline constexpr char kPageTitle[] = "# The host model against the silicon";
// A page in Markdown. `gpu` and `hash`: the configuration's name and hash.
std::string as_page(const std::vector<Compared>& rows, const std::string& gpu, const std::string& hash);

}  // namespace heddle::hostbench
