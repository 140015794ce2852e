#include "configs/loader/provenance.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace heddle::config {
namespace {

// "sm.op[*].latency" of "sm.op[fp32].latency".
std::string with_any_key(std::string_view path) {
  std::string out;
  while (true) {
    const size_t open = path.find('[');
    out += path.substr(0, open);
    if (open == std::string_view::npos) {
      return out;
    }
    out += "[*]";
    path.remove_prefix(std::min(path.find(']', open), path.size() - 1) + 1);
  }
}

}  // namespace

Coverage::Coverage(const google::protobuf::RepeatedPtrField<Provenance>& entries) {
  for (const Provenance& e : entries) {
    by_path_.emplace(e.path(), &e);
  }
}

const Provenance* Coverage::entry(std::string_view path) const {
  while (!path.empty()) {
    if (const auto it = by_path_.find(path); it != by_path_.end()) {
      return it->second;
    }
    if (path.find('[') != std::string_view::npos) {
      if (const auto it = by_path_.find(with_any_key(path)); it != by_path_.end()) {
        return it->second;
      }
    }
    const size_t above = path.find_last_of(".[");
    path = path.substr(0, above == std::string_view::npos ? 0 : above);
  }
  return nullptr;
}

namespace {

using Kind = std::pair<int, std::string>;  // and source

// A part of the configuration: a group, a table, an entry, a value.
struct Part {
  std::string path;
  std::vector<std::unique_ptr<Part>> parts;
  std::map<Kind, int> kinds;  // of the values in it

  Part& at(const std::string& below) {
    for (const auto& p : parts) {
      if (p->path == below) {
        return *p;
      }
    }
    return *parts.emplace_back(std::make_unique<Part>(Part{below, {}, {}}));
  }

  void emit(const Kind* above, std::vector<Provenance>& out) const {
    const auto most = std::max_element(kinds.begin(), kinds.end(), [above](const auto& a, const auto& b) {
      return std::pair(a.second, above != nullptr && a.first == *above) <
             std::pair(b.second, above != nullptr && b.first == *above);
    });
    if (!path.empty() && (above == nullptr || most->first != *above)) {
      above = &most->first;
      Provenance& p = out.emplace_back();
      p.set_path(path);
      p.set_kind(static_cast<Provenance::Kind>(above->first));
      p.set_source(above->second);
    }
    for (const auto& part : parts) {
      part->emit(above, out);
    }
  }
};

}  // namespace

std::vector<Provenance> entries_for(const std::vector<Evidence>& values) {
  Part root;
  for (const Evidence& v : values) {
    const Kind kind(v.provenance.kind(), v.provenance.source());
    Part* part = &root;
    ++part->kinds[kind];
    for (size_t end = 0; end < v.path.size();) {
      end = std::min(v.path.find_first_of(".[", end + 1), v.path.size());
      part = &part->at(v.path.substr(0, end));
      ++part->kinds[kind];
    }
  }
  std::vector<Provenance> out;
  root.emit(nullptr, out);
  return out;
}

}  // namespace heddle::config
