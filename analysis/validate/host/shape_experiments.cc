// The experiments of graph_shapes.cu: conditional nodes, shapes, nodes of every kind.
#include <array>

#include "analysis/validate/host/experiment.h"

namespace heddle::hostbench {
namespace {

using Condition = host::GraphNode::Condition;

// Reads "kernel; if-else 1 of 2; kernel spin4000" from the left.
class Words {
 public:
  explicit Words(std::string text) : rest_(std::move(text)) {}
  bool take(const std::string& what) {
    const bool there = rest_.starts_with(what);
    rest_.erase(0, there ? what.size() : 0);
    return there;
  }
  uint32_t number() {
    size_t end = 0;
    const auto n = static_cast<uint32_t>(std::stoul(rest_, &end));
    rest_.erase(0, end);
    return n;
  }
  void expect(const std::string& what) {
    if (!take(what)) {
      throw std::invalid_argument(rest_);
    }
  }

 private:
  std::string rest_;
};

double spin_of(const std::string& parameter) {
  const size_t at = parameter.find("spin");
  return at == std::string::npos ? 0 : std::stod(parameter.substr(at + 4));
}

class Shapes {
 public:
  Shapes(Experiment& e, const std::string& parameter)
      : e_(e), k_(e.spin(spin_of(parameter))), empty_(e.spin(0)), g_(add_graph(e.w, "g")) {
    build(Words(parameter));
  }
  Graph graph() const { return g_; }

 private:
  Node spin(Graph g, const Nodes& after = {}) { return kernel_node(e_.w, g, k_, after); }
  Nodes chain(Graph g, uint32_t n, Nodes last = {}) {
    for (uint32_t i = 0; i < n; ++i) {
      last = {spin(g, last)};
    }
    return last;
  }
  std::string name(const char* what) { return what + std::to_string(names_++); }
  Node condition(Graph g, Condition c, Handle h, const std::vector<uint32_t>& kernels, const Nodes& after) {
    std::vector<Graph> bodies;
    for (const uint32_t n : kernels) {
      bodies.push_back(add_graph(e_.w, name("body")));
      chain(bodies.back(), n);
    }
    return conditional_node(e_.w, g, c, h, bodies, after);
  }
  // A kernel that says n - 1 times that it goes on.
  Kernel counter(Handle h, uint32_t n) {
    std::vector<uint32_t> values(n, 1);
    values.back() = 0;
    return setting_kernel(e_.w, "count", 0, h, values);
  }

  void loop(Words w) {
    const uint32_t n = w.number();
    w.expect(" iterations of ");
    const Handle h = add_handle(e_.w, "h", 1);
    const Graph body = add_graph(e_.w, "body");
    const Node first = kernel_node(e_.w, g_, empty_);
    Nodes last;
    if (w.take("if 1 of 1 and a kernel")) {
      last = {condition(body, Condition::kIf, add_handle(e_.w, "h2", 1), {1}, {})};
    } else {
      last = chain(body, w.number() - 1);
    }
    kernel_node(e_.w, body, counter(h, n), last);
    conditional_node(e_.w, g_, Condition::kWhile, h, {body}, {first});
  }

  void choice(Words w) {
    const Nodes first = {spin(g_)};
    Nodes ends;
    if (w.take("two ifs side by side")) {
      for (int i = 0; i < 2; ++i) {
        ends.push_back(condition(g_, Condition::kIf, add_handle(e_.w, name("h"), 1), {1}, first));
      }
    } else if (w.take("switch ")) {
      const Handle h = add_handle(e_.w, "h", w.number());
      ends = {condition(g_, Condition::kSwitch, h, {1, 1, 1, 1}, first)};
    } else {
      w.expect("if");
      const bool two = w.take("-else");
      w.expect(" ");
      const Handle h = add_handle(e_.w, "h", w.number());
      w.expect(" of ");
      ends = {condition(g_, Condition::kIf, h, std::vector<uint32_t>(two ? 2 : 1, w.number()), first)};
    }
    spin(g_, ends);
  }

