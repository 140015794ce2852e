#include "frontends/capture/session.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/capture/assembler.h"
#include "frontends/input/limits.h"
#include "sim/base/error.h"

namespace heddle::capture {

namespace {

class Session {
 public:
  Session(const std::string& name, const ReadBytes& read, Events& events)
      : in_(name, read), events_(events) {}

  void run() {
    FrameHead head;
    for (bool first = true; in_.next(head); first = false) {
      if (first != (head.kind == kHello)) {
        in_.fail(first ? "the stream does not begin as a tracer's" : "a second beginning");
      }
      if (head.kind == kRecords) {
        records();
        continue;
      }
      frame(head.kind, in_.payload(head, most(head.kind)));
      if (head.kind == kBye) {
        return;
      }
    }
    if (!arriving_.empty()) {
      in_.fail("the stream ends within a launch of " + arriving_.front().kernel);
    }
  }

 private:
  static uint64_t most(uint32_t kind) {
    constexpr uint64_t kText = 1 << 20;
    return kind == kFunction ? 2 * input::limits().code_bytes.value : kText;
  }

  void frame(uint32_t kind, const std::string& payload) {
    Fields fields(in_, payload);
    switch (kind) {
      case kHello:
        hello(fields.take<Hello>());
        break;
      case kContext:
        events_.context(payload);
        break;
      case kFunction:
        function(read_function(in_, payload));
        break;
      case kMemcpy: {
        const auto m = fields.take<Memcpy>();
        memcpys_.push_back({m.address, m.bytes, 0});
        break;
      }
      case kLaunch:
        launch(fields);
        break;
      case kEnd:
        end();
        break;
      case kDropped:
        dropped(fields);
        break;
      case kListed: {
        const auto listed = fields.take<Listed>();
        events_.listed(listed, std::string(fields.rest()));
        break;
      }
      case kError:
        events_.error(payload);
        break;
      case kNote:
        events_.note(payload);
        break;
      default:
        events_.bye(fields.take<Bye>());
    }
  }

  void hello(const Hello& h) {
    if (h.version != kVersion) {
      in_.fail("the tracer speaks version " + std::to_string(h.version) +
               " (legal: " + std::to_string(kVersion) + "; build tools/tracer again)");
    }
    events_.hello(h.pid);
  }

  void function(Function f) {
    const uint32_t first = f.first;
    const auto after = functions_.lower_bound(first);
    const auto end = uint64_t{first} + f.code.size();
    if ((after != functions_.end() && after->first < end) ||
        (after != functions_.begin() &&
         std::prev(after)->first + std::prev(after)->second->code.size() > first)) {
      in_.fail("the instructions of " + f.name + " have numbers of another function");
    }
    functions_.emplace(first, std::make_unique<Function>(std::move(f)));
  }

  void launch(Fields& fields) {
    if (had_records_) {
      in_.fail("a launch begins within another");
    }
    const auto head = fields.take<LaunchHead>();
    std::vector<const Function*> functions;
    for (uint32_t i = 0; i < head.functions; ++i) {
      const auto first = fields.take<uint32_t>();
      const auto f = functions_.find(first);
      if (f == functions_.end() ||
          std::find(functions.begin(), functions.end(), f->second.get()) != functions.end()) {
        in_.fail("the launch's function " + std::to_string(first) + " was not sent, or comes twice");
      }
      functions.push_back(f->second.get());
    }
    const std::string_view parameters = fields.bytes(head.parameter_bytes);
    fields.end();
    if (functions.empty()) {
      in_.fail("a launch without functions (legal: 1 or more)");
    }
    if (head.node != arriving_.size() || (!arriving_.empty() && head.record_bytes != bytes_)) {
      in_.fail("launch " + std::to_string(arriving_.size()) + " of a graph says that it is launch " +
               std::to_string(head.node) + ", with " + std::to_string(head.record_bytes) +
               " bytes of records");
    }
    Arriving& a = arriving_.emplace_back();
    a.launch = std::make_unique<Launch>();
    a.number = head.number;
    a.kernel = functions.front()->name;
    a.launch->memcpys = std::exchange(memcpys_, {});
    bytes_ = head.record_bytes;
    attempt(a, [&] {
      std::vector<uint32_t> starts;
      describe(in_, head, functions, parameters, *a.launch, starts);
      // Room for all of them is no more than for the records that will come.
      a.assembler.emplace(in_, *a.launch, functions, starts, bytes_ - std::min(bytes_, claimed_));
      claimed_ += a.assembler->least_bytes();
    });
  }

