// Measures how wrong graze is, pair by pair, and writes the table for docs/accuracy.md.
//
//     make_accuracy_table OUTPUT.md [--cases N]      N poses per pair (3000)
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "graze/base/parallel.h"
#include "query/accuracy.h"

namespace {

using namespace graze_test;
using graze_oracle::Kind;
using graze_oracle::kKinds;

std::string number(Real x) {
  char text[32];
  std::snprintf(text, sizeof text, x > 0 ? "%.0Le" : "0", x);
  return text;
}

std::string readable(Kind kind) {
  std::string name = name_of(kind);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void write(std::ostream& out, const std::vector<Accuracy>& rows, int cases) {
  long total = 0, missed = 0, overstated = 0;
  Real closed = 0, iterated = 0;
  for (const Accuracy& r : rows) {
    total += r.cases;
    missed += r.missed;
    overstated += r.overstated;
    Real& worst = iterative(r.a, r.b) ? iterated : closed;
    worst = std::max({worst, r.separated, r.overlapping});
  }
  out << "# How accurate every pair of shapes is\n\n"
         "Made by `./dev docs` (`make_accuracy_table`). "
      << cases << " pairs of poses for each pair of shapes, " << total
      << " in all: random ones, aligned,\ntouching to a few units in the last place or up to 1e-6 apart, nested, with "
         "parallel faces, with shared edges, slivers of\n1e-4 to 1e-9, a million metres from the origin, and sizes of "
         "1e-4, 1e6 and mixed.\n\n"
      << "- missed collisions: " << missed << "\n- over-stated distances (beyond the stated tolerance): " << overstated
      << "\n- worst error of a closed form: " << number(closed) << ", of an iterative pair: " << number(iterated)
      << "\n\nErrors are relative to the size of the pair: the sum of the magnitudes of the caller's numbers for both "
         "shapes, their\ndistance from the origin included. The truth comes from an oracle that shares no code with "
         "graze and works with 64 bits\nof mantissa. For pairs that are apart it is an interval, proven from both "
         "sides, and the table counts its width as\nerror. For overlaps it is the shallowest of all exits that an "
         "enumeration of facet and crease directions and a local\nsearch find (graze's own exit is among the "
         "candidates). The normal of an answer proves that its depth is not too small;\nthat it is not too large is as "
         "certain as that search, which tests compare with a certified lower bound. Two\noverlapping polytopes are "
         "exact.\n\n"
         "*Stated* is the largest tolerance that came with an answer. *Late* counts pairs that are apart by more "
         "than the\naccuracy demanded (1e-12 for closed forms, 1e-9 for iterative pairs) and were still reported as "
         "colliding.\n\n"
         "| a | b | method | apart | overlapping | stated | missed | over-stated | late |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Accuracy& r : rows) {
    out << "| " << readable(r.a) << " | " << readable(r.b) << " | " << (iterative(r.a, r.b) ? "iterative" : "closed")
        << " | " << number(r.separated) << " | " << number(r.overlapping) << " | " << number(r.tolerance) << " | "
        << r.missed << " | " << r.overstated << " | " << r.alarms << " |\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* path = nullptr;
  int cases = 3000;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--cases") == 0 && i + 1 < argc) {
      cases = std::atoi(argv[++i]);
    } else if (path == nullptr && argv[i][0] != '-') {
      path = argv[i];
    } else {
      path = nullptr;
      break;
    }
  }
  if (path == nullptr || cases <= 0) {
    std::fprintf(stderr, "usage: make_accuracy_table OUTPUT.md [--cases N]\n");
    return 2;
  }
  std::vector<Accuracy> rows;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    for (std::size_t j = i; j < kKinds.size(); ++j) rows.push_back({.a = kKinds[i], .b = kKinds[j]});
  }
  graze::parallel_for(rows.size(), [&](std::size_t i) { rows[i] = accuracy_of(rows[i].a, rows[i].b, cases); },
                      {.grain = 1});
  std::ofstream out(path);
  write(out, rows, cases);
  out.flush();
  if (!out) {
    std::fprintf(stderr, "%s: cannot be written\n", path);
    return 1;
  }
  return 0;
}
