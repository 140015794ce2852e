// What is made once of each kernel, for all of its launches. Any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace heddle::modules {

template <class Key, class Value>
class Kept {
 public:
  // make() is called for the first launch; what it throws is not kept.
  template <class Make>
  std::shared_ptr<const Value> get(const Key* key, const Make& make) const {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Value>& value = values_[key];
    if (!value) {
      value = make();
    }
    return value;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<const Key*, std::shared_ptr<const Value>> values_;
};

}  // namespace heddle::modules
