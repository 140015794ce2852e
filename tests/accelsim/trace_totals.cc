// Reads every kernel behind a path, front to back, and prints what it holds and how fast that went. Serves as
// the frontend's benchmark and, with --csv, as the check of instruction totals against measured ones.
//
//   trace_totals PATH [--no-side] [--csv suite.csv]

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/accelsim/discover.h"
#include "frontends/accelsim/trace_reader.h"
#include "frontends/trace/launches.h"
#include "sim/base/error.h"

namespace {

namespace ha = heddle::accelsim;
using Clock = std::chrono::steady_clock;

struct Totals {
  uint64_t blocks = 0, instructions = 0, runs = 0, refs = 0, unrecorded = 0;
};

Totals read_all(heddle::isa::BlockSource& source) {
  Totals t;
  heddle::isa::BlockTrace block;
  while (source.next(block)) {
    ++t.blocks;
    for (const auto& w : block.warps) {
      t.instructions += w.instructions;
      t.runs += w.runs.size();
      t.refs += w.refs.size();
      for (const auto& r : w.refs) {
        t.unrecorded += r.kind == heddle::isa::MemRef::Kind::kNone;
      }
    }
  }
  return t;
}

std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> cells(1);
  bool in_quotes = false;
  for (const char c : line) {
    if (c == '"') {
      in_quotes = !in_quotes;
    } else if (c == ',' && !in_quotes) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// Kernel name to smsp__inst_executed.sum.
std::map<std::string, uint64_t> read_measured(const std::string& file) {
  std::map<std::string, uint64_t> measured;
  std::ifstream in(file);
  std::string line;
  size_t column = 0;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split_csv(line);
    if (column == 0) {
      while (column < cells.size() && cells[column] != "smsp__inst_executed.sum") {
        ++column;
      }
    } else if (column < cells.size()) {
      measured[cells[0]] = static_cast<uint64_t>(std::strtod(cells[column].c_str(), nullptr));
    }
  }
  return measured;
}

int run(int argc, char** argv) {
  std::string path, csv;
  ha::OpenOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--no-side") {
      options.side = ha::Companion::kIgnored;
    } else if (a == "--csv" && i + 1 < argc) {
      csv = argv[++i];
    } else {
      path = a;
    }
  }
  const std::map<std::string, uint64_t> measured =
      csv.empty() ? std::map<std::string, uint64_t>() : read_measured(csv);
  int equal = 0;
  uint64_t lines = 0;
  double seconds = 0;
  std::printf("%-20s %8s %11s %11s %9s %9s %9s %8s\n", "kernel", "blocks", "instrs", "measured", "runs",
              "refs", "unrec.", "Mline/s");
  for (const ha::Launch& l : heddle::trace::discover(path)) {
    const auto start = Clock::now();
    const auto source = heddle::trace::is_native(l.path) ? heddle::trace::open_any(l.path).source
                                                         : ha::open_trace(l.path, options);
    const Totals t = read_all(*source);
    const double s = std::chrono::duration<double>(Clock::now() - start).count();
    const auto m = measured.find(l.trace);
    const uint64_t want = m == measured.end() ? 0 : m->second;
    equal += want == t.instructions;
    lines += t.instructions;
    seconds += s;
    std::printf("%-20s %8llu %11llu %11llu %9llu %9llu %9llu %8.1f%s\n", l.trace.c_str(),
                static_cast<unsigned long long>(t.blocks), static_cast<unsigned long long>(t.instructions),
                static_cast<unsigned long long>(want), static_cast<unsigned long long>(t.runs),
                static_cast<unsigned long long>(t.refs), static_cast<unsigned long long>(t.unrecorded),
                static_cast<double>(t.instructions) / s / 1e6,
                want && want != t.instructions ? "  differs" : "");
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "total %llu instructions in %.2f s: %.1f M lines/s; equal to measured: %d; peak memory %.1f MiB\n",
      static_cast<unsigned long long>(lines), seconds, static_cast<double>(lines) / seconds / 1e6, equal,
      static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const heddle::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
