#include "frontends/workload/reader.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "frontends/input/limits.h"
#include "frontends/input/regular_file.h"
#include "frontends/workload/builder.h"
#include "frontends/workload/error_names.h"
#include "frontends/workload/graph_reader.h"
#include "frontends/workload/parse_text.h"
#include "frontends/workload/read_arguments.h"
#include "frontends/workload/read_data.h"
#include "frontends/workload/read_environment.h"
#include "frontends/workload/read_kernel.h"
#include "frontends/workload/read_memory.h"
#include "frontends/workload/workload.pb.h"
#include "sim/base/error.h"
#include "sim/host/checks/check_program.h"
#include "sim/host/program/program_error.h"

namespace heddle::workload {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;
using Tree = TextFormat::ParseInfoTree;

const FieldDescriptor* field(const Message& m, const char* name) {
  return m.GetDescriptor()->FindFieldByName(name);
}

struct Parsed {
  proto::Workload w;
  Tree tree;
};

// Turns the parsed message into a program. Every message says the line that it is about.
class Reader final : public CallReader {
 public:
  Reader(std::unique_ptr<Parsed> parsed, std::string file, std::filesystem::path folder)
      : parsed_(std::move(parsed)),
        file_(std::move(file)),
        folder_(std::move(folder)),
        visible_(w().environment().has_visible_devices()
                     ? visible_devices(w().environment().visible_devices(), checked_devices())
                     : std::vector<uint32_t>()),
        builder_(visible_.empty() ? checked_devices() : static_cast<uint32_t>(visible_.size())) {
    builder_.program().visible = visible_;
    memory_ = {[this](const std::string& n) { return look_up(buffers_, n, "buffer"); },
               [this](const std::string& n) { return n.empty() ? Pool{} : look_up(pools_, n, "pool"); },
               [this](bool given, const std::string& n) { return stream(given, n); },
               [this](const std::string& what) { refuse(what); },
               [this](host::WindowDesc w) {
                 const uint64_t size = builder_.program().buffers[w.buffer].bytes;
                 if (w.offset > size || w.bytes > size - w.offset) {
                   refuse("a window beyond the end of its buffer");
                 }
                 w.bytes = w.bytes ? w.bytes : size - w.offset;
                 builder_.program().windows.push_back(w);
                 return Window{static_cast<uint32_t>(builder_.program().windows.size() - 1)};
               }};
  }

  Workload read() {
    Workload out;
    out.name = w().name().empty() ? file_ : w().name();
    out.file = file_;
    out.rules = read_environment(w().environment(), [this](const std::string& what) { refuse(what); });
    per_thread_ = out.rules.per_thread_default;
    if (w().environment().has_visible_devices() && visible_.empty()) {
      refuse("visible_devices \"" + w().environment().visible_devices() +
             "\" leaves none: every call would return "
             "cudaErrorNoDevice");
    }
    names_ = names();
    read_objects();
    if (w().thread_size() == 0) {
      throw Error(file_ + ": no thread: nothing would happen");
    }
    for (int i = 0; i < w().thread_size(); ++i) {
      const proto::Thread& t = w().thread(i);
      const Tree* at = nested(tree(), w(), "thread", i);
      line_ = line_in("thread", i);
      if (!threads_.insert(need(t.name(), "a thread", "name")).second) {
        refuse("thread \"" + t.name() + "\" is given twice");
      }
      Thread& thread = builder_.thread(t.name());
      builder_.program().threads.back().line = here();
      default_stream_ = per_thread_ ? builder_.stream("per-thread " + t.name()) : Stream{};
      device_ = 0;
      live_.push_back({&thread, default_stream_, 0});
      for (int k = 0; k < t.call_size(); ++k) {
        read_call(thread, t.call(k), at, t, k, static_cast<uint32_t>(i), out);
      }
    }
    append_traces(out);
    out.data = std::move(data_);
    if (w().has_measured()) {
      out.measured = {w().measured().gpu(), w().measured().sms()};
    }
    builder_.program().peer_access = w().peer_access();
    out.program = builder_.program();
    for (host::ThreadDesc& t : builder_.program().threads) {
      t.calls.clear();
    }
    parsed_ = nullptr;
    return out;
  }

