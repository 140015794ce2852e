#include "analysis/report/svg.h"

#include <fmt/format.h>

namespace heddle::analysis {
namespace {

std::string escaped(std::string_view s) {
  std::string out;
  for (char c : s) {
    c == '&' ? out += "&amp;" : c == '<' ? out += "&lt;" : c == '>' ? out += "&gt;" : out += c;
  }
  return out;
}

}  // namespace

Svg::Svg(double width, double height)
    : body_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\">\n"
                        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                        width, height)) {}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view colour, double width) {
  body_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{:.1f}\"/>\n",
      x1, y1, x2, y2, colour, width);
}

void Svg::rectangle(double x, double y, double w, double h, std::string_view fill, std::string_view title) {
  body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">", x,
                       y, w, h, fill);
  body_ += (title.empty() ? "" : "<title>" + escaped(title) + "</title>") + "</rect>\n";
}

void Svg::text(double x, double y, std::string_view what, double size, std::string_view anchor,
               std::string_view colour) {
  body_ += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.0f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y,
      size, anchor, colour, escaped(what));
}

}  // namespace heddle::analysis
