// What a tracer sends, made by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "frontends/capture/protocol.h"
#include "frontends/capture/session.h"
#include "tools/tracer/connection.h"

namespace heddle::capture::test {

inline std::string text(const Payload& p) { return {p.data(), p.size()}; }

inline std::string frame(uint32_t kind, const std::string& payload) {
  FrameHead head;
  head.kind = kind;
  head.bytes = payload.size();
  return text(Payload().add(head).text(payload));
}

inline std::string hello(uint32_t version = kVersion) {
  Hello h;
  h.version = version;
  h.pid = 7;
  return frame(kHello, text(Payload().add(h)));
}
inline std::string bye(uint64_t launches, uint64_t selected) {
  return frame(kBye, text(Payload().add(Bye{launches, selected})));
}

struct Line {
  Line(std::string sass, uint32_t line = 0, std::string file = "")
      : sass(std::move(sass)), line(line), file(std::move(file)) {}
  std::string sass;
  uint32_t line;
  std::string file;
};
// Instructions at offsets 0, 16, 32 ... Encodings without meaning, but not zero.
inline std::string function(uint32_t first, const std::string& name, const std::vector<Line>& code,
                            bool encodings = true) {
  FunctionHead head;
  head.first = first;
  head.count = static_cast<uint32_t>(code.size());
  head.name_bytes = static_cast<uint32_t>(name.size());
  Payload p;
  p.add(head).text(name);
  for (size_t i = 0; i < code.size(); ++i) {
    InstrHead in;
    in.low = encodings ? 0x7918 : 0;
    in.high = encodings ? 0x000fea0000000000 : 0;
    in.offset = static_cast<uint32_t>(16 * i);
    in.line = code[i].line;
    in.text_bytes = static_cast<uint32_t>(code[i].sass.size());
    in.file_bytes = static_cast<uint32_t>(code[i].file.size());
    p.add(in).text(code[i].sass).text(code[i].file);
  }
  return frame(kFunction, text(p));
}

// One block of one warp, unless changed.
inline LaunchHead launch_head(uint32_t blocks = 1, uint32_t threads = 32) {
  LaunchHead h;
  const uint32_t one[3] = {1, 1, 1};
  std::memcpy(h.grid, one, sizeof one);
  std::memcpy(h.block, one, sizeof one);
  std::memcpy(h.cluster, one, sizeof one);
  h.number = 5;
  h.grid[0] = blocks;
  h.block[0] = threads;
  h.compute_capability = 90;
  h.registers = 32;
  h.dynamic_shared = 4096;
  return h;
}

// Of a graph, where `record_bytes` are those of all its kernels.
inline std::string begin_launch(LaunchHead head, const std::vector<uint32_t>& functions,
                                uint64_t record_bytes, const std::string& parameters = "") {
  head.functions = static_cast<uint32_t>(functions.size());
  head.record_bytes = record_bytes;
  head.parameter_bytes = static_cast<uint32_t>(parameters.size());
  Payload p;
  p.add(head);
  for (const uint32_t f : functions) {
    p.add(f);
  }
  p.text(parameters);
  return frame(kLaunch, text(p));
}
inline std::string end_launch(const std::string& records) {
  return frame(kRecords, records) + frame(kEnd, "");
}
inline std::string launch(const LaunchHead& head, const std::vector<uint32_t>& functions,
                          const std::string& records, const std::string& parameters = "") {
  return begin_launch(head, functions, records.size(), parameters) + end_launch(records);
}

inline std::string record(uint32_t block, uint8_t warp, uint32_t instr, uint32_t mask, uint8_t form = 0,
                          const std::string& payload = "", uint16_t node = 0) {
  Record r;
  r.block = block;
  r.warp = warp;
  r.instr = instr;
  r.mask = mask;
  r.form = form;
  r.node = node;
  return text(Payload().add(r).text(payload));
}
inline std::string words(const std::vector<uint64_t>& v) {
  return text(Payload().add(v.data(), 8 * v.size()));
}
inline std::string halves(const std::vector<uint32_t>& v) {
  return text(Payload().add(v.data(), 4 * v.size()));
}

struct Log : Events {
  void context(const std::string& gpu) override { gpus.push_back(gpu); }
  void captured(Launch l) override { launches.push_back(std::move(l)); }
  void dropped(uint64_t number, const std::string& kernel, const std::string& why) override {
    drops.push_back(std::to_string(number) + " " + kernel + ": " + why);
  }
  void listed(const Listed& l, const std::string& kernel) override {
    lists.push_back(std::to_string(l.number) + " " + kernel);
  }
  void error(const std::string& what) override { errors.push_back(what); }
  void note(const std::string& what) override { notes.push_back(what); }
  void bye(const Bye& b) override { seen += b.launches; }

  std::vector<std::string> gpus, drops, lists, errors, notes;
  std::vector<Launch> launches;
  uint64_t seen = 0;
};

// Hands out `most` bytes at a time, as a socket may.
inline ReadBytes reader(const std::string& bytes, size_t most = SIZE_MAX) {
  return [&bytes, most, at = size_t{0}](char* room, size_t n) mutable {
    const size_t take = std::min({n, most, bytes.size() - at});
    std::copy_n(bytes.data() + at, take, room);
    at += take;
    return take;
  };
}

}  // namespace heddle::capture::test
