// liboctomap, asked in plain numbers.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace graze_oracle {

/// A leaf of OctoMap's tree: cell keys from −32768 on, at the lower corner of 2^level cells per side.
struct OctoLeaf {
  std::array<int, 3> key{};
  int level = 0;
  float log_odds = 0;

  bool operator==(const OctoLeaf&) const = default;
};

/// An octomap::OcTree.
class OctoTree {
 public:
  explicit OctoTree(double resolution);
  OctoTree(OctoTree&&) noexcept;
  ~OctoTree();

  /// From the bytes of a .bt or .ot file. Throws std::runtime_error where liboctomap returns no tree.
  static OctoTree read(const std::string& bytes, bool binary);
  std::string written(bool binary);

  void set_model(double hit, double miss, double clamp_min, double clamp_max);
  void set_cell(const std::array<int, 3>& key, float log_odds);
  /// insertPointCloud(); a negative range is none.
  void insert(const std::vector<std::array<float, 3>>& points, const std::array<float, 3>& origin, double max_range,
              bool discretise);
  void prune();

  /// All leaves; expanded to cells of level 0 if wanted, sorted by key then.
  std::vector<OctoLeaf> leaves() const;
  std::vector<OctoLeaf> cells() const;
  double resolution() const;

 private:
  struct Tree;
  explicit OctoTree(std::unique_ptr<Tree> tree);
  std::unique_ptr<Tree> tree_;
};

}  // namespace graze_oracle
