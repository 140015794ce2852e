// The functions of the program that have been instrumented, each once.
#pragma once

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nvbit.h"
#include "tools/tracer/connection.h"
#include "tools/tracer/cubin.h"
#include "tools/tracer/launch.h"
#include "tools/tracer/operands.h"

namespace heddle::capture {

struct Function {
  uint32_t first = 0;  // number of its first instruction
  Cubin module;
};

class Functions {
 public:
  explicit Functions(Connection& to) : to_(to) {}

  // Instruments a kernel and what it calls, and tells the other end of them. Returns them, the kernel first.
  std::vector<const Function*> instrument(CUcontext ctx, CUfunction kernel, const Operands& operands) {
    std::vector<CUfunction> all = nvbit_get_related_functions(ctx, kernel);
    all.insert(all.begin(), kernel);
    std::vector<const Function*> out;
    for (const CUfunction f : all) {
      // NVBit also names the other kernels of the module (seen: CUTLASS), which are not called.
      if (f != kernel && nvbit_is_func_kernel(ctx, f)) {
        continue;
      }
      const Function* found = find(ctx, f, f == kernel ? canonical(f) : f, operands);
      if (found && std::find(out.begin(), out.end(), found) == out.end()) {
        out.push_back(found);
      }
    }
    return out;
  }
  bool knows(CUcontext ctx, CUfunction kernel) const { return known_.count({ctx, canonical(kernel)}) != 0; }

 private:
  // Null: NVBit names it, but it has no code. nvbit_get_instrs() of a function that is instrumented would
  // begin anew, with no calls: its next launch would record nothing. So each function is asked for once.
  const Function* find(CUcontext ctx, CUfunction f, CUfunction key, const Operands& operands) {
    const auto [it, added] = known_.try_emplace({ctx, key});
    if (added && !nvbit_get_instrs(ctx, f).empty()) {
      it->second = make(ctx, f, operands);
    }
    return it->second.get();
  }

  std::unique_ptr<Function> make(CUcontext ctx, CUfunction f, const Operands& operands) {
    const std::string name = nvbit_get_func_name(ctx, f, true);
    auto out = std::make_unique<Function>(Function{next_, module(ctx, f, name)});
    const std::vector<Instr*>& code = nvbit_get_instrs(ctx, f);
    FunctionHead head;
    head.first = next_;
    head.count = static_cast<uint32_t>(code.size());
    head.name_bytes = static_cast<uint32_t>(name.size());
    Payload p;
    p.add(head).text(name);
    bool lines = true;  // the function has line information
    for (size_t i = 0; i < code.size(); ++i) {
      operands.insert(code[i], next_++);
      InstrHead in;
      std::string text = code[i]->getSass(), source;
      in.offset = code[i]->getOffset();
      if (!out->module.encoding(in.offset, in.low, in.high) && !encoding(*code[i], in.low, in.high)) {
        in.low = in.high = 0;
      }
      if (lines) {
        source = source_of(ctx, f, in.offset, in.line);
        lines = i < 64 || in.line != 0 || any_line_;
        any_line_ = any_line_ || in.line != 0;
      }
      in.text_bytes = static_cast<uint32_t>(text.size());
      in.file_bytes = static_cast<uint32_t>(source.size());
      p.add(in).text(text).text(source);
    }
    any_line_ = false;
    to_.send(kFunction, p);
    return out;
  }

  static std::string source_of(CUcontext ctx, CUfunction f, uint32_t offset, uint32_t& line) {
    char *file = nullptr, *folder = nullptr;
    if (!nvbit_get_line_info(ctx, f, offset, &file, &folder, &line) || line == 0 || !file) {
      line = 0;
      return "";
    }
    const std::string name = file;
    return folder && *folder && name[0] != '/' ? std::string(folder) + "/" + name : name;
  }

  // What NVBit itself knows of it, from 1.8 on; for modules that it cannot write to a file.
  static bool encoding(Instr& in, uint64_t& low, uint64_t& high) {
#if HEDDLE_NVBIT >= 108
    std::vector<uint8_t> bytes;
    in.getSassBinary([](uint8_t byte, void* to) { static_cast<std::vector<uint8_t>*>(to)->push_back(byte); },
                     &bytes);
    if (bytes.size() == 16) {
      memcpy(&low, bytes.data(), 8);
      memcpy(&high, bytes.data() + 8, 8);
      return true;
    }
#endif
    return false;
  }

  // As the driver has loaded it, through a file.
  static Cubin module(CUcontext ctx, CUfunction f, const std::string& name) {
    const char* folder = getenv("TMPDIR");
    std::string file = std::string(folder && *folder ? folder : "/tmp") + "/heddle-capture-XXXXXX";
    const int fd = mkstemp(file.data());
    if (fd >= 0) {
      ::close(fd);
      nvbit_dump_cubin(ctx, f, file.c_str());
    }
    Cubin out(file, name);
    unlink(file.c_str());
    return out;
  }

  Connection& to_;
  uint32_t next_ = 0;
  bool any_line_ = false;
  // A library's kernel has one handle for all contexts, but each context has a buffer of its own. NVBit may
  // name a function several times (seen: cuBLAS).
  std::map<std::pair<CUcontext, CUfunction>, std::unique_ptr<Function>> known_;
};

}  // namespace heddle::capture
