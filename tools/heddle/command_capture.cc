// heddle capture: records a program's kernels while it runs. tools/tracer is what is inside the program.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "frontends/capture/session.h"
#include "frontends/input/printable.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "tools/heddle/capture_program.h"
#include "tools/heddle/capture_writer.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

struct CaptureOptions {
  std::vector<std::string> command;
  fs::path out, tracer;
  std::string kernel, launches, range, blocks;
  uint64_t most = 0;
  double memory = 0, disk = 0;  // GiB; 0: the tracer's default, no limit
  bool profiler = false, first_of_each = false, no_maps = false, list = false, force = false, quiet = false;
  trace::WriterOptions writer;
};

constexpr double kGiB = 1 << 30;

// Beside the program, in a checkout that it is in or that this is.
fs::path find_tracer(const CaptureOptions& o) {
  constexpr const char* kPlace = "tools/tracer/tracer.so";
  std::vector<fs::path> candidates;
  const char* variable = std::getenv("HEDDLE_TRACER");
  if (!o.tracer.empty() || (variable && *variable)) {
    candidates.push_back(o.tracer.empty() ? fs::path(variable) : o.tracer);
  } else {
    std::error_code ec;
    const fs::path program = fs::read_symlink("/proc/self/exe", ec);
    candidates.push_back(program.parent_path() / "tracer.so");
    candidates.emplace_back(kPlace);
    for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
      candidates.push_back(folder / kPlace);
    }
  }
  for (const fs::path& c : candidates) {
    if (std::error_code ec; fs::is_regular_file(c, ec)) {
      return fs::canonical(c);
    }
  }
  throw Error(
      fmt::format("{}: there is no tracer (build it with `make -C tools/tracer NVBIT_HOME=DIR`, DIR an "
                  "unpacked NVBit; --tracer or "
                  "HEDDLE_TRACER name one that is elsewhere)",
                  o.tracer.empty() && variable && *variable ? variable
                  : o.tracer.empty()                        ? kPlace
                                                            : o.tracer.c_str()));
}

std::string shape(const uint32_t (&d)[3]) { return fmt::format("({},{},{})", d[0], d[1], d[2]); }

// What the driver says without the program: nothing when there is a GPU.
std::string driver_fault() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) {
    return "this machine has no NVIDIA driver (libcuda.so.1)";
  }
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const int error = init ? init(0) : -1;
  return error ? fmt::format("the NVIDIA driver finds no GPU (cuInit: error {})", error) : "";
}