  size_t add(const std::string& text, uint32_t line, uint32_t thread, Workload& to) override {
    parsed_ = std::make_unique<Parsed>();
    running_ = true;
    line_ = static_cast<int>(line);
    parse_text(text, file_, parsed_->w, parsed_->tree);
    const host::Sizes before(to.program);
    if (w().thread_size() == 0) {
      read_objects();
      append_to(to.program);
      checked([&] { host::check_more(to.program, before); });
      append_traces(to);
      return 0;
    }
    Live& live = live_[thread];
    default_stream_ = live.default_stream;
    device_ = live.device;
    std::deque<host::Call>& made = builder_.program().threads[thread].calls;
    made.clear();
    live.thread->line(line);
    read_call(*live.thread, w().thread(0).call(0), nullptr, w().thread(0), 0, thread, to);
    append_to(to.program);
    std::deque<host::Call>& calls = to.program.threads[thread].calls;
    calls.push_back(made.back());
    try {
      checked([&] {
        host::check_more(to.program, before);
        host::check_more(to.program, thread, calls.size() - 1);
      });
    } catch (const Error&) {
      calls.pop_back();
      throw;
    }
    live.device = device_;
    return calls.size() - 1;
  }
  uint32_t device_of(uint32_t thread) const override { return live_[thread].device; }

 private:
  // Before anything is made for each of them.
  uint32_t checked_devices() {
    if (w().devices() == 0 || w().devices() > host::kMostDevices) {
      line_ = w().has_devices() ? line_of(tree(), w(), "devices", -1) : 1;
      refuse("devices: " + std::to_string(w().devices()) + "; legal: 1 to " +
             std::to_string(host::kMostDevices));
    }
    return w().devices();
  }
  // Who runs the program says where it is.
  template <class Check>
  static void checked(const Check& check) {
    try {
      check();
    } catch (const host::ProgramError& e) {
      throw Error(e.what());
    }
  }
  // What reading more has added to the builder's program, to the one that runs.
  void append_to(host::Program& to) const {
    const auto rest = [](auto& all, const auto& mine) {
      all.insert(all.end(), mine.begin() + static_cast<std::ptrdiff_t>(all.size()), mine.end());
    };
    const host::Program& mine = builder_.program();
    rest(to.streams, mine.streams);
    rest(to.events, mine.events);
    rest(to.buffers, mine.buffers);
    rest(to.pools, mine.pools);
    rest(to.kernels, mine.kernels);
    rest(to.graphs, mine.graphs);
    rest(to.graph_execs, mine.graph_execs);
    rest(to.accesses, mine.accesses);
    rest(to.windows, mine.windows);
    rest(to.node_changes, mine.node_changes);
  }
  // What has come with a trace or a module, for whoever binds them.
  void append_traces(Workload& to) {
    to.traces.insert(to.traces.end(), traces_.begin() + static_cast<std::ptrdiff_t>(given_), traces_.end());
    given_ = traces_.size();
  }
  [[noreturn]] void refuse(const std::string& what) const {
    if (running_) {
      throw Error(what);  // who runs the program knows where it is
    }
    throw Error(file_ + ":" + std::to_string(line_) + ": " + what);
  }
  uint32_t here() const { return static_cast<uint32_t>(line_); }
  const std::string& need(const std::string& value, const char* what, const char* name) const {
    if (value.empty()) {
      refuse(std::string(what) + " needs `" + name + "`");
    }
    return value;
  }
  static const Tree* nested(const Tree& tree, const Message& m, const char* name, int index) {
    return tree.GetTreeForNested(field(m, name), index);
  }
  int line_in(const char* name, int index) const {
    return running_ ? line_ : line_of(tree(), w(), name, index);
  }
  static int line_of(const Tree& tree, const Message& m, const char* name, int index) {
    return tree.GetLocation(field(m, name), index).line + 1;
  }

  template <class T>
  T look_up(const std::map<std::string, T>& names, const std::string& name, const char* what) const {
    const auto found = names.find(name);
    if (found == names.end()) {
      std::string known;
      constexpr size_t kShown = 20;
      size_t left = names.size();
      for (auto it = names.begin(); it != names.end() && names.size() - left < kShown; ++it, --left) {
        known += (known.empty() ? "" : ", ") + it->first;
      }
      known += left > 0 ? " and " + std::to_string(left) + " more" : "";
      refuse(std::string("no ") + what + " \"" + name + "\"; there are: " + (known.empty() ? "none" : known));
    }
    return found->second;
  }
  template <class T>
  void enter(std::map<std::string, T>& names, const std::string& name, T id, const char* what) {
    if (!names.emplace(need(name, what, "name"), id).second) {
      refuse(std::string(what) + " \"" + name + "\" is given twice");
    }
  }
  uint32_t device(uint32_t d) const {
    if (d >= builder_.program().devices) {
      refuse("device " + std::to_string(d) + ": there are " + std::to_string(builder_.program().devices));
    }
    return d;
  }

