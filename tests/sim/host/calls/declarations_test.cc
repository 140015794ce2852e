// One declaration for each call; a call that is declared in one file, this one.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "frontends/workload/graph_builder.h"
#include "sim/host/calls/call_types.h"
#include "sim/host/calls/threads.h"
#include "sim/host/program/program_error.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

// Adds up two numbers; of an event and a stream that it has to have.
const host::CallType& probe() {
  using K = host::Argument::Kind;
  static const host::CallType type = {
      .name = "cudaProbe",
      .arguments = {{"event", K::kEvent, &host::Call::object}, {"sum", K::kNumber, &host::Call::bytes}},
      .in_capture = host::InCapture::kForbidden,
      .check =
          [](const host::Program&, const host::Call& c) {
            if (c.bytes > 100) {
              throw host::ProgramError(c.line, "more than 100");
            }
          },
      .cost = [](const host::Threads&, uint32_t,
                 const host::Call& c) { return host::from_us(static_cast<double>(c.bytes)); },
      .effect =
          [](host::Threads& t, uint32_t thread, const host::Call& c) {
            if (c.count == 0) {
              t.fail(thread, "cudaErrorInvalidValue", "nothing to add");
            } else {
              t.answer(thread, std::to_string(c.bytes + c.count));
            }
            return true;
          }};
  return type;
}

host::Result run(const Builder& w) { return host::run(w.program(), plain_gpu()); }

}  // namespace

TEST_CASE("each operation has one declaration, and no two calls a name or a field in common") {
  const auto& all = host::call_types();
  const auto known = static_cast<size_t>(host::Op::kOther);  // to other code; the others are behind them
  REQUIRE(all.size() >= known);
  std::set<std::string> names, fields;
  for (size_t i = 0; i < all.size(); ++i) {
    INFO(all[i]->name);
    CHECK(all[i]->op == static_cast<host::Op>(std::min(i, known)));
    CHECK(names.insert(all[i]->name).second);
    const std::string field = all[i]->field;
    CHECK((field.empty() || fields.insert(field).second));
    CHECK((field.empty() || host::type_named(field) == all[i]));
  }
  CHECK(host::type_named("no_such_call") == nullptr);
}

TEST_CASE("a call that is declared in one file has its time, its effect, its errors, its name") {
  Builder w;
  const Event e = w.event("e");
  Thread& main = w.thread("main");
  main.line(7);
  host::Call& sum = main.add(probe(), e.id);
  sum.bytes = 3;
  sum.count = 4;
  main.add(probe(), e.id).bytes = 5;
  const host::Result r = run(w);
  CHECK(us(r.thread_end[0]) == 8);
  CHECK(answers(r) == std::vector<std::string>{"7"});
  REQUIRE(r.errors.size() == 1);
  CHECK(r.errors[0].api == "cudaProbe");
  CHECK(r.errors[0].error == "cudaErrorInvalidValue");
  CHECK(r.errors[0].line == 7);
  CHECK(span(r, "thread main", "cudaProbe", 1).start == 3);
}

TEST_CASE("its references and its own rules are looked at before a program runs") {
  Builder w;
  w.thread("main").add(probe(), 3);
  CHECK_THROWS_WITH(run(w), "thread main, call 1 (cudaProbe): no such object: 3");
  Builder v;
  v.thread("main").add(probe(), v.event("e").id).bytes = 101;
  CHECK_THROWS_WITH(run(v), "thread main, call 1 (cudaProbe): more than 100");
}

TEST_CASE("what is left out of it is filled in by its declaration when it is added") {
  static const host::CallType type = {
      .name = "cudaProbeBytes",
      .arguments = {{"buffer", host::Argument::Kind::kBuffer, &host::Call::object}},
      .complete = [](const host::Program& p,
                     host::Call& c) { c.bytes = c.bytes ? c.bytes : p.buffers[c.object].bytes; },
      .effect =
          [](host::Threads& t, uint32_t thread, const host::Call& c) {
            t.answer(thread, std::to_string(c.bytes));
            return true;
          }};
  Builder w;
  Thread& main = w.thread("main");
  host::Call c;
  c.type = &type;
  c.object = w.device("d", 4096).id;
  main.add(c);
  c.bytes = 5;
  main.add(c);
  CHECK(answers(run(w)) == std::vector<std::string>{"4096", "5"});
}

TEST_CASE("what a capture makes of it is declared, too") {
  Builder w;
  const Stream s = w.stream("s");
  const Graph g = add_graph(w, "g");
  Thread& main = w.thread("main");
  main.streamBeginCapture(s);
  main.add(probe(), w.event("e").id, s.id);
  main.streamEndCapture(s, g);
  CHECK(errors(run(w)) ==
        std::vector<std::string>{"cudaErrorStreamCaptureUnsupported", "cudaErrorStreamCaptureInvalidated"});
}

}  // namespace heddle::hosttest
