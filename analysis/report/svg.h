// The few shapes that pictures of results are made of, as SVG 1.1 text. Lengths are pixels.
#pragma once

#include <string>
#include <string_view>

namespace heddle::analysis {

// Of lines and bars that are told from each other.
inline constexpr const char* kSeriesColours[] = {"#1d4ed8", "#c2410c", "#15803d", "#7e22ce",
                                                 "#0e7490", "#a16207", "#be185d", "#4d7c0f"};

class Svg {
 public:
  Svg(double width, double height);

  void line(double x1, double y1, double x2, double y2, std::string_view colour, double width = 1);
  void rectangle(double x, double y, double w, double h, std::string_view fill,
                 std::string_view title = "");  // `title` is shown by a browser's pointer
  // `anchor`: start, middle or end.
  void text(double x, double y, std::string_view what, double size = 12, std::string_view anchor = "start",
            std::string_view colour = "#24292f");
  std::string str() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

}  // namespace heddle::analysis