  void read_objects() {
    for (int i = 0; i < w().flag_size(); ++i) {
      line_ = line_in("flag", i);
      enter(flags_, w().flag(i), builder_.flag(w().flag(i)), "flag");
    }
    for (int i = 0; i < w().queue_size(); ++i) {
      line_ = line_in("queue", i);
      const proto::Queue& q = w().queue(i);
      enter(queues_, q.name(), builder_.queue(q.name(), q.capacity()), "queue");
      builder_.program().queues.back().line = here();
    }
    for (int i = 0; i < w().stream_size(); ++i) {
      const proto::Stream& s = w().stream(i);
      line_ = line_in("stream", i);
      const Stream id = builder_.stream(s.name(), s.non_blocking(), s.priority(), device(s.device()));
      builder_.program().streams[id.id].line = here();
      builder_.program().streams[id.id].created_by_call = s.created_by_call();
      builder_.program().streams[id.id].domain = read_domain(s.sync_domain(), names_);
      enter(streams_, s.name(), id, "stream");
    }
    for (int i = 0; i < w().event_size(); ++i) {
      const proto::Event& e = w().event(i);
      line_ = line_in("event", i);
      enter(events_, e.name(),
            builder_.event(e.name(), !e.disable_timing(), device(e.device()), e.blocking_sync()), "event");
      builder_.program().events.back().line = here();
    }
    for (int i = 0; i < w().buffer_size(); ++i) {
      const proto::Buffer& b = w().buffer(i);
      line_ = line_in("buffer", i);
      auto [bytes, data] = read_data(b, folder_, names_);
      if (data) {
        if (running_) {
          refuse("buffer \"" + b.name() + "\": data is of buffers that are there from the start");
        }
        data_[static_cast<uint32_t>(builder_.program().buffers.size())] = std::move(*data);
      }
      const bool range = b.memory() == proto::Buffer::VIRTUAL;
      const Buffer id = builder_.buffer(b.name(), memory_of(b), bytes, device(b.device()));
      builder_.program().buffers[id.id].line = here();
      builder_.program().buffers[id.id].allocated_by_call = b.allocated_by_call() || range;
      builder_.program().buffers[id.id].reserved = range;
      builder_.program().buffers[id.id].trace_address = b.trace_address();
      enter(buffers_, b.name(), id, "buffer");
    }
    for (int i = 0; i < w().physical_size(); ++i) {
      const proto::Physical& p = w().physical(i);
      line_ = line_in("physical", i);
      enter(physical_, p.name(), builder_.physical(p.name(), p.bytes(), device(p.device())), "physical");
      builder_.program().physical.back().line = here();
    }
    for (int i = 0; i < w().pool_size(); ++i) {
      const proto::Pool& p = w().pool(i);
      line_ = line_in("pool", i);
      enter(pools_, p.name(), builder_.pool(p.name(), p.max_bytes(), device(p.device())), "pool");
      builder_.program().pools.back().line = here();
    }
    for (int i = 0; i < w().handle_size(); ++i) {
      line_ = line_in("handle", i);
      const proto::Handle& h = w().handle(i);
      enter(handles_, h.name(),
            h.has_default_() ? add_handle(builder_, h.name(), h.default_()) : add_handle(builder_, h.name()),
            "handle");
    }
    for (int i = 0; i < w().graph_exec_size(); ++i) {
      line_ = line_in("graph_exec", i);
      enter(execs_, w().graph_exec(i), add_graph_exec(builder_, w().graph_exec(i)), "graph_exec");
    }
    for (int i = 0; i < w().kernel_size(); ++i) {
      line_ = line_in("kernel", i);
      read_kernel(w().kernel(i));
    }
    read_device_calls(w(), builder_, names_, [this](int i) { line_ = line_in("kernel", i); });
    for (int i = 0; i < w().graph_size(); ++i) {
      line_ = line_in("graph", i);
      const proto::Graph& g = w().graph(i);
      enter(graphs_, g.name(), add_graph(builder_, g.name(), device(g.device())), "graph");
      builder_.program().graphs.back().line = here();
    }
    for (int i = 0; i < w().graph_size(); ++i) {
      const Tree* inside = nested(tree(), w(), "graph", i);
      read_nodes(w().graph(i), builder_, graphs_.at(w().graph(i).name()), names_,
                 [&](int node) { line_ = line_of(*inside, w().graph(i), "node", node); });
    }
  }

