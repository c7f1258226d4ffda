#include "sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "graze/version.h"
#include "numbers.h"

namespace graze::app {
namespace {

constexpr std::size_t kMaxDrawnLines = 6000;  // of one body
constexpr int kSweepFrames = 120;
constexpr double kFarOut = 1e6;  // half-spaces and planes are not drawn, nor what is farther out

struct DrawnLine {
  Vec3 from, to;
};

// A net over the points that a convex shape has farthest along directions all around.
template <class S>
std::vector<DrawnLine> net_of(const S& shape) {
  constexpr int kAround = 24, kUp = 13;  // no direction along an axis: there a box has whole faces farthest
  const auto point = [&](int i, int k) {
    const double angle = 2 * std::numbers::pi * (i + 0.4) / kAround, up = std::numbers::pi * (k - kUp / 2.0) / kUp;
    return Vec3(support(shape, Vec3(std::cos(up) * std::cos(angle), std::cos(up) * std::sin(angle), std::sin(up))));
  };
  std::vector<DrawnLine> lines;
  for (int i = 0; i < kAround; ++i) {
    for (int k = 0; k < kUp; ++k) {
      lines.push_back({point(i, k), point(i, k + 1)});
      if (k > 0) lines.push_back({point(i, k), point(i + 1, k)});
    }
  }
  std::erase_if(lines, [](const DrawnLine& l) { return (l.to - l.from).norm() == 0; });
  return lines;
}

// Some of the triangles, if there are many.
template <class TriangleAt>
std::vector<DrawnLine> lines_of_triangles(std::size_t count, const TriangleAt& triangle_at) {
  std::vector<DrawnLine> lines;
  const std::size_t step = 1 + 3 * count / kMaxDrawnLines;
  for (std::size_t i = 0; i < count; i += step) {
    const Triangle t = triangle_at(i);
    lines.insert(lines.end(), {{t.a(), t.b()}, {t.b(), t.c()}, {t.c(), t.a()}});
  }
  return lines;
}

std::vector<DrawnLine> lines_of(const Geometry& geometry) {
  return std::visit(
      [](const auto& g) -> std::vector<DrawnLine> {
        using G = std::decay_t<decltype(g)>;
        std::vector<DrawnLine> lines;
        if constexpr (std::same_as<G, Mesh>) {
          lines = lines_of_triangles(g.size(), [&](std::size_t i) { return g.triangle(i); });
        } else if constexpr (std::same_as<G, Cloud>) {
          const std::size_t step = 1 + g.size() / kMaxDrawnLines;
          for (std::size_t i = 0; i < g.size(); i += step) lines.push_back({g.point(i), g.point(i)});
        } else if constexpr (requires { support(g, Vec3(1, 0, 0)); }) {
          lines = net_of(g);
        }
        return lines;
      },
      geometry);
}

std::string numbers_of(const Vec3& v) { return fmt::format("{:.6g},{:.6g},{:.6g}", v.x(), v.y(), v.z()); }

std::string numbers_of(const std::vector<DrawnLine>& lines) {
  std::string text;
  for (const DrawnLine& l : lines) text += (text.empty() ? "" : ",") + numbers_of(l.from) + "," + numbers_of(l.to);
  return text;
}

std::string numbers_of(const Pose& pose) {
  std::string text;
  for (int r = 0; r < 3; ++r) {
    text += fmt::format("{}{},{:.9g}", r == 0 ? "" : ",", numbers_of(pose.rotation().row(r).transpose()),
                        pose.translation()[r]);
  }
  return text;
}

// Lines of a body in its own frame at the start and, if it bends, at the end; its poses over time, and at the contact.
struct Drawn {
  std::string name;
  std::vector<DrawnLine> lines, ends;
  std::vector<Pose> poses;
  Pose contact;
};

bool far_out(const DrawnLine& l) {
  return !(std::max(l.from.cwiseAbs().maxCoeff(), l.to.cwiseAbs().maxCoeff()) < kFarOut);
}

Drawn drawn(const Moving& body, double time) {
  Drawn d{std::string(name_of(body.geometry)), lines_of(body.geometry), {}, {}, body.motion.at(time) * body.local};
  std::erase_if(d.lines, far_out);
  for (int i = 0; i <= kSweepFrames; ++i)
    d.poses.push_back(body.motion.at(static_cast<double>(i) / kSweepFrames) * body.local);
  return d;
}

Drawn drawn(const Deforming& body, double) {
  const auto at_time = [&](double t) {
    return lines_of_triangles(body.mesh.size(), [&](std::size_t i) { return body.mesh.triangle(i, t); });
  };
  Drawn d{"bending mesh", {}, {}, {body.pose, body.pose}, body.pose};
  const std::vector<DrawnLine> from = at_time(0), to = at_time(1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!far_out(from[i]) && !far_out(to[i])) d.lines.push_back(from[i]), d.ends.push_back(to[i]);
  }
  return d;
}

std::string text_of(const Drawn& d) {
  std::string poses;
  for (const Pose& pose : d.poses) poses += (poses.empty() ? "[" : ",[") + numbers_of(pose) + "]";
  const std::string ends = d.ends.empty() ? "" : fmt::format("\"ends\":[{}],", numbers_of(d.ends));
  return fmt::format("{{\"lines\":[{}],{}\"poses\":[{}],\"contact\":[{}]}}", numbers_of(d.lines), ends, poses,
                     numbers_of(d.contact));
}

void extend(Aabb& around, const Drawn& d) {
  for (const auto* lines : {&d.lines, &d.ends}) {
    for (const DrawnLine& l : *lines) {
      for (const Pose& pose : d.poses) around.extend(pose * l.from);
    }
  }
}

constexpr std::string_view kSweepScript = R"js(
const canvas = document.querySelector('canvas'), slider = document.querySelector('input'), label = document.querySelector('output');
const context = canvas.getContext('2d'), button = document.querySelector('button');
let yaw = -0.9, pitch = 0.45, playing = true, time = 0, last = null;
function project(x, y, z) {
  x -= data.center[0], y -= data.center[1], z -= data.center[2];
  const u = x * Math.cos(yaw) - y * Math.sin(yaw), v = x * Math.sin(yaw) + y * Math.cos(yaw);
  const scale = 0.42 * Math.min(canvas.width, canvas.height) / data.size;
  return [canvas.width / 2 + scale * u, canvas.height / 2 - scale * (z * Math.cos(pitch) + v * Math.sin(pitch))];
}
function draw() {
  const style = getComputedStyle(document.body), stopped = data.hit && time >= data.time;
  const shown = stopped ? data.time : time;
  context.clearRect(0, 0, canvas.width, canvas.height);
  data.bodies.forEach((body, which) => {
    const f = shown * (body.poses.length - 1), i = Math.min(Math.floor(f), body.poses.length - 2), part = f - i;
    const p = stopped ? body.contact : body.poses[i].map((x, k) => x + part * (body.poses[i + 1][k] - x));
    const at = (k) => { const [x, y, z] = [0, 1, 2].map((n) => body.lines[k + n] + (body.ends ? shown * (body.ends[k + n] - body.lines[k + n]) : 0));
      return project(p[0] * x + p[1] * y + p[2] * z + p[3], p[4] * x + p[5] * y + p[6] * z + p[7], p[8] * x + p[9] * y + p[10] * z + p[11]); };
    context.strokeStyle = style.getPropertyValue(which ? '--b' : '--a');
    context.beginPath();
    for (let k = 0; k < body.lines.length; k += 6) {
      const [x, y] = at(k), [u, v] = at(k + 3);
      context.moveTo(x, y), context.lineTo(u === x && v === y ? u + 1.5 : u, v);
    }
    context.stroke();
  });
  if (stopped) {
    const [x, y] = project(...data.point);
    context.fillStyle = style.getPropertyValue('--hit');
    context.beginPath(), context.arc(x, y, 7, 0, 7), context.fill();
  }
  slider.value = time;
  label.textContent = 't = ' + shown.toFixed(4) + (stopped ? ', first contact' : '');
}
function step(now) {
  if (playing && last !== null) {
    time += (now - last) / 4000;
    if (time > (data.hit ? data.time + 0.25 : 1)) time = 0;
  }
  last = now;
  draw();
  requestAnimationFrame(step);
}
slider.addEventListener('input', () => { playing = false, button.textContent = 'Play', time = Number(slider.value); });
button.addEventListener('click', () => { playing = !playing, button.textContent = playing ? 'Pause' : 'Play'; });
canvas.addEventListener('pointermove', (e) => { if (e.buttons) yaw += e.movementX / 200, pitch = Math.max(-1.5, Math.min(1.5, pitch + e.movementY / 200)); });
requestAnimationFrame(step);
)js";

