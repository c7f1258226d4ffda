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

std::vector<DrawnLine> lines_of(const Geometry& geometry) {
  return std::visit(
      [](const auto& g) -> std::vector<DrawnLine> {
        using G = std::decay_t<decltype(g)>;
        std::vector<DrawnLine> lines;
        if constexpr (std::same_as<G, Mesh>) {
          const std::size_t step = 1 + 3 * g.size() / kMaxDrawnLines;
          for (std::size_t i = 0; i < g.size(); i += step) {
            const MeshTriangle& t = g.triangles()[i];
            for (std::size_t k = 0; k < 3; ++k) lines.push_back({g.vertices()[t[k]], g.vertices()[t[(k + 1) % 3]]});
          }
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

// Lines of a body, in its own frame, and its poses over time.
std::string body_of(const Moving& body, Aabb& around) {
  std::string lines, poses;
  const std::vector<DrawnLine> drawn = lines_of(body.geometry);
  for (const DrawnLine& l : drawn) {
    if (!(std::max(l.from.cwiseAbs().maxCoeff(), l.to.cwiseAbs().maxCoeff()) < kFarOut)) continue;
    lines += (lines.empty() ? "" : ",") + numbers_of(l.from) + "," + numbers_of(l.to);
  }
  for (int i = 0; i <= kSweepFrames; ++i) {
    const Pose pose = body.motion.at(static_cast<double>(i) / kSweepFrames) * body.local;
    for (const DrawnLine& l : drawn) around.extend(pose * l.from);
    std::string numbers;
    for (int r = 0; r < 3; ++r) {
      numbers += fmt::format("{}{},{:.9g}", r == 0 ? "" : ",", numbers_of(pose.rotation().row(r).transpose()),
                             pose.translation()[r]);
    }
    poses += (i == 0 ? "[" : ",[") + numbers + "]";
  }
  return fmt::format("{{\"lines\":[{}],\"poses\":[{}]}}", lines, poses);
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
    const at = (k) => { const l = body.lines, x = l[k], y = l[k + 1], z = l[k + 2];
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

std::string sweep_page(const Moving& a, const Moving& b, const Sweep& swept, double margin) {
  Aabb around;
  const std::string body_a = body_of(a, around), body_b = body_of(b, around);
  if (around.empty()) around.extend(Vec3::Zero());
  const auto matrix = [](const Pose& pose) {
    std::string text;
    for (int r = 0; r < 3; ++r) {
      text += fmt::format("{}{},{:.9g}", r == 0 ? "" : ",", numbers_of(pose.rotation().row(r).transpose()),
                          pose.translation()[r]);
    }
    return text;
  };
  const auto with_contact = [&](const std::string& body, const Moving& m) {
    return fmt::format("{},\"contact\":[{}]}}", body.substr(0, body.size() - 1),
                       matrix(m.motion.at(swept.time) * m.local));
  };
  const Vec3 point = (swept.contact.on_a + swept.contact.on_b) / 2;
  const std::string data =
      fmt::format(R"({{"hit":{},"time":{},"point":[{}],"center":[{}],"size":{:.6g},"bodies":[{},{}]}})", swept.hit,
                  swept.time, numbers_of(point), numbers_of(around.center()), std::max(around.half().norm(), 1e-9),
                  with_contact(body_a, a), with_contact(body_b, b));
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
      fmt::arg("style", kSweepStyle), fmt::arg("a", escaped(name_of(a.geometry))),
      fmt::arg("b", escaped(name_of(b.geometry))), fmt::arg("verdict", verdict), fmt::arg("version", kVersion),
      fmt::arg("data", data), fmt::arg("script", kSweepScript));
}

}  // namespace graze::app