  Names names() {
    Names n;
    n.kernel = [this](const std::string& name) { return complete(look_up(kernels_, name, "kernel")); };
    n.queue = [this](const std::string& name) { return look_up(queues_, name, "queue"); };
    n.buffer = [this](const std::string& name) { return look_up(buffers_, name, "buffer"); };
    n.event = [this](const std::string& name) { return look_up(events_, name, "event"); };
    n.flag = [this](const std::string& name) { return look_up(flags_, name, "flag"); };
    n.graph = [this](const std::string& name) { return look_up(graphs_, name, "graph"); };
    n.handle = [this](const std::string& name) { return look_up(handles_, name, "handle"); };
    n.exec = [this](const std::string& name) { return look_up(execs_, name, "graph_exec"); };
    n.pool = memory_.pool;
    n.physical = [this](const std::string& name) { return look_up(physical_, name, "physical"); };
    n.stream = [this](bool given, const std::string& name) { return stream(given, name); };
    n.refuse = [this](const std::string& what) { refuse(what); };
    n.line = [this] { return here(); };
    n.window = [this](const proto::AccessWindow& w) { return read_window(w, memory_); };
    n.accesses = [this](const std::vector<proto::Access>& accesses, host::Call& c) {
      builder_.add_accesses(c, read_accesses(accesses, memory_));
    };
    n.node = [this](const proto::NodeSet& s) { return find_node(s, builder_, names_); };
    n.change = [this](const proto::NodeSet& s) {
      return add_change(builder_, find_node(s, builder_, names_), read_node(s.to(), builder_, names_));
    };
    return n;
  }

  void read_kernel(const proto::Kernel& k) {
    host::KernelDesc d = workload::read_kernel(k, names_, memory_);
    d.launches = read_device_launches(k, names_);
    d.line = here();
    const auto buffers = k.has_module() ? buffer_arguments(k.module(), names_) : std::map<size_t, uint32_t>();
    if (running_ && !buffers.empty()) {
      refuse("kernel \"" + k.name() + "\": one on buffers is made before the program runs");
    }
    const auto next = static_cast<uint32_t>(builder_.program().kernels.size());
    if (k.has_module()) {
      const auto of = std::pair(k.module().file(), k.module().kernel());
      const uint32_t first = loaded_as_.try_emplace(of, next).first->second;
      d.variant_of = first != next ? first : host::kNone;
    }
    const Kernel id = builder_.kernel(d);
    if (k.has_trace()) {
      traces_.push_back({id.id, folder_ / k.trace(), {}});
    } else if (k.has_module()) {
      traces_.push_back({id.id, read_module(k, names_, folder_), buffers});
    }
    enter(kernels_, k.name(), id, "kernel");
  }

  // A kernel that no launch gives a grid: refused if it needs one.
  Kernel complete(Kernel k) {
    const host::KernelDesc& d = builder_.program().kernels[k.id];
    if (d.block_duration > host::Ps() && !d.has_grid) {
      refuse("kernel \"" + d.name + "\": `block_us` needs a grid");
    }
    return k;
  }

  // The kernel with the grid, block and time of the launch, if it has any.
  Kernel variant(Kernel k, const proto::Launch& l) {
    const std::optional<host::KernelDesc> d = kernel_of_launch(builder_.program().kernels[k.id], l, names_);
    if (!d) {
      return complete(k);
    }
    if (std::any_of(traces_.begin(), traces_.end(), [&](const auto& t) { return t.kernel == k.id; }) ||
        d->trace != host::kNone) {
      refuse("kernel \"" + d->name + "\" has its grid and time from its trace or module");
    }
    const auto [it, is_new] = variants_.emplace(key_of_launch(l), Kernel{});
    if (is_new) {
      it->second = builder_.kernel(*d);
      builder_.program().kernels.back().variant_of = k.id;
      complete(it->second);
    }
    return it->second;
  }

  Stream stream(bool given, const std::string& name) const {
    if (given) {
      return look_up(streams_, name, "stream");
    }
    return per_thread_ ? default_stream_ : Stream{device_};
  }

