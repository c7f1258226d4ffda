#include "demo_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "demo_overlay.h"
#include "graze/version.h"

#include "numbers.h"

namespace graze::app {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; --ink: #22303a; --soft: #6b7780; --line: #dfe4e7; --hit: #d1352b; --gap: #0b6bb8; }
* { box-sizing: border-box; }
body { margin: 0; background: #f4f5f3; color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 28px; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 36px 0 8px; }
p { margin: 6px 0; max-width: 72ch; }
.lead { color: var(--soft); margin-bottom: 18px; }
figure { margin: 0; background: #fff; border-radius: 10px; overflow: hidden; box-shadow: 0 1px 3px #0002, 0 8px 28px #0001; }
.stage { position: relative; }
.stage img { display: block; width: 100%; height: auto; }
.stage svg { position: absolute; inset: 0; width: 100%; height: 100%; }
figcaption { padding: 12px 18px 14px; font-size: 14px; color: var(--soft); }
.key { display: inline-block; width: 22px; height: 0; border-top: 3px solid; vertical-align: middle; margin: 0 4px 2px 0; }
.pair { display: none; }
.pair.on, .pair.lit { display: inline; }
svg.picked .pair.on:not(.lit) { opacity: 0.15; }
line { stroke-linecap: round; }
.halo { stroke: #fff; stroke-width: 4.5; opacity: 0.55; }
.gap { stroke: var(--gap); stroke-width: 2.2; }
.gap.hidden { stroke-dasharray: 1.5 4.5; }
.end { fill: var(--gap); stroke: #fff; stroke-width: 1; }
.normal { stroke: var(--hit); stroke-width: 1.8; }
.contact { fill: var(--hit); stroke: #fff; stroke-width: 1; }
.contact.hidden, .end.hidden { fill-opacity: 0.45; }
text { font: 600 11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; text-anchor: middle; paint-order: stroke; stroke-linejoin: round; }
.length { fill: #0a4f88; stroke: #fff; stroke-width: 3.5px; }
.name { fill: #fff; stroke: #22303a; stroke-opacity: 0.55; stroke-width: 2.5px; font-weight: 500; font-size: 10.5px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(280px, 1fr)); gap: 12px; margin: 20px 0; }
.tile { background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; }
.tile b { display: block; font-size: 21px; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
table { border-collapse: collapse; width: 100%; background: #fff; border: 1px solid var(--line); font-size: 14px; }
th, td { text-align: left; padding: 5px 12px; border-bottom: 1px solid var(--line); }
th { background: #fafbfa; color: var(--soft); font-weight: 600; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tbody tr:hover, tbody tr:focus { background: #eef5fb; outline: none; }
tr.hit td:nth-child(2) { color: var(--hit); }
pre { background: #22303a; color: #eef2f3; padding: 14px 16px; border-radius: 8px; overflow-x: auto; font-size: 13px; }
.scroll { overflow-x: auto; }
)";

constexpr std::string_view kScript = R"(
const svg = document.querySelector('svg');
for (const row of document.querySelectorAll('tr[data-pair]')) {
  const group = document.getElementById(row.dataset.pair);
  const light = on => { group.classList.toggle('lit', on); svg.classList.toggle('picked', on); };
  row.addEventListener('mouseenter', () => light(true));
  row.addEventListener('mouseleave', () => light(false));
  row.addEventListener('focus', () => light(true));
  row.addEventListener('blur', () => light(false));
}
)";

std::string tile(const std::string& value, std::string_view what) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", value, what);
}

std::string tiles(const DemoResults& r) {
  const auto touching =
      std::count_if(r.pairs.begin(), r.pairs.end(), [](const auto& p) { return !p.contacts.empty(); });
  return tile(fmt::format("{}", r.scene.size()), "objects, every kind of shape") +
         tile(fmt::format("{} of {}", touching, r.pairs.size()), "pairs touch") +
         tile(rounded(r.throughput.collide), "collide queries per second") +
         tile(rounded(r.throughput.distance), "distances per second") +
         tile(rounded(r.throughput.contacts), "contact queries per second") +
         tile(rounded(static_cast<double>(r.picture.queries)),
              fmt::format("distances in the picture, {:.1f} s", r.seconds_for_picture));
}

std::string point(const Vec3& p) {
  return fmt::format("{}, {}, {}", metres(p.x(), 3), metres(p.y(), 3), metres(p.z(), 3));
}

std::string rows(const DemoResults& r) {
  std::string out;
  for (std::size_t i = 0; i < r.pairs.size(); ++i) {
    const PairReport& pair = r.pairs[i];
    out += fmt::format(
        "<tr tabindex=\"0\" data-pair=\"p{}\"{}><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        i, pair.contacts.empty() ? "" : " class=\"hit\"", pair_name(r.scene, pair), metres(pair.distance.value, 4),
        point(pair.distance.on_a), point(pair.distance.on_b),
        pair.contacts.empty() ? "" : fmt::format("{}", pair.contacts.size()));
  }
  return out;
}

}  // namespace

std::string page(const DemoResults& results, const Camera& camera) {
  const Image& image = results.picture.image;
  return fmt::format(
      R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>graze demo</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>What graze sees</h1>
<p class="lead">Do these touch, how far apart are they, where, and how deep?</p>
<figure>
<div class="stage">
<img alt="A corner of a workshop with one of every shape" width="{width}" height="{height}" src="data:image/png;base64,{png}">
<svg viewBox="0 0 {units} {units_high}" role="img" aria-label="Nearest points and contacts">
{overlay}</svg>
</div>
<figcaption><span class="key" style="color:var(--gap)"></span>the nearest neighbour of bodies that touch no other, dashed where hidden &ensp;
<span class="key" style="color:var(--hit)"></span>contacts with their normals &ensp;
Level lines on the floor: every 10 cm of distance from the nearest body. The picture is made of nothing but
<code>distance</code> queries: a ray advances by the distance to the scene until there is none left; shadows and
surface normals come from the same answers. Point at a row of the table to see its pair.</figcaption>
</figure>
<div class="tiles">
{tiles}</div>
<h2>Every pair</h2>
<p>Metres. Negative distances are overlaps: minus the shortest translation that separates the two.</p>
<div class="scroll"><table>
<thead><tr><th>pair</th><th class="n">distance</th><th class="n">nearest point of the first</th>
<th class="n">of the second</th><th class="n">contacts</th></tr></thead>
<tbody>
{rows}</tbody>
</table></div>
<h2>Ask it yourself</h2>
<pre>graze distance '{{"shape":"sphere","radius":0.3,"pose":{{"xyz":[0,0,2]}}}}' '{{"shape":"cone","radius":0.42,"half_length":0.5}}'</pre>
<p class="lead">graze {version}; {pixels} pixels, throughput of one thread on this machine.</p>
</main>
<script>{script}</script>
</body>
</html>
)html",
      fmt::arg("style", kStyle), fmt::arg("script", kScript), fmt::arg("width", image.width),
      fmt::arg("height", image.height), fmt::arg("units", kOverlayWidth), fmt::arg("units_high", kOverlayWidth * 5 / 8),
      fmt::arg("png", base64(png(image))), fmt::arg("overlay", overlay(results, camera)),
      fmt::arg("tiles", tiles(results)), fmt::arg("rows", rows(results)), fmt::arg("version", kVersion),
      fmt::arg("pixels", image.width * image.height));
}

std::string rounded(double count) {
  if (count >= 1e9) return fmt::format("{:.1f} billion", count / 1e9);
  if (count >= 1e6) return fmt::format("{:.1f} million", count / 1e6);
  if (count >= 1e3) return fmt::format("{:.0f} thousand", count / 1e3);
  return fmt::format("{:.0f}", count);
}

std::string metres(double value, int digits) { return fixed(value, digits); }

std::string pair_name(const Scene& scene, const PairReport& pair) {
  return scene[pair.a].name + " – " + scene[pair.b].name;
}

}  // namespace graze::app
