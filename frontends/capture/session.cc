#include "frontends/capture/session.h"

#include <algorithm>
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
    if (arriving_) {
      in_.fail("the stream ends within a launch of " + kernel_);
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
    if (arriving_) {
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
    arriving_ = std::make_unique<Launch>();
    number_ = head.number;
    bytes_ = head.record_bytes;
    kernel_ = functions.front()->name;
    arriving_->memcpys = std::exchange(memcpys_, {});
    attempt([&] {
      std::vector<uint32_t> starts;
      describe(in_, head, functions, parameters, *arriving_, starts);
      assembler_.emplace(in_, *arriving_, functions, starts, head.record_bytes);
    });
  }

  // What is wrong with a launch does not end the session: its frames tell where the next begins.
  template <class F>
  void attempt(const F& f) {
    try {
      f();
    } catch (const Error& e) {
      events_.dropped(number_, kernel_, e.what());
      assembler_.reset();
      arriving_->warps = {};
    }
  }

  void records() {
    if (!arriving_) {
      in_.fail("records without a launch");
    }
    while (in_.part(pending_)) {
      if (assembler_) {
        attempt([&] { assembler_->add(pending_); });
      }
      if (assembler_) {
        events_.progress(kernel_, assembler_->done(), bytes_);
      } else {
        pending_.clear();
      }
    }
  }

  void end() {
    if (!arriving_) {
      in_.fail("the end of a launch without a launch");
    }
    if (assembler_) {
      attempt([&] { assembler_->finish(); });
    }
    pending_.clear();
    const std::unique_ptr<Launch> launch = std::move(arriving_);
    const bool good = assembler_.has_value();
    assembler_.reset();
    if (good) {
      events_.captured(std::move(*launch));
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

  // The launch whose records arrive. No assembler: it is dropped.
  std::unique_ptr<Launch> arriving_;
  std::optional<Assembler> assembler_;
  std::string pending_, kernel_;
  uint64_t number_ = 0, bytes_ = 0;
};

}  // namespace

void read_session(const std::string& name, const ReadBytes& read, Events& events) {
  Session(name, read, events).run();
}

}  // namespace heddle::capture
