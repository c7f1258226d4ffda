#include "shape/hull.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <unordered_map>

extern "C" {
#include <libqhull_r/libqhull_r.h>
}

namespace graze {
namespace {

// Qhull leaves by longjmp to the setjmp inside qh_new_qhull, and by exit() where none is armed. So nothing but
// qh_new_qhull computes (the rest reads its lists), and the release arms its own.
class Qhull {
 public:
  Qhull() : log_(open_memstream(&text_, &length_)) {
    if (log_ == nullptr) throw std::bad_alloc();
    qh_zero(&state_, log_);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;
  ~Qhull() {
    release(&state_);
    std::fclose(log_);
    std::free(text_);
  }

  /// Qhull's exit code. `coordinates` must outlive this object.
  int run(std::vector<double>& coordinates, const char* command) {
    std::vector<char> options(command, command + std::char_traits<char>::length(command) + 1);
    return qh_new_qhull(&state_, 3, static_cast<int>(coordinates.size() / 3), coordinates.data(), False, options.data(),
                        nullptr, log_);
  }

  qhT* state() { return &state_; }

 private:
  static void release(qhT* qh) {
    if (setjmp(qh->errexit) != 0) return;
    qh->NOerrexit = False;
    qh_freeqhull(qh, !qh_ALL);
    // Where memory ran out while Qhull made its tables of sizes, it forgets the one that it got.
    if (qh->qhmem.LASTsize == 0) {
      std::free(qh->qhmem.sizetable), std::free(qh->qhmem.freelists);
      qh->qhmem.sizetable = nullptr, qh->qhmem.freelists = nullptr;
    }
    int blocks = 0, bytes = 0;
    qh_memfreeshort(qh, &blocks, &bytes);
  }

  char* text_ = nullptr;
  std::size_t length_ = 0;
  std::FILE* log_;  // qhull explains its failures at length; nobody reads them, and they must not reach stderr
  qhT state_;
};

HullSurface surface_of(Qhull& hull) {
  HullSurface surface;
  std::unordered_map<unsigned, int> face_of_owner;
  qhT* qh = hull.state();
  for (const facetT* facet = qh->facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next) {
    // Option Qt splits a merged facet into triangles that name one of them as their owner and share its plane.
    const facetT* owner = facet->tricoplanar && facet->f.triowner != nullptr ? facet->f.triowner : facet;
    const auto [entry, is_new] = face_of_owner.try_emplace(owner->id, static_cast<int>(surface.normals.size()));
    if (is_new) surface.normals.emplace_back(facet->normal[0], facet->normal[1], facet->normal[2]);
    HullSurface::Triangle triangle{{}, entry->second};
    for (int i = 0; i < 3; ++i) {
      const auto* vertex = static_cast<const vertexT*>(facet->vertices->e[i].p);
      triangle.corners[static_cast<std::size_t>(i)] =
          static_cast<int>((vertex->point - qh->first_point) / qh->hull_dim);
    }
    // Qhull orders the vertices by age and keeps the orientation apart.
    if (facet->toporient) std::swap(triangle.corners[0], triangle.corners[1]);
    surface.triangles.push_back(triangle);
  }
  std::stable_sort(surface.triangles.begin(), surface.triangles.end(),
                   [](const auto& x, const auto& y) { return x.face < y.face; });
  return surface;
}

}  // namespace

std::optional<HullSurface> hull_surface(std::span<const Vec3> points, HullMethod method) {
  if (points.size() < 4) return HullSurface{};
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), {p.x(), p.y(), p.z()});

  const auto hull = std::make_unique<Qhull>();
  const int code = hull->run(coordinates, method == HullMethod::merged ? "qhull Qt Pp" : "qhull QJ Pp");
  if (code == qh_ERRmem) throw std::bad_alloc();
  if (code == qh_ERRsingular) return HullSurface{};
  if (code != qh_ERRnone) return std::nullopt;
  return surface_of(*hull);
}

}  // namespace graze
