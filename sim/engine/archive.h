// The state of a machine as bytes. A class lists its members once, in `serialize(ar)`, and an archive either
// writes or reads them there: so what is saved and what is restored cannot differ.
//
//   template <class Archive>
//   void serialize(Archive& ar) { ar(free_, queue_, waiting_); }
//
// Numbers are written by value, never as they lie in memory: seven bits a byte, the lowest first. Pointers
// are not written; their owner says what they stand for. What follows from the configuration or the options
// of a run is not state: whoever reads has a machine that was made and begun in the same way.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

class Archive;

template <class T>
concept Serializable = requires(T& value, Archive& ar) { value.serialize(ar); };

class Archive {
 public:
  Archive() = default;                                                              // writes
  explicit Archive(std::span<const uint8_t> bytes) : reading_(true), in_(bytes) {}  // reads these

  bool reading() const { return reading_; }

  // Numbers, enumerations, containers of them, and what has serialize().
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }
  // Of a container that has as many elements as the machine has parts.
  template <class Container>
  void elements(Container& c) {
    expect("parts", c.size());
    for (auto& x : c) {
      one(x);
    }
  }
  // As they are.
  void bytes(std::span<uint8_t> b);
  // The same of bytes most of which may be 0: pages that are not, each behind its number.
  void pages(std::span<uint8_t> b);
  // So many elements follow; when reading, that is returned.
  size_t size(size_t n);
  // A number that is the same in every machine of the configuration.
  void expect(std::string_view what, uint64_t value);
  // `name` begins: a reader that finds something else says where it has been.
  void mark(std::string_view name);
  // Throws unless `good`.
  void check(bool good, std::string_view what) const {
    if (!good) {
      fail(what);
    }
  }

  // Written so far.
  std::vector<uint8_t> take() { return std::move(out_); }
  // Throws unless everything has been read.
  void end() const { check(in_.size() == at_, "there is more than the machine has"); }
  // Throws heddle::Error that names the place.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  void number(uint64_t& v);
  uint8_t byte();
  size_t left() const { return in_.size() - at_; }

  template <class T>
  void one(T& v) {
    if constexpr (Serializable<T>) {
      v.serialize(*this);
    } else if constexpr (std::is_enum_v<T>) {
      auto n = static_cast<std::underlying_type_t<T>>(v);
      one(n);
      v = static_cast<T>(n);
    } else if constexpr (std::is_floating_point_v<T>) {
      static_assert(sizeof(T) == sizeof(uint64_t));
      auto n = std::bit_cast<uint64_t>(v);
      number(n);
      v = std::bit_cast<T>(n);
    } else if constexpr (std::is_signed_v<T>) {
      // Zigzag, so that small negative numbers stay short.
      const auto s = static_cast<int64_t>(v);
      auto n = static_cast<uint64_t>(s) << 1 ^ static_cast<uint64_t>(s >> 63);
      number(n);
      const auto r = static_cast<int64_t>(n >> 1 ^ (0 - (n & 1)));
      check(std::in_range<T>(r), "a number is out of range");
      v = static_cast<T>(r);
    } else {
      static_assert(std::is_unsigned_v<T>, "no way to write this");
      uint64_t n = v;
      number(n);
      check(n <= std::numeric_limits<T>::max(), "a number is out of range");
      v = static_cast<T>(n);
    }
  }
  template <class T, size_t N>
  void one(std::array<T, N>& a) {
    for (T& x : a) {
      one(x);
    }
  }
  template <class T>
  void one(std::vector<T>& v) {
    sequence(v);
  }
  template <class T>
  void one(std::deque<T>& v) {
    sequence(v);
  }
  void one(std::vector<bool>& v);
  void one(std::string& s);
  template <class A, class B>
  void one(std::pair<A, B>& p) {
    (*this)(p.first, p.second);
  }
  template <class T>
  void one(std::optional<T>& o) {
    bool there = o.has_value();
    one(there);
    if (reading_) {
      o.reset();
      if (there) {
        o.emplace();
      }
    }
    if (there) {
      one(*o);
    }
  }
  template <class T>
  void one(std::unique_ptr<T>& p) {
    bool there = p != nullptr;
    one(there);
    if (reading_) {
      p = there ? std::make_unique<T>() : nullptr;
    }
    if (there) {
      one(*p);
    }
  }
  template <class K, class T>
  void one(std::map<K, T>& m) {
    const size_t n = size(m.size());
    if (!reading_) {
      for (auto& [key, value] : m) {
        K copy = key;
        (*this)(copy, value);
      }
      return;
    }
    m.clear();
    for (size_t i = 0; i < n; ++i) {
      K key{};
      one(key);
      one(m[key]);
    }
  }
  template <class T>
  void one(std::set<T>& s) {
    const size_t n = size(s.size());
    if (!reading_) {
      for (T x : s) {
        one(x);
      }
      return;
    }
    s.clear();
    for (size_t i = 0; i < n; ++i) {
      T x{};
      one(x);
      s.insert(s.end(), x);
    }
  }
  template <class Sequence>
  void sequence(Sequence& v) {
    const size_t n = size(v.size());
    if (reading_) {
      v.clear();
      v.resize(n);
    }
    for (auto& x : v) {
      one(x);
    }
  }

  const bool reading_ = false;
  std::vector<uint8_t> out_;
  std::span<const uint8_t> in_;
  size_t at_ = 0;
  std::string_view part_;  // the newest mark
};

}  // namespace heddle