bool has_nvdisasm() {
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    if (access((path.substr(at, end - at) + "/nvdisasm").c_str(), X_OK) == 0) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

class CaptureRun : public capture::Events {
 public:
  explicit CaptureRun(const CaptureOptions& o) : o_(o) {}
  ~CaptureRun() override { before_output(nullptr); }

  int run() {
    const fs::path tracer = find_tracer(o_);
    const CaptureSocket socket;
    // LD_PRELOAD knows no quotes.
    const fs::path link = socket.folder() / "tracer.so";
    fs::create_symlink(tracer, link);
    if (!o_.list) {
      CaptureFiles files = {o_.out, fs::path(o_.command.front()).filename().string(), o_.writer, UINT64_MAX};
      files.writer.replace = replace(o_.force);
      files.most_bytes = o_.disk > 0 ? static_cast<uint64_t>(o_.disk * kGiB) : UINT64_MAX;
      writer_.emplace(files, [this](const CapturedFile& f) { written(f); });
    }
    catch_signals();
    before_output([this] { clear(); });
    CaptureProgram program(o_.command, environment(socket.path(), link.string()));
    serve(socket, program);
    clear();
    return conclude(program.status());
  }

 private:
  std::map<std::string, std::string> environment(const std::string& socket, const std::string& tracer) const {
    std::map<std::string, std::string> e = {
        {"HEDDLE_CAPTURE_SOCKET", socket},
        {"NVTX_INJECTION64_PATH", tracer},
        {"HEDDLE_CAPTURE_KERNEL", o_.kernel},
        {"HEDDLE_CAPTURE_LAUNCHES", o_.launches},
        {"HEDDLE_CAPTURE_NVTX", o_.range},
        {"HEDDLE_CAPTURE_BLOCKS", o_.blocks},
        {"HEDDLE_CAPTURE_PROFILER", o_.profiler ? "1" : ""},
        {"HEDDLE_CAPTURE_FIRST_OF_EACH", o_.first_of_each ? "1" : ""},
        {"HEDDLE_CAPTURE_LIST", o_.list ? "1" : ""},
        {"HEDDLE_CAPTURE_MAPS", o_.no_maps ? "0" : "1"},
        {"HEDDLE_CAPTURE_MOST", o_.most ? fmt::format("{}", o_.most) : ""},
        {"HEDDLE_CAPTURE_MEMORY",
         o_.memory > 0 ? fmt::format("{}", static_cast<uint64_t>(o_.memory * kGiB)) : ""},
        // NVBit's
        {"NOBANNER", "1"},
        {"ACK_CTX_INIT_LIMITATION", "1"}};
    const char* before = std::getenv("LD_PRELOAD");
    e["LD_PRELOAD"] = before && *before ? tracer + ":" + before : tracer;
    constexpr const char* kUsual = "/usr/local/cuda/bin/nvdisasm";
    if (!has_nvdisasm() && !std::getenv("NVDISASM") && access(kUsual, X_OK) == 0) {
      e["NVDISASM"] = kUsual;
    }
    return e;
  }

  // Until the program and all that it has started have closed their connections.
  void serve(const CaptureSocket& socket, CaptureProgram& program) {
    std::vector<std::thread> threads;
    int told = 0;
    while (!program.ended() || (active_ > 0 && !caught_signal())) {
      if (const int fd = socket.accept(20); fd >= 0) {
        ++active_;
        threads.emplace_back([this, fd] { session(fd); });
      }
      if (caught_signal() && !told) {
        program.forward(told = caught_signal());
      }
    }
    for (int fd; (fd = socket.accept(0)) >= 0;) {  // of processes that were very short
      ++active_;
      threads.emplace_back([this, fd] { session(fd); });
    }
    // What has been sent before the program ended by a signal is read to its end.
    for (int i = 0; active_ > 0 && (i < 100 || !caught_signal()); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    stop_ = true;
    for (std::thread& t : threads) {
      t.join();
    }
  }

  void session(int fd) {
    try {
      capture::read_session(
          "tracer", [this, fd](char* room, size_t n) { return read_connection(fd, stop_, room, n); }, *this);
    } catch (const std::exception& e) {
      if (!stop_ && !caught_signal()) {
        warn(e.what());
        ++faults_;
      }
    }
    close(fd);
    --active_;
  }

  // ---- capture::Events, from the threads of sessions
  void hello(uint32_t) override { ++processes_; }
  void context(const std::string& gpu) override {
    ++contexts_;
    if (!o_.quiet) {
      note("recording on " + input::printable(gpu));
    }
  }
  void progress(const std::string& kernel, uint64_t done, uint64_t bytes) override {
    show(fmt::format("receiving {} {} % of {} MiB", input::printable(kernel),
                     done * 100 / std::max<uint64_t>(bytes, 1), bytes >> 20));
  }
  void captured(capture::Launch launch) override {
    if (!writer_ || !writer_->add(std::move(launch))) {
      stop_ = true;  // the disk is full: the program runs on
    }
  }
  void dropped(uint64_t number, const std::string& kernel, const std::string& why) override {
    warn(fmt::format("launch {}, {}: dropped: {}", number, input::printable(kernel), input::printable(why)));
    ++dropped_;
  }
  void listed(const capture::Listed& l, const std::string& kernel) override {
    print(fmt::format("{:>7}  grid {} block {}  {}{}\n", l.number, shape(l.grid), shape(l.block),
                      input::printable(kernel), l.graph ? fmt::format("  graph {}", l.graph) : ""));
    ++listed_;
  }
  void error(const std::string& what) override {
    warn(input::printable(what));
    ++faults_;
  }
  void note(const std::string& what) override { cli::note(input::printable(what)); }
  void bye(const capture::Bye& b) override { launches_ += b.launches; }

  void written(const CapturedFile& f) {
    if (!o_.quiet) {
      const bool part = f.totals.blocks < f.grid.count();
      cli::note(fmt::format("{}: launch {}, {}, grid ({},{},{}), {}{}{} warp instructions, {} bytes", f.name,
                            f.launch, input::printable(f.kernel), f.grid.x, f.grid.y, f.grid.z,
                            part ? fmt::format("blocks {}-{} of {}, ", f.first_block,
                                               f.first_block + f.totals.blocks - 1, f.grid.count())
                                 : "",
                            f.graph ? fmt::format("graph {} in launch {} of graphs, stream {:#x}, ", f.graph,
                                                  f.graph_launch, f.stream)
                                    : "",
                            f.totals.warp_instructions, f.totals.bytes));
    }
  }

  // ---- a line on a terminal that is written over
  void show(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(screen_);
    if (o_.quiet || !isatty(STDERR_FILENO) || now - shown_ < std::chrono::milliseconds(100)) {
      return;
    }
    shown_ = now;
    drawn_ = true;
    std::fprintf(stderr, "\r\033[K%.78s", text.c_str());
    std::fflush(stderr);
  }
  void clear() {
    const std::lock_guard lock(screen_);
    if (drawn_) {
      std::fputs("\r\033[K", stderr);
      drawn_ = false;
    }
  }

  int conclude(int status) {
    size_t files = 0;
    std::string fault;
    if (writer_) {
      try {
        writer_->finish();
      } catch (const Error& e) {
        fault = e.what();
      }
      files = writer_->files().size();
      if (files > 0 && !o_.quiet) {
        cli::note(fmt::format("{}: {} launches captured, {} dropped; {} bytes", o_.out.string(), files,
                              dropped_.load(), writer_->bytes()));
      }
    }
    if (fault.empty() && files == 0 && listed_ == 0 && dropped_ == 0 && faults_ == 0 && status == 0) {
      fault = why_nothing();
    } else if (fault.empty() && (dropped_ > 0 || faults_ > 0)) {
      fault = fmt::format("{} of the selected launches are missing (see the warnings)",
                          dropped_ ? "some" : "all or some");
    }
    if (!fault.empty()) {
      report_error(fault);
    }
    if (status > 0) {
      cli::note(fmt::format("{} has ended with status {}", o_.command.front(), status));
    }
    return status > 0 ? status : fault.empty() ? 0 : 1;
  }

  std::string why_nothing() const {
    const std::string driver = launches_ > 0 || contexts_ > 0 ? "" : driver_fault();
    const std::string& program = o_.command.front();
    if (!driver.empty()) {
      return fmt::format("nothing was captured: {}", driver);
    }
    if (processes_ == 0) {
      return fmt::format(
          "nothing was captured: {} did not load the tracer (a static or setuid program? does the driver "
          "fit this NVBit?)",
          program);
    }
    if (launches_ == 0) {
      return fmt::format(
          "nothing was captured: {} has launched no kernel that NVBit has seen{}", program,
          has_nvdisasm() || std::getenv("NVDISASM") ? "" : " (is nvdisasm in the PATH? NVBit needs it)");
    }
    return fmt::format("nothing was captured: none of the {} launches was selected (--list shows them)",
                       launches_.load());
  }

  const CaptureOptions& o_;
  std::optional<CaptureWriter> writer_;
  std::atomic<bool> stop_{false};
  std::atomic<int> active_{0};
  std::atomic<uint64_t> processes_{0}, contexts_{0}, launches_{0}, listed_{0}, dropped_{0}, faults_{0};
  std::mutex screen_;
  std::chrono::steady_clock::time_point shown_;
  bool drawn_ = false;
};

CLI::Validator a_regex() {
  return CLI::Validator(
      [](const std::string& text) {
        try {
          const std::regex check(text);
          return std::string();
        } catch (const std::regex_error& e) {
          return fmt::format("'{}' (legal: a regular expression; {})", text, e.what());
        }
      },
      "");
}

CLI::Validator launch_numbers() {
  return CLI::Validator(
      [](const std::string& text) {
        const size_t dash = text.find('-');
        const auto first = parse_number<uint64_t>(std::string_view(text).substr(0, dash));
        const auto last = dash == std::string::npos
                              ? first
                              : parse_number<uint64_t>(std::string_view(text).substr(dash + 1));
        const bool good = first && last && *first >= 1 && *last >= *first;
        return good ? std::string() : fmt::format("'{}' (legal: N or N-M, from 1)", text);
      },
      "");
}

CLI::Validator block_numbers() {
  return CLI::Validator(
      [](const std::string& text) {
        const size_t dash = text.find('-');
        const auto first = parse_number<uint64_t>(std::string_view(text).substr(0, dash));
        const auto last = dash == std::string::npos
                              ? first
                              : parse_number<uint64_t>(std::string_view(text).substr(dash + 1));
        const bool good = first && last && *last >= *first && (dash != std::string::npos || *first >= 1);
        return good ? std::string() : fmt::format("'{}' (legal: N, from 1, or A-B, from 0)", text);
      },
      "");
}

}  // namespace

void add_capture(CLI::App& app, int& status) {
  auto o = std::make_shared<CaptureOptions>();
  CLI::App* c = app.add_subcommand("capture", "record a program's kernels as .heddle files");
  c->add_option("COMMAND", o->command, "the program and its arguments, behind --")->required();
  CLI::Option* list = c->add_flag("--list", o->list, "only print the launches that would be recorded");
  CLI::Option* out =
      c->add_option("--out,-o", o->out, "folder for kernel-N.heddle and kernelslist.g")->type_name("DIR");
  list->excludes(out);
  c->add_option("--kernel", o->kernel, "kernels whose name, mangled or not, this matches")
      ->check(a_regex())
      ->type_name("REGEX");
  c->add_option("--launch", o->launches, "launches by their number in the process, from 1")
      ->check(launch_numbers())
      ->type_name("N|N-M");
  c->add_flag("--first-of-each", o->first_of_each,
              "of launches with the same name, grid and block the first");
  c->add_option("--nvtx", o->range, "launches while an NVTX range of this name is open")->type_name("NAME");
  c->add_flag("--profiler", o->profiler, "launches between cudaProfilerStart and cudaProfilerStop");
  c->add_option("--blocks", o->blocks,
                "of each launch the first N blocks, or those from A to B, in launch order and whole clusters")
      ->check(block_numbers())
      ->type_name("N|A-B");
  c->add_option("--max-launches", o->most, "so many launches of a process")->check(CLI::PositiveNumber);
  c->add_option("--memory", o->memory,
                "buffer on the GPU (default: 8, a quarter of what is free if that is less)")
      ->check(CLI::PositiveNumber)
      ->type_name("GIB");
  c->add_option("--disk", o->disk, "stop recording when the files have this size")
      ->check(CLI::PositiveNumber)
      ->type_name("GIB");
  c->add_option("--level", o->writer.level, trace::kLevelHelp)
      ->check(CLI::Range(1, 22))
      ->capture_default_str();
  c->add_option("--tracer", o->tracer, "the tracer (default: $HEDDLE_TRACER, tools/tracer/tracer.so)")
      ->type_name("FILE.so");
  c->add_flag("--no-tensor-maps", o->no_maps, "do not read tensor maps on the GPU");
  c->add_flag("--force", o->force, "replace files that exist");
  c->add_flag("--quiet,-q", o->quiet, "no progress on stderr");
  c->callback([o, &status] {
    if (o->out.empty() && !o->list) {
      throw Error("--out is required (or --list)");
    }
    status = CaptureRun(*o).run();
  });
}

}  // namespace heddle::cli
