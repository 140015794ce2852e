// Objects of the program's that graphs keep alive (GR24): each has references, of the program's own and of
// graphs, and ends with the last one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "frontends/cuda/work.h"

namespace heddle::cuda {

struct UserObject {
  HostWork destructor;
  uint64_t id = 0;
};

// What one owner has. A copy has as many; who ends gives all of them back.
class UserReferences {
 public:
  void add(const std::shared_ptr<UserObject>& object, uint32_t count);
  // Throws CallFailed when there are not so many.
  void remove(const std::shared_ptr<UserObject>& object, uint32_t count);
  bool empty() const { return of_.empty(); }

 private:
  struct Counted {
    std::shared_ptr<UserObject> object;
    uint64_t count = 0;
  };
  std::map<uint64_t, Counted> of_;  // by their ids, so that they end in that order
};

// All calls throw CallFailed for a count that CUDA refuses, and for what is no object, or not any more.
class UserObjects {
 public:
  UserObject& create(HostWork destructor, uint32_t count);
  void retain(const void* object, uint32_t count);
  void release(const void* object, uint32_t count);
  // `moves`: the program's become the graph's.
  void retain(UserReferences& graph, const void* object, uint32_t count, bool moves);
  void release(UserReferences& graph, const void* object, uint32_t count);
  // The destructors of those that have ended since, the first first.
  std::vector<HostWork> take_ended();

 private:
  std::shared_ptr<UserObject> at(const void* object) const;

  std::map<const void*, std::weak_ptr<UserObject>> alive_;
  std::vector<HostWork> ended_;
  uint64_t ids_ = 0;
  UserReferences program_;
};

}  // namespace heddle::cuda