  void tree(uint32_t levels, bool back) {
    Nodes level = {spin(g_)};
    for (uint32_t l = 1; l < levels; ++l) {
      Nodes next;
      for (const Node n : level) {
        next.push_back(spin(g_, {n}));
        next.push_back(spin(g_, {n}));
      }
      level = next;
    }
    for (; back && level.size() > 1;) {
      Nodes next;
      for (size_t i = 0; i < level.size(); i += 2) {
        next.push_back(spin(g_, {level[i], level[i + 1]}));
      }
      level = next;
    }
  }

  void build(Words w) {
    if (w.take("while ")) {
      loop(w);
    } else if (w.take("kernel; ")) {
      choice(w);
    } else if (w.take("chain of ")) {
      chain(g_, w.number());
    } else if (w.take("fork and join of ")) {
      const uint32_t width = w.number();
      w.expect(" times ");
      Nodes last;
      for (uint32_t times = w.number(); times > 0; --times) {
        const Node root = spin(g_, last);
        last.clear();
        for (uint32_t i = 0; i < width; ++i) {
          last.push_back(spin(g_, {root}));
        }
      }
      spin(g_, last);
    } else if (w.take("binary tree of ")) {
      const uint32_t levels = w.number();
      w.expect(" levels");
      tree(levels, w.take(" and back"));
    } else if (w.take("8 full layers of ")) {
      const uint32_t width = w.number();
      Nodes layer;
      for (int l = 0; l < 8; ++l) {
        Nodes next;
        for (uint32_t i = 0; i < width; ++i) {
          next.push_back(spin(g_, layer));
        }
        layer = next;
      }
    } else {
      const uint32_t n = w.number();
      if (w.take(" times kernel and if 1 of 1")) {
        Nodes last;
        for (uint32_t i = 0; i < n; ++i) {
          const Handle h = add_handle(e_.w, name("h"), 0);
          const Node set = kernel_node(e_.w, g_, setting_kernel(e_.w, name("set"), 0, h, {1}), last);
          last = {condition(g_, Condition::kIf, h, {1}, {set})};
        }
        return;
      }
      uint32_t depth = 1;
      if (!w.take(" roots")) {
        w.expect(" chains of ");
        depth = w.number();
      }
      for (uint32_t c = 0; c < n; ++c) {
        chain(g_, depth);
      }
    }
  }

  Experiment& e_;
  Kernel k_, empty_;
  Graph g_;
  int names_ = 0;
};

std::optional<double> shapes(Experiment& e, const Row& row) {
  const Graph g = Shapes(e, row.parameter).graph(), other = add_graph(e.w, "other");
  const GraphExec x = add_graph_exec(e.w, "x"), y = add_graph_exec(e.w, "y");
  kernel_node(e.w, other, e.spin(0));
  e.main.graphInstantiate(y, other).deviceSynchronize();
  if (row.test == "shape_instantiate_us") {
    // As there, behind others that were destroyed: the memory of more nodes than are kept.
    const Graph before = add_graph(e.w, "before");
    Nodes last;
    for (int i = 0; i < 1000; ++i) {
      last = {kernel_node(e.w, before, e.spin(0), last)};
    }
    e.main.graphInstantiate(y, before).graphExecDestroy(y);
    return e.last_call([&] { e.main.graphInstantiate(x, g); });
  }
  e.main.graphInstantiate(x, g).graphLaunch(x, e.s).deviceSynchronize();
  if (row.test == "shape_return_us") {
    return e.last_call([&] { e.main.graphLaunch(x, e.s); });
  }
  if (row.test == "shape_done_us") {
    return e.last_call([&] { e.main.graphLaunch(x, e.s).deviceSynchronize(); });
  }
  if (row.test == "shape_relaunch_us") {
    return e.last_call([&] {
      e.main.repeat(20, [&](Thread& t) { t.graphLaunch(x, e.s); }).deviceSynchronize();
    }) / 20;
  }
  return row.test == "shape_exec_us" ? std::optional(e.between_events([&] { e.main.graphLaunch(x, e.s); }))
                                     : std::nullopt;
}

// One of each kind, as a node or a call; `kind` as graph_shapes.cu names them.
struct Kinds {
  explicit Kinds(Experiment& experiment)
      : e(experiment),
        k(e.spin(0)),
        dev(e.w.device("dev", 1 << 22)),
        dev2(e.w.device("dev2", 1 << 22)),
        pinned(e.w.pinned("pinned", 1 << 22)),
        x(e.w.event("x")) {}

