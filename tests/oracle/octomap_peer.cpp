#include "oracle/octomap_peer.h"

#include <octomap/OcTree.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace graze_oracle {
namespace {

constexpr int kZero = 32768;

octomap::OcTreeKey tree_key(const std::array<int, 3>& key) {
  return {static_cast<octomap::key_type>(key[0] + kZero), static_cast<octomap::key_type>(key[1] + kZero),
          static_cast<octomap::key_type>(key[2] + kZero)};
}

}  // namespace

struct OctoTree::Tree {
  std::unique_ptr<octomap::OcTree> tree;
};

OctoTree::OctoTree(double resolution) : tree_(std::make_unique<Tree>()) {
  tree_->tree = std::make_unique<octomap::OcTree>(resolution);
}
OctoTree::OctoTree(std::unique_ptr<Tree> tree) : tree_(std::move(tree)) {}
OctoTree::OctoTree(OctoTree&&) noexcept = default;
OctoTree::~OctoTree() = default;

OctoTree OctoTree::read(const std::string& bytes, bool binary) {
  std::istringstream stream(bytes);
  auto result = std::make_unique<Tree>();
  if (binary) {
    result->tree = std::make_unique<octomap::OcTree>(1.0);
    if (!result->tree->readBinary(stream)) throw std::runtime_error("liboctomap cannot read the .bt");
  } else {
    result->tree.reset(dynamic_cast<octomap::OcTree*>(octomap::AbstractOcTree::read(stream)));
    if (!result->tree) throw std::runtime_error("liboctomap cannot read the .ot");
  }
  return OctoTree(std::move(result));
}

std::string OctoTree::written(bool binary) {
  std::ostringstream stream;
  if (binary) tree_->tree->writeBinaryConst(stream);
  else tree_->tree->write(stream);
  return stream.str();
}

void OctoTree::set_model(double hit, double miss, double clamp_min, double clamp_max) {
  tree_->tree->setProbHit(hit);
  tree_->tree->setProbMiss(miss);
  tree_->tree->setClampingThresMin(clamp_min);
  tree_->tree->setClampingThresMax(clamp_max);
}

void OctoTree::set_cell(const std::array<int, 3>& key, float log_odds) {
  // Far clamps, so that any number is kept.
  tree_->tree->setClampingThresMin(1e-12);
  tree_->tree->setClampingThresMax(1 - 1e-12);
  tree_->tree->setNodeValue(tree_key(key), log_odds);
}

void OctoTree::insert(const std::vector<std::array<float, 3>>& points, const std::array<float, 3>& origin,
                      double max_range, bool discretise) {
  octomap::Pointcloud cloud;
  for (const auto& p : points) cloud.push_back(p[0], p[1], p[2]);
  tree_->tree->insertPointCloud(cloud, octomap::point3d(origin[0], origin[1], origin[2]), max_range, false, discretise);
}

void OctoTree::prune() { tree_->tree->prune(); }
double OctoTree::resolution() const { return tree_->tree->getResolution(); }

std::vector<OctoLeaf> OctoTree::leaves() const {
  std::vector<OctoLeaf> out;
  const unsigned depth = tree_->tree->getTreeDepth();
  for (auto it = tree_->tree->begin_leafs(), end = tree_->tree->end_leafs(); it != end; ++it) {
    const int level = static_cast<int>(depth - it.getDepth());
    OctoLeaf leaf;
    const octomap::OcTreeKey key = it.getIndexKey();  // of the lower corner
    for (unsigned a = 0; a < 3; ++a) leaf.key[a] = int{key[a]} - kZero;
    leaf.level = level;
    leaf.log_odds = it->getLogOdds();
    out.push_back(leaf);
  }
  return out;
}

std::vector<OctoLeaf> OctoTree::cells() const {
  std::vector<OctoLeaf> out;
  for (const OctoLeaf& leaf : leaves()) {
    const int side = 1 << leaf.level;
    for (int x = 0; x < side; ++x) {
      for (int y = 0; y < side; ++y) {
        for (int z = 0; z < side; ++z) {
          out.push_back({{leaf.key[0] + x, leaf.key[1] + y, leaf.key[2] + z}, 0, leaf.log_odds});
        }
      }
    }
  }
  std::sort(out.begin(), out.end(), [](const OctoLeaf& a, const OctoLeaf& b) { return a.key < b.key; });
  return out;
}

}  // namespace graze_oracle
