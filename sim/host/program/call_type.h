// How a call is declared: what CUDA calls it, what its arguments are, what it costs and what it does. Each
// call is declared once, beside the code of its effect (sim/host/calls/README.md); names, checks of
// references and the readers of files follow from that.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "sim/host/program/program.h"

namespace heddle::host {

class Threads;

// What a file, or a program in C++, gives for a call, and where a Call keeps it.
struct Argument {
  enum class Kind : uint8_t {
    kStream,
    kBuffer,
    kKernel,
    kEvent,
    kFlag,
    kQueue,
    kPool,  // none: the device's default pool
    kPhysical,
    kGraph,
    kExec,
    kChange,  // a node, and what it is to do from now on
    kDevice,
    kNumber,
    kSwitch,
    kChoice,        // one of an enumeration, counted from its first
    kMicroseconds,  // 0 to 1e9; kept in picoseconds
    kWindow,
    kAccesses,  // any number of them; Call::first_access is theirs, too
    kNode,      // of the graph that the call names
    kOneOf      // one of several fields, counted from the first; what it is given is Call::bytes
  };
  using Member = std::variant<uint32_t Call::*, uint64_t Call::*, Ps Call::*, bool Call::*,
                              CaptureMode Call::*, Protection Call::*>;

  const char* name;  // as files have it
  Kind kind;
  Member member;
  enum class Given : uint8_t { kAlways, kMaybe, kMust } given = Given::kAlways;  // kMust: no default in files
};

// What a call is while streams capture (GR13).
enum class InCapture : uint8_t {
  kAllowed,
  kWork,         // of a stream: a node, if the stream captures
  kForbidden,    // in a stream that captures
  kUnsafe,       // may do what captures do not see
  kAsksEvent,    // whether an event's work is done
  kAsksTime,     // between two events
  kWaitsDevice,  // for all of a device's work
  kCapture       // about capturing itself
};

struct CallType {
  Op op = Op::kOther;      // kOther: no code but its own has to know it
  const char* name;        // CUDA's
  const char* field = "";  // of Call in workload files
  std::vector<Argument> arguments = {};
  // The reader of files gets more out of the text than the arguments.
  bool read_apart = false;
  // Fills in what a program leaves out, before references are looked at. May be null.
  void (*complete)(const Program& p, Call& c) = nullptr;

  bool asks_device = true;  // needs the device's context, so that it shows a kernel's failure (ER02)
  // What it starts though it does not ask: the driver, the context, too.
  enum class Starts : uint8_t { kNothing, kDriver, kContext } starts = Starts::kNothing;
  // Code of the driver's runs: it is CUDA's, and no word of the runtime's own or the program's.
  bool runs_driver() const { return asks_device || starts != Starts::kNothing; }
  bool asks_for_progress = false;  // work of the device must go on after it (FP04)
  bool synchronizes = false;
  bool shows_failures = false;  // of kernels before it, when it has returned (ER01)
  InCapture in_capture = InCapture::kAllowed;

  // Throws ProgramError for what cannot be run. References are looked at before; may be null.
  void (*check)(const Program& p, const Call& c) = nullptr;
  // Time on the host until it has its effect. Null: none.
  Ps (*cost)(const Threads& threads, uint32_t thread, const Call& c) = nullptr;
  // True: the call has returned. Null: nothing to do.
  bool (*effect)(Threads& threads, uint32_t thread, const Call& c) = nullptr;
};

}  // namespace heddle::host