  struct Arriving {
    std::unique_ptr<Launch> launch;
    std::optional<Assembler> assembler;  // none: it is dropped
    std::string kernel;
    uint64_t number = 0;
  };

  // What is wrong with a launch does not end the session: its frames tell where the next begins.
  template <class F>
  void attempt(Arriving& a, const F& f) {
    try {
      f();
    } catch (const Error& e) {
      drop(a, e.what());
    }
  }
  void drop(Arriving& a, const std::string& why) {
    events_.dropped(a.number, a.kernel, why);
    a.assembler.reset();
    a.launch->warps = {};
  }
  // Of all that are left, where it cannot be said which one is to blame.
  template <class F>
  void attempt_all(const F& f) {
    try {
      f();
    } catch (const Error& e) {
      for (Arriving& a : arriving_) {
        if (a.assembler) {
          drop(a, e.what());
        }
      }
    }
  }
  bool any_left() const {
    return std::any_of(arriving_.begin(), arriving_.end(),
                       [](const Arriving& a) { return a.assembler.has_value(); });
  }

  void records() {
    if (arriving_.empty()) {
      in_.fail("records without a launch");
    }
    had_records_ = true;
    while (in_.part(pending_)) {
      attempt_all([&] { sort_out(); });
      if (any_left()) {
        events_.progress(arriving_.front().kernel, done_, bytes_);
      } else {
        pending_.clear();
      }
    }
  }
  // The records in pending_ to their launches; what is left is the beginning of one more.
  void sort_out() {
    size_t at = 0;
    std::string_view all = pending_;
    while (const size_t n = any_left() ? Assembler::record_bytes(in_, all.substr(at)) : 0) {
      Record r;
      std::memcpy(&r, all.data() + at, sizeof r);
      if (r.node >= arriving_.size()) {
        in_.fail("record at byte " + std::to_string(done_) + " of the launch's: of launch " +
                 std::to_string(r.node) + " (legal: of " + std::to_string(arriving_.size()) + ")");
      }
      if (Arriving& a = arriving_[r.node]; a.assembler) {
        attempt(a, [&] { a.assembler->add(all.substr(at, n), done_); });
      }
      at += n;
      done_ += n;
    }
    pending_.erase(0, at);
    if (done_ + pending_.size() > bytes_) {
      in_.fail("more than the " + std::to_string(bytes_) + " bytes of records that the launch has");
    }
  }

  void end() {
    if (arriving_.empty()) {
      in_.fail("the end of a launch without a launch");
    }
    attempt_all([&] {
      if (done_ != bytes_) {
        in_.fail("record at byte " + std::to_string(done_) + " of the launch's: " +
                 std::to_string(bytes_ - done_) + " bytes at the end are missing, or are no whole record");
      }
    });
    std::vector<Arriving> all = std::move(arriving_);
    arriving_.clear();
    pending_.clear();
    had_records_ = false;
    done_ = claimed_ = 0;
    for (Arriving& a : all) {
      if (a.assembler) {
        attempt(a, [&] { a.assembler->finish(); });
      }
      if (a.assembler) {
        a.assembler.reset();
        events_.captured(std::move(*a.launch));
      }
      a.launch.reset();
    }
  }

  void dropped(Fields& fields) {
    const auto d = fields.take<Dropped>();
    const std::string_view text = fields.rest();
    const size_t line = text.find('\n');
    const auto mebibytes = [](uint64_t n) { return std::to_string((n + (1 << 20) - 1) >> 20) + " MiB"; };
    events_.dropped(
        d.number, std::string(text.substr(0, line)),
        d.needs ? "its records need " + mebibytes(d.needs) + ", the buffer on the GPU has " + mebibytes(d.has)
                : std::string(line == std::string_view::npos ? "" : text.substr(line + 1)));
  }

  Input in_;
  Events& events_;
  std::map<uint32_t, std::unique_ptr<Function>> functions_;
  std::vector<accelsim::Memcpy> memcpys_;

  // The launches whose records arrive: one, or those of a graph.
  std::vector<Arriving> arriving_;
  bool had_records_ = false;
  std::string pending_;
  uint64_t bytes_ = 0, done_ = 0, claimed_ = 0;
};

}  // namespace

void read_session(const std::string& name, const ReadBytes& read, Events& events) {
  Session(name, read, events).run();
}

}  // namespace heddle::capture