  void read_call(Thread& t, const proto::Call& c, const Tree* tree, const Message& parent, int index,
                 uint32_t thread, Workload& out) {
    line_ = running_ ? line_ : tree ? line_of(*tree, parent, "call", index) : 0;
    t.line(static_cast<uint32_t>(line_));
    if (c.has_expect()) {
      if (!is_error_name(c.expect())) {
        refuse("expect: \"" + c.expect() + "\" is none of CUDA's errors, such as cudaErrorInvalidValue");
      }
      out.expected[{thread, static_cast<uint32_t>(line_)}] = c.expect();
    }
    const google::protobuf::OneofDescriptor* const what = c.GetDescriptor()->FindOneofByName("what");
    const FieldDescriptor* const given = c.GetReflection()->GetOneofFieldDescriptor(c, what);
    if (!given) {
      refuse("an empty call");
    }
    if (c.what_case() == proto::Call::kRepeat) {
      const Tree* call = tree ? nested(*tree, parent, "call", index) : nullptr;
      const Tree* body = call ? nested(*call, c, "repeat", -1) : nullptr;
      t.repeat(c.repeat().times(), [&](Thread& inner) {
        for (int k = 0; k < c.repeat().call_size(); ++k) {
          read_call(inner, c.repeat().call(k), body, c.repeat(), k, thread, out);
        }
      });
      return;
    }
    const host::CallType* const type = host::type_named(given->name());
    if (type && !type->read_apart) {
      host::Call declared;
      declared.type = type;
      read_arguments(c, *given, names_, declared);
      t.add(declared);
      if (type->op == host::Op::kSetDevice && declared.object < builder_.program().devices) {
        device_ = declared.object;  // calls without a stream follow it
      }
    } else {
      read_apart(t, c);
    }
  }

  // Launches, whose attributes are more than arguments, and fields that stand for one or another call.
  void read_apart(Thread& t, const proto::Call& c) {
    using What = proto::Call::WhatCase;
    switch (c.what_case()) {
      case What::kLaunch: {
        const Kernel k = variant(look_up(kernels_, c.launch().kernel(), "kernel"), c.launch());
        const Stream s = stream(c.launch().has_stream(), c.launch().stream());
        t.launch(k, s, read_attributes(c.launch(), names_, memory_));
        if (c.launch().access_size() > 0) {
          t.with(read_accesses(c.launch().access(), memory_));
        }
        break;
      }
      case What::kMallocBuffer:  // cudaMalloc, cudaMallocManaged or cudaMallocHost, as the memory asks
        t.malloc(look_up(buffers_, c.malloc_buffer(), "buffer"));
        break;
      case What::kFreeBuffer:
        t.free(look_up(buffers_, c.free_buffer(), "buffer"));
        break;
      default:  // stream_get_capture_info_v2: cudaStreamGetCaptureInfo without the data of edges
        t.streamGetCaptureInfo(stream(true, c.stream_get_capture_info_v2()), false);
        break;
    }
  }

  const proto::Workload& w() const { return parsed_->w; }
  const Tree& tree() const { return parsed_->tree; }

  std::unique_ptr<Parsed> parsed_;  // what is read now; null: nothing
  const std::string file_;
  const std::filesystem::path folder_;
  int line_ = 1;
  bool running_ = false;                 // reads more while the program runs
  const std::vector<uint32_t> visible_;  // devices that CUDA_VISIBLE_DEVICES chooses
  Builder builder_;
  std::vector<TracedKernel> traces_;
  std::map<uint32_t, BufferData> data_;
  uint32_t device_ = 0;
  bool per_thread_ = false;
  Stream default_stream_;
  std::set<std::string> threads_;
  struct Live {
    Thread* thread;
    Stream default_stream;
    uint32_t device;
  };
  std::vector<Live> live_;                                             // the threads, for add()
  size_t given_ = 0;                                                   // of traces_
  std::map<std::string, Kernel> variants_;                             // by kernel and what its launch says
  std::map<std::pair<std::string, std::string>, uint32_t> loaded_as_;  // by module and kernel: the first
  std::map<std::string, Stream> streams_;
  std::map<std::string, Event> events_;
  std::map<std::string, Buffer> buffers_;
  std::map<std::string, Kernel> kernels_;
  std::map<std::string, Pool> pools_;
  std::map<std::string, Physical> physical_;
  MemoryNames memory_;
  Names names_;
  std::map<std::string, Flag> flags_;
  std::map<std::string, Queue> queues_;
  std::map<std::string, Graph> graphs_;
  std::map<std::string, Handle> handles_;
  std::map<std::string, GraphExec> execs_;
};

}  // namespace

Workload parse_workload(std::string_view text, const std::string& name, const std::filesystem::path& folder) {
  auto parsed = std::make_unique<Parsed>();
  parse_text(text, name, parsed->w, parsed->tree);
  const auto reader = std::make_shared<Reader>(std::move(parsed), name, folder);
  Workload out = reader->read();
  out.more = reader;
  return out;
}

Workload read_workload(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) {
    throw Error(file.string() + ": is a directory (legal: a workload file, or a kernelslist.g)");
  }
  return parse_workload(input::read_regular_file(file, input::limits().text_bytes), file.string(),
                        file.parent_path());
}

}  // namespace heddle::workload
