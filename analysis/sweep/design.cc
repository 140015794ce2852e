#include "analysis/sweep/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "analysis/sweep/sampling.h"
#include "analysis/sweep/sweep_file.h"
#include "configs/loader/byte_units.h"
#include "configs/loader/fields.h"
#include "sim/base/text.h"

namespace heddle::sweep {
namespace {

using google::protobuf::FieldDescriptor;

// An axis, ready to give values.
class Values {
 public:
  explicit Values(const Axis& axis) : axis_(axis), where_(fmt::format("axis \"{}\"", axis_name(axis))) {
    for (const std::string& path : axis.path()) {
      const FieldDescriptor* field = config::find_field(path, where_);
      const auto type = field->cpp_type();
      whole_ = whole_ || type != FieldDescriptor::CPPTYPE_DOUBLE;
      if (axis.has_range() && (field->is_repeated() || (whole_ && type != FieldDescriptor::CPPTYPE_UINT32 &&
                                                        type != FieldDescriptor::CPPTYPE_UINT64))) {
        throw Error(fmt::format("{}: range: {} is no number; legal: `value`s", where_, path));
      }
    }
    if (axis.has_range()) {
      from_ = bound(axis.range().from(), "from");
      to_ = bound(axis.range().to(), "to");
      step_ = axis.range().has_step() ? bound(axis.range().step(), "step") : 0;
      if (from_ >= to_ || (axis.range().has_step() && step_ <= 0)) {
        throw Error(where_ + ": range: `from` must be below `to`, and `step` above 0");
      }
      if (axis.range().scale() == Range::LOG && from_ <= 0) {
        throw Error(where_ + ": range: with scale LOG `from` must be above 0");
      }
    }
  }

  // How many values a grid takes.
  size_t count() const {
    if (!axis_.has_range()) {
      return static_cast<size_t>(std::max(axis_.value_size(), axis_.level_size()));
    }
    return step_ > 0 ? steps() : axis_.range().count();
  }

  void put(size_t i, Point& point) const {
    if (axis_.level_size() > 0) {
      const Level& level = axis_.level(static_cast<int>(i));
      point.values.push_back(level.name());
      point.set.insert(point.set.end(), level.set().begin(), level.set().end());
    } else if (axis_.value_size() > 0) {
      put_value(axis_.value(static_cast<int>(i)), point);
    } else {
      put_value(text(step_ > 0 ? from_ + static_cast<double>(i) * step_
                               : between(static_cast<double>(i) / (axis_.range().count() - 1.0))),
                point);
    }
  }

  // The value at `u` of [0, 1).
  void put_sample(double u, Point& point) const {
    if (!axis_.has_range() || step_ > 0 || axis_.range().has_count()) {
      put(std::min(static_cast<size_t>(u * static_cast<double>(count())), count() - 1), point);
    } else if (whole_ && axis_.range().scale() == Range::LINEAR) {
      // All whole numbers are equally likely, also the first and the last.
      put_value(text(std::min(std::floor(from_ + u * (to_ - from_ + 1)), to_)), point);
    } else {
      put_value(text(between(u)), point);
    }
  }

 private:
  double bound(const std::string& value, const char* what) const {
    const std::optional<double> number = number_of(value);
    if (!number) {
      throw Error(fmt::format("{}: range: {} = \"{}\"; legal: a number, of bytes with KiB, MiB, GiB", where_,
                              what, value));
    }
    return *number;
  }

  // At most what a double counts exactly: more than any sweep has points.
  size_t steps() const {
    constexpr double kMost = 1e15;
    return static_cast<size_t>(std::min(kMost, std::floor((to_ - from_) / step_ * (1 + 1e-12)))) + 1;
  }

  double between(double u) const {
    return axis_.range().scale() == Range::LOG ? from_ * std::pow(to_ / from_, u) : from_ + u * (to_ - from_);
  }

