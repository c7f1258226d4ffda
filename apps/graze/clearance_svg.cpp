// The pictures of a report that need no script: the profile along the path and the cross-sections.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance_job.h"

namespace graze::app {
namespace {

constexpr std::array<const char*, clearance::kSides> kSideColors = {"#1f77b4", "#d95f02", "#7b3fa0", "#2c8f4f"};

// A step of 1, 2 or 5 times a power of ten that makes about `parts` of a length.
double round_step(double length, int parts) {
  const double raw = std::max(length, 1e-9) / parts, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::array<std::uint8_t, 3> rgb_of(std::uint8_t code) {
  // The same scale as in viewer/src/colors.ts.
  constexpr std::array<std::array<std::array<int, 3>, 2>, clearance::kLevels> kScale = {
      {{{{150, 0, 90}, {214, 20, 60}}},
       {{{235, 60, 40}, {250, 120, 50}}},
       {{{255, 175, 40}, {255, 215, 90}}},
       {{{70, 190, 190}, {95, 135, 175}}}}};
  if (code == 255) return {122, 132, 142};
  const auto& [from, to] = kScale[code >> 6U];
  std::array<std::uint8_t, 3> out{};
  const double t = std::min((code & 63U) / 62.0, 1.0);
  for (std::size_t k = 0; k < 3; ++k) out[k] = static_cast<std::uint8_t>(std::lround(from[k] + t * (to[k] - from[k])));
  return out;
}

std::string color_of(std::uint8_t code) {
  const auto [r, g, b] = rgb_of(code);
  return fmt::format("#{:02x}{:02x}{:02x}", r, g, b);
}

std::string profile_svg(const clearance::Report& report, double limit) {
  constexpr double kStrip = 5;  // height of the bar of one side that shows where it was seen
  constexpr double kWidth = 1200, kHeight = 324, kLeft = 58, kRight = 12, kTop = 12, kBottom = 64;
  double lowest = 0;
  for (const clearance::ProfileRow& row : report.profile) {
    for (const clearance::ReportPoint& p : row.nearest) lowest = std::min(lowest, p.clearance);
  }
  const clearance::ReportOptions& o = report.options;
  lowest = std::max(lowest, -1e6) - 0.05;
  const double highest = std::max(1.5 * o.warn, std::min(limit, 1.0)) * 1.02;
  const double begin = report.profile.front().from, end = report.profile.back().to;
  const auto x = [&](double s) { return kLeft + (s - begin) / (end - begin) * (kWidth - kLeft - kRight); };
  const auto y = [&](double c) {
    return kTop + (highest - std::clamp(c, lowest, highest)) / (highest - lowest) * (kHeight - kTop - kBottom);
  };
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Minimum clearance along the path\" "
      "font-family=\"system-ui, sans-serif\" font-size=\"12\">\n",
      kWidth, kHeight);
  const auto band = [&](double from, double to, const char* color) {
    if (from >= to) return;
    out += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"/>\n", kLeft, y(to),
                       kWidth - kLeft - kRight, y(from) - y(to), color);
  };
  band(lowest, 0, "#efd6e4");
  band(0, o.fail, "#fbdcd6");
  band(o.fail, o.warn, "#fdf0cf");
  const double step = round_step(highest - lowest, 5);
  for (double v = std::ceil(lowest / step) * step; v <= highest; v += step) {
    out += fmt::format(
        "<path d=\"M{} {:.1f}H{}\" stroke=\"#e3e8eb\"/><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\" "
        "fill=\"#63707a\">{:.2f}</text>\n",
        kLeft, y(v), kWidth - kRight, kLeft - 6, y(v) + 4, v + 0.0);
  }
  const double along = round_step(end - begin, 12);
  for (double s = std::ceil(begin / along) * along; s <= end; s += along) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\" fill=\"#63707a\">{:g}</text>\n", x(s),
                       kHeight - 24, s + 0.0);
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#63707a\">chainage / m</text>\n",
                     kWidth / 2, kHeight - 6);
  // What was not scanned: grey over the whole height, and one bar per side below.
  std::string unscanned;
  for (const clearance::ProfileRow& row : report.profile) {
    if (!row.swept || row.scanned) continue;
    unscanned +=
        fmt::format("M{:.1f} {}H{:.1f}V{}H{:.1f}Z", x(row.from), kTop, x(row.to), kHeight - kBottom, x(row.from));
  }
  if (!unscanned.empty()) {
    out += fmt::format("<path class=\"unscanned\" d=\"{}\" fill=\"#8a949c\" fill-opacity=\"0.35\"/>\n", unscanned);
  }
  for (std::size_t side = 0; side < clearance::kSides; ++side) {
    const double top = kHeight - kBottom + 3 + kStrip * static_cast<double>(side);
    std::string bar;
    for (const clearance::ProfileRow& row : report.profile) {
      if (row.seen[side]) bar += fmt::format("M{:.1f} {}H{:.1f}", x(row.from), top + kStrip / 2, x(row.to));
    }
    out +=
        fmt::format("<path class=\"seen\" d=\"{}\" stroke=\"{}\" stroke-width=\"{}\"><title>seen {}</title></path>\n",
                    bar, kSideColors[side], kStrip - 1.5, name_of(static_cast<clearance::Side>(side)));
  }
  for (std::size_t side = 0; side < clearance::kSides; ++side) {
    std::string line;
    bool drawing = false;
    for (const clearance::ProfileRow& row : report.profile) {
      const double c = row.nearest[side].clearance;
      if (c > highest) {
        drawing = false;
        continue;
      }
      line += fmt::format("{}{:.1f} {:.1f}H{:.1f}", drawing ? "L" : "M", x(row.from), y(c), x(row.to));
      drawing = true;
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", line, kSideColors[side]);
    out += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\" font-weight=\"600\">{}</text>\n",
                       kLeft + 10 + 60 * static_cast<double>(side), kTop + 14, kSideColors[side],
                       name_of(static_cast<clearance::Side>(side)));
  }
  return out + "</svg>";
}

