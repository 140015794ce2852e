#include "frontends/cuda/user_objects.h"

#include <cstdint>
#include <utility>

#include "frontends/cuda/status.h"

namespace heddle::cuda {
namespace {

void require_references(uint32_t count) {
  require(count != 0 && count <= INT32_MAX, Status::kInvalidValue, "so many references");
}

}  // namespace

void UserReferences::add(const std::shared_ptr<UserObject>& object, uint32_t count) {
  Counted& c = of_[object->id];
  c.object = object;
  c.count += count;
}

void UserReferences::remove(const std::shared_ptr<UserObject>& object, uint32_t count) {
  const auto it = of_.find(object->id);
  require(it != of_.end() && it->second.count >= count, Status::kInvalidValue,
          "more references than the owner has");
  it->second.count -= count;
  if (it->second.count == 0) {
    of_.erase(it);
  }
}

std::shared_ptr<UserObject> UserObjects::at(const void* object) const {
  const auto it = alive_.find(object);
  require(it != alive_.end(), Status::kInvalidValue, "no such user object");
  return it->second.lock();
}

UserObject& UserObjects::create(HostWork destructor, uint32_t count) {
  require(destructor.function != nullptr, Status::kInvalidValue, "no destructor");
  require_references(count);
  // With the last of its references.
  const auto ends = [this](UserObject* o) {
    ended_.push_back(o->destructor);
    alive_.erase(o);
    delete o;
  };
  const std::shared_ptr<UserObject> object(new UserObject{destructor, ++ids_}, ends);
  alive_[object.get()] = object;
  program_.add(object, count);
  return *object;
}

void UserObjects::retain(const void* object, uint32_t count) {
  require_references(count);
  program_.add(at(object), count);
}

void UserObjects::release(const void* object, uint32_t count) {
  require_references(count);
  program_.remove(at(object), count);
}

void UserObjects::retain(UserReferences& graph, const void* object, uint32_t count, bool moves) {
  require_references(count);
  const std::shared_ptr<UserObject> o = at(object);
  if (moves) {
    program_.remove(o, count);
  }
  graph.add(o, count);
}

void UserObjects::release(UserReferences& graph, const void* object, uint32_t count) {
  require_references(count);
  graph.remove(at(object), count);
}

std::vector<HostWork> UserObjects::take_ended() { return std::exchange(ended_, {}); }

}  // namespace heddle::cuda