  // Ten digits are more than any field of the hardware needs, and hide the rounding of from + i * step.
  std::string text(double x) const {
    return whole_ ? fmt::format("{:.0f}", std::round(x)) : fmt::format("{:.10g}", x);
  }

  void put_value(const std::string& value, Point& point) const {
    point.values.push_back(value);
    for (const std::string& path : axis_.path()) {
      point.set.push_back(fmt::format("{}={}", path, value));
    }
  }

  const Axis& axis_;
  std::string where_;
  bool whole_ = false;
  double from_ = 0, to_ = 0, step_ = 0;
};

std::vector<Values> axes_of(const Sweep& sweep) {
  std::vector<Values> out;
  for (int i = 0; i < sweep.axis_size(); ++i) {
    try {
      out.emplace_back(sweep.axis(i));
    } catch (const Error& e) {
      throw AxisError(i, e.what());
    }
  }
  return out;
}

// The first axis varies slowest.
void add_grid(const std::vector<Values>& axes, const Point& base, std::vector<Point>& points) {
  size_t total = 1;
  for (const Values& a : axes) {
    total *= a.count();
  }
  for (size_t i = 0; i < total; ++i) {
    Point p = base;
    size_t stride = total;
    for (const Values& a : axes) {
      stride /= a.count();
      a.put(i / stride % a.count(), p);
    }
    points.push_back(std::move(p));
  }
}

}  // namespace

std::optional<double> number_of(std::string_view value) {
  const auto factor = static_cast<double>(config::take_byte_unit(value));
  std::optional<double> number = parse_number<double>(value);
  if (number) {
    *number *= factor;
  }
  return number && std::isfinite(*number) ? number : std::nullopt;
}

size_t count_points(const Sweep& sweep) {
  const std::vector<Values> axes = axes_of(sweep);
  double total = sweep.samples();
  if (sweep.design() == Sweep::GRID) {
    total = 1;
    for (const Values& a : axes) {
      total *= static_cast<double>(a.count());
    }
  } else if (sweep.design() == Sweep::LIST) {
    total = axes.empty() ? 1 : static_cast<double>(axes[0].count());
    for (size_t i = 1; i < axes.size(); ++i) {
      if (axes[i].count() != axes[0].count()) {
        const int number = static_cast<int>(i);
        throw AxisError(
            number,
            fmt::format("axis \"{}\": has {} values, the first axis has {}; in a LIST all have as many",
                        axis_name(sweep.axis(number)), axes[i].count(), axes[0].count()));
      }
    }
  }
  const size_t most = std::min<size_t>(sweep.max_points(), kMaxPoints);
  if (total > static_cast<double>(most)) {
    throw Error(fmt::format(
        "the axes make {:.9g} points; at most {} are possible{}", total, most,
        most < kMaxPoints ? fmt::format(" unless max_points says more (up to {})", kMaxPoints) : ""));
  }
  return static_cast<size_t>(total);
}

std::vector<Point> design_points(const Sweep& sweep) {
  const size_t total = count_points(sweep);
  const std::vector<Values> axes = axes_of(sweep);
  Point base;
  base.set.assign(sweep.set().begin(), sweep.set().end());
  std::vector<Point> points;
  if (sweep.design() == Sweep::GRID) {
    add_grid(axes, base, points);
    return points;
  }
  std::vector<std::vector<double>> samples;
  if (sweep.design() != Sweep::LIST) {
    samples = (sweep.design() == Sweep::RANDOM ? random_samples : latin_hypercube)(sweep.samples(),
                                                                                   axes.size(), sweep.seed());
  }
  for (size_t i = 0; i < total; ++i) {
    Point p = base;
    for (size_t a = 0; a < axes.size(); ++a) {
      samples.empty() ? axes[a].put(i, p) : axes[a].put_sample(samples[i][a], p);
    }
    points.push_back(std::move(p));
  }
  return points;
}

}  // namespace heddle::sweep