std::string section_svg(const clearance::ReportSection& section, const clearance::ReportOptions& options,
                        double limit) {
  const Aabb& w = section.window;
  const double wide = w.max.y() - w.min.y(), high = w.max.z() - w.min.z();
  constexpr double kScale = 50;  // units per metre; two digits behind the point are then 0.2 mm
  const auto x = [&](double v) { return kScale * (w.max.y() - v); };
  const auto y = [&](double v) { return kScale * (w.max.z() - v); };
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"Cross-section\">"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
      kScale * wide, kScale * high);
  std::string path;
  for (const clearance::ReportSection::Line& line : section.outline) {
    path += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x(line.from[0]), y(line.from[1]), x(line.to[0]), y(line.to[1]));
  }
  if (!path.empty()) out += fmt::format("<path d=\"{}\" stroke=\"#1f5f99\" stroke-width=\"3\"/>", path);
  const auto dots = [&](const std::string& d, const std::string& color, double size) {
    if (!d.empty()) {
      out += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\"/>", d, color, size);
    }
  };
  path.clear();
  for (const clearance::ReportSection::Point& p : section.model)
    path += fmt::format("M{:.0f} {:.0f}h0", x(p.y), y(p.z));
  dots(path, "#3f86c4", 4);
  // By level, the worst last and on top.
  for (const clearance::Level level :
       {clearance::Level::clear, clearance::Level::warn, clearance::Level::fail, clearance::Level::hit}) {
    std::string near, far;
    for (const clearance::ReportSection::Point& p : section.points) {
      if (level_of(p.clearance, options) != level) continue;
      (p.clearance <= limit ? near : far) += fmt::format("M{:.0f} {:.0f}h0", x(p.y), y(p.z));
    }
    dots(far, color_of(255), 4);
    dots(near, color_of(static_cast<std::uint8_t>(64 * static_cast<unsigned>(level) + 20)),
         level == clearance::Level::clear ? 4 : 8);
  }
  const Vec3& p = section.place.in_vehicle;
  return out + fmt::format(
                   "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"22\" fill=\"none\" stroke=\"#111\" "
                   "stroke-width=\"4\"/></svg>",
                   x(p.y()), y(p.z()));
}

}  // namespace graze::app
