#include "motion_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "bench/timing.h"
#include "graze/query/distance.h"
#include "graze/query/first_contact.h"
#include "meshes_scene.h"

namespace motion_bench {
namespace {

using graze::at;
using graze::FirstContact;
using graze::Triangle;
using graze::Vec3;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;
using graze::bench::time_of;

struct Query {
  std::array<Vec3, 4> from, to;
  bool meet = false;
};

FirstContact ask(bool face, const Query& q) {
  return face ? graze::first_contact_vertex_face(q.from, q.to) : graze::first_contact_edge_edge(q.from, q.to);
}

// How far apart the two are at a time, as degenerate triangles.
double distance_at(bool face, const Query& q, double t) {
  std::array<Vec3, 4> p;
  for (std::size_t i = 0; i < 4; ++i) p[i] = (1 - t) * q.from[i] + t * q.to[i];
  const Triangle a = face ? Triangle(p[0], p[0], p[0]) : Triangle(p[0], p[1], p[1]);
  const Triangle b = face ? Triangle(p[1], p[2], p[3]) : Triangle(p[2], p[3], p[3]);
  return distance(at(a), at(b), {.depth = false}).value;
}

// Features of the size of a step apart that move by that much: what two meshes that touch ask about.
std::vector<Query> generated(int count) {
  meshes_bench::Random random(21);
  std::vector<Query> queries;
  for (int i = 0; i < count; ++i) {
    Query q;
    const Vec3 shift = random.uniform(0, 1.5) * random.direction();
    for (std::size_t k = 0; k < 4; ++k) {
      q.from[k] = random.direction();
      q.to[k] = q.from[k] + 0.3 * random.direction() + (k == 0 ? shift : Vec3(Vec3::Zero()));
    }
    queries.push_back(q);
  }
  return queries;
}

void beside_samples(Claims& claims, bool face) {
  constexpr int kSamples = 11;
  const std::vector<Query> queries = generated(5000);
  int hits = 0;
  bool agree = true;
  for (const Query& q : queries) {
    const FirstContact c = ask(face, q);
    hits += c.hit ? 1 : 0;
    for (int k = 0; k < kSamples; ++k) {
      const double t = static_cast<double>(k) / (kSamples - 1), d = distance_at(face, q, t);
      constexpr double kRounding = 1e-12;
      if (d < kRounding) agree = agree && c.hit && c.time <= t + kRounding;
    }
    if (c.hit) agree = agree && c.certain && distance_at(face, q, c.time) <= 1e-6;
  }
  const auto times = compare(
      queries.size(),
      [&] {
        for (const Query& q : queries) keep(ask(face, q).time);
      },
      [&] {
        for (const Query& q : queries) {
          for (int k = 0; k < kSamples; ++k) keep(distance_at(face, q, static_cast<double>(k) / (kSamples - 1)));
        }
      },
      5);
  const std::string name = face ? "vertex-face" : "edge-edge";
  fmt::print("first contacts, {}: {} of {} generated queries hit\n", name, hits, queries.size());
  claims.add({.id = "motion/first contact, " + name,
              .ours = times.ours,
              .peer_name = "graze, 11 distances",
              .peer = times.peer,
              .goal = 1,
              .agree = agree});
}

// Numerators and denominators may have more digits than any integer; doubles of them are exact quotients in these files
// where the denominator is a power of two.
bool read_query(std::istream& in, Query& q) {
  std::string line;
  for (std::size_t row = 0; row < 8; ++row) {
    if (!std::getline(in, line)) return false;
    std::stringstream cells(line);
    std::string cell;
    const auto next = [&] {
      std::getline(cells, cell, ',');
      return std::strtod(cell.c_str(), nullptr);
    };
    Vec3& p = (row < 4 ? q.from : q.to)[row % 4];
    for (int k = 0; k < 3; ++k) {
      const double above = next();
      p[k] = above / next();
    }
    q.meet = next() != 0;
  }
  return true;
}

std::vector<Query> from_files(const std::filesystem::path& folder, const std::string& kind) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".csv" && entry.path().parent_path().filename() == kind)
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Query> queries;
  for (const auto& file : files) {
    std::ifstream in(file);
    for (Query q; read_query(in, q);) queries.push_back(q);
  }
  return queries;
}

// Medians of Tight-Inclusion at a tolerance of 1e-6 on the hand-made queries, measured on the machine of the first run.
void files(Claims& claims, const std::filesystem::path& folder, bool face) {
  const std::string kind = face ? "vertex-face" : "edge-edge";
  const std::vector<Query> queries = from_files(folder, kind);
  if (queries.empty()) return claims.missing("motion/queries of files, " + kind, "there are none");
  int missed = 0, wrong = 0, uncertain = 0, meet = 0;
  std::vector<double> times;
  double sum = 0;
  for (const Query& q : queries) {
    const FirstContact c = ask(face, q);
    meet += q.meet ? 1 : 0;
    missed += q.meet && !c.hit ? 1 : 0;
    wrong += !q.meet && c.hit ? 1 : 0;
    uncertain += c.hit && !c.certain ? 1 : 0;
    double best = graze::kInfinity;
    constexpr int kRepeated = 16;  // reading the clock takes as long as most queries
    const auto repeated = [&] {
      for (int k = 0; k < kRepeated; ++k) keep(ask(face, q).time);
    };
    for (int i = 0; i < 3; ++i) best = std::min(best, time_of(repeated) / kRepeated);
    times.push_back(best / 1e3);
    sum += times.back();
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  fmt::print(
      "queries of files, {}: {}, of which {} meet: {} missed, {} false, {} uncertain; median {:.2f}, mean {:.2f}, "
      "worst {:.0f} us\n",
      kind, queries.size(), meet, missed, wrong, uncertain, median, sum / static_cast<double>(times.size()),
      times.back());
  claims.add({.id = "motion/queries of files, " + kind,
              .ours = median,
              .peer_name = "Tight-Inclusion",
              .peer = face ? 0.40 : 0.79,
              .unit = "us",
              .goal = 1,
              .agree = missed == 0 && wrong == 0});
}

}  // namespace

void first_contacts(Claims& claims) {
  for (const bool face : {true, false}) beside_samples(claims, face);
  const char* folder = std::getenv("GRAZE_SAMPLE_QUERIES");
  if (folder == nullptr) return;
  for (const bool face : {true, false}) files(claims, folder, face);
}

}  // namespace motion_bench