  Node node(Graph g, const std::string& kind, const Nodes& after) {
    const uint64_t bytes = kind.ends_with("1M") ? 1 << 20 : kind.ends_with("4K") ? 4096 : 4;
    return kind == "kernel"           ? kernel_node(e.w, g, k, after)
           : kind.starts_with("mems") ? memset_node(e.w, g, dev, after, bytes)
           : kind.starts_with("h2d")  ? memcpy_node(e.w, g, dev, pinned, after, bytes)
           : kind.starts_with("d2h")  ? memcpy_node(e.w, g, pinned, dev, after, bytes)
           : kind.starts_with("d2d")  ? memcpy_node(e.w, g, dev2, dev, after, bytes)
           : kind == "host"           ? host_node(e.w, g, 0, after)
           : kind == "record"         ? event_record_node(e.w, g, x, after)
                                      : empty_node(e.w, g, after);
  }
  void call(const std::string& kind) {
    const uint64_t bytes = kind.ends_with("1M") ? 1 << 20 : kind.ends_with("4K") ? 4096 : 4;
    if (kind == "kernel") {
      e.main.launch(k, e.s);
    } else if (kind.starts_with("mems")) {
      e.main.memsetAsync(dev, e.s, bytes);
    } else if (kind.starts_with("h2d")) {
      e.main.memcpyAsync(dev, pinned, e.s, bytes);
    } else if (kind.starts_with("d2h")) {
      e.main.memcpyAsync(pinned, dev, e.s, bytes);
    } else if (kind.starts_with("d2d")) {
      e.main.memcpyAsync(dev2, dev, e.s, bytes);
    } else if (kind == "host") {
      e.main.launchHostFunc(e.s, 0);
    } else {
      e.main.eventRecord(x, e.s);
    }
  }

  Experiment& e;
  Kernel k;
  Buffer dev, dev2, pinned;
  Event x;
};

std::optional<double> kinds(Experiment& e, const Row& row) {
  Kinds all(e);
  const size_t and_at = row.parameter.find(" and "), times_at = row.parameter.find(" 10 times");
  const std::string first = row.parameter.substr(0, and_at),
                    second = row.parameter.substr(and_at + 5, times_at - and_at - 5);
  if (row.test == "kinds_stream_us") {
    // Two spin kernels: what is issued while they run is there when the second one ends.
    const Kernel wait = e.spin(600000);
    e.main.launch(wait, e.s);
    return e.between_events([&] {
      e.main.launch(wait, e.s);
      for (int i = 0; i < 10; ++i) {
        all.call(first);
        all.call(second);
      }
    });
  }
  const Graph g = add_graph(e.w, "g");
  Nodes last;
  for (int i = 0; i < 10; ++i) {
    if (first == "alloc") {
      const Buffer b = e.w.later("b" + std::to_string(i), host::Memory::kDevice, 1 << 20);
      const Node alloc = mem_alloc_node(e.w, g, b, last);
      last = {mem_free_node(e.w, g, b, {kernel_node(e.w, g, all.k, {alloc})})};
    } else {
      last = {all.node(g, first, last)};
      last = {all.node(g, second, last)};
    }
  }
  const GraphExec x = add_graph_exec(e.w, "x");
  e.main.graphInstantiate(x, g).graphLaunch(x, e.s).deviceSynchronize();
  return row.test == "kinds_graph_us" ? e.between_events([&] { e.main.graphLaunch(x, e.s); })
                                      : e.last_call([&] { e.main.graphLaunch(x, e.s); });
}

}  // namespace

std::optional<double> shape_experiments(Experiment& e, const Row& row) {
  return row.test.starts_with("shape_")   ? shapes(e, row)
         : row.test.starts_with("kinds_") ? kinds(e, row)
                                          : std::nullopt;
}

}  // namespace heddle::hostbench