constexpr std::string_view kSweepStyle = R"css(
:root { color-scheme: light dark; }
body { --a: #0969da; --b: #6e7781; --hit: #cf222e; margin: 0; background: #f4f5f3; color: #22303a;
  font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) { body { --a: #4493f8; --b: #9198a1; --hit: #f85149; background: #0d1117; color: #f0f6fc; } }
main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0; }
canvas { display: block; width: 100%; touch-action: none; cursor: grab; }
.controls { display: flex; gap: 12px; align-items: center; }
input { flex: 1; }
output { min-width: 14em; font-variant-numeric: tabular-nums; }
)css";

}  // namespace

std::string sweep_page(const SweptBody& a, const SweptBody& b, const Sweep& swept, double margin) {
  const auto drawn_at_contact = [&](const SweptBody& body) {
    return std::visit([&](const auto& x) { return drawn(x, swept.time); }, body);
  };
  const Drawn first = drawn_at_contact(a), second = drawn_at_contact(b);
  Aabb around;
  extend(around, first);
  extend(around, second);
  if (around.empty()) around.extend(Vec3::Zero());
  const Vec3 point = (swept.contact.on_a + swept.contact.on_b) / 2;
  const std::string data =
      fmt::format(R"({{"hit":{},"time":{},"point":[{}],"center":[{}],"size":{:.6g},"bodies":[{},{}]}})", swept.hit,
                  swept.time, numbers_of(point), numbers_of(around.center()), std::max(around.half().norm(), 1e-9),
                  text_of(first), text_of(second));
  const std::string within = margin > 0 ? fmt::format(" within {} m of each other", margin) : " into contact";
  const std::string verdict =
      !swept.hit ? "They never come" + within + ": that is proven."
                 : fmt::format("They first come{} at t = {}{}.", within, fixed(std::floor(swept.time * 1e6) / 1e6, 6),
                               swept.certain ? "" : ", or later: the steps did not suffice");
  return fmt::format(
      R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>graze sweep</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{a} and {b}</h1>
<p>{verdict} Drag to look from elsewhere.</p>
<canvas width="1000" height="600" role="img" aria-label="The motion of both bodies"></canvas>
<div class="controls"><button>Pause</button><input type="range" min="0" max="1" step="0.0005" value="0" aria-label="Time"><output></output></div>
<p>graze {version}</p>
</main>
<script>
const data = {data};
{script}</script>
</body>
</html>
)html",
      fmt::arg("style", kSweepStyle), fmt::arg("a", escaped(first.name)), fmt::arg("b", escaped(second.name)),
      fmt::arg("verdict", verdict), fmt::arg("version", kVersion), fmt::arg("data", data),
      fmt::arg("script", kSweepScript));
}

}  // namespace graze::app
