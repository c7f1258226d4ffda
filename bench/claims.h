// Performance claims: graze beside a peer, with the answers compared, as a table for people and JSON for programs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graze::bench {

/// One measured comparison.
struct Claim {
  std::string id;         ///< what was measured, such as "shapes/boolean"; unique in the file
  double ours;            ///< graze's figure in `unit`
  std::string peer_name;  ///< what graze is compared with
  double peer;            ///< the peer's figure in `unit`
  std::string unit = "ns";
  double goal = 1;    ///< the ratio to reach
  bool agree = true;  ///< both gave the same answers; a claim that does not agree fails the run
  bool rate = false;  ///< more is better (queries per second), otherwise less is better (times, bytes)

  /// How many times better graze is: > 1 is in its favour.
  double ratio() const { return rate ? ours / peer : peer / ours; }
};

/// Collects the claims of one benchmark program.
///
///     int main(int argc, char** argv) {
///       Claims claims(argc, argv);
///       claims.add({.id = "shapes/boolean", .ours = 120, .peer_name = "FCL", .peer = 418, .goal = 2, .agree = same});
///       return claims.finish();
///     }
///
/// The program then understands `--json PATH`; it exits with 0, or 1 if any claim disagrees, or 2 on wrong usage.
class Claims {
 public:
  Claims(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      if (std::string_view(argv[i]) == "--json" && i + 1 < argc) {
        json_path_ = argv[++i];
      } else {
        fmt::print(stderr, "usage: {} [--json PATH]\n", argv[0]);
        std::exit(2);
      }
    }
  }

  void add(Claim claim) { claims_.push_back(std::move(claim)); }

  /// Notes a comparison that could not be made, such as a peer that is not installed. It is shown, but is not a claim.
  void missing(std::string id, std::string reason) { missing_.emplace_back(std::move(id), std::move(reason)); }

  const std::vector<Claim>& all() const { return claims_; }

  std::string table() const {
    std::vector<std::vector<std::string>> rows{{"claim", "graze", "peer", "", "unit", "ratio", "goal", "answers"}};
    for (const Claim& c : claims_) {
      rows.push_back({c.id, figure(c.ours), figure(c.peer), c.peer_name, c.unit, fmt::format("{:.2f}x", c.ratio()),
                      fmt::format("{:.2f}x{}", c.goal, c.ratio() >= c.goal ? "" : " missed"),
                      c.agree ? "agree" : "DIFFER"});
    }
    std::vector<std::size_t> width(rows.front().size(), 0);
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool number = i == 1 || i == 2 || i == 5;
        line += number ? fmt::format("{:>{}}  ", row[i], width[i]) : fmt::format("{:<{}}  ", row[i], width[i]);
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    for (const auto& [id, reason] : missing_) text += fmt::format("{}: not compared, {}\n", id, reason);
    return text;
  }

  std::string json() const {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Claim& c : claims_) {
      list.push_back({{"id", c.id},
                      {"ours", c.ours},
                      {"peer_name", c.peer_name},
                      {"peer", c.peer},
                      {"unit", c.unit},
                      {"ratio", c.ratio()},
                      {"goal", c.goal},
                      {"agree", c.agree}});
    }
    return nlohmann::ordered_json{{"claims", list}}.dump(2) + '\n';
  }

  /// Prints the table, writes the JSON to a temporary file and renames it, and returns the exit code of the program.
  int finish() const {
    fmt::print("{}", table());
    std::fflush(stdout);
    if (!json_path_.empty()) {
      const std::string part = json_path_ + ".part";
      std::ofstream file(part, std::ios::binary);
      file << json();
      file.close();
      std::error_code failed;
      if (file) std::filesystem::rename(part, json_path_, failed);
      if (!file || failed) {
        fmt::print(stderr, "cannot write {}\n", json_path_);
        return 1;
      }
    }
    return std::all_of(claims_.begin(), claims_.end(), [](const Claim& c) { return c.agree; }) ? 0 : 1;
  }

 private:
  /// Four significant digits without an exponent where that is readable.
  static std::string figure(double x) {
    if (!std::isfinite(x) || (x != 0 && std::abs(x) < 1e-3)) return fmt::format("{:.3g}", x);
    const int digits = x == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(x)))) + 1;
    return fmt::format("{:.{}f}", x, std::clamp(4 - digits, 0, 3));
  }

  std::vector<Claim> claims_;
  std::vector<std::pair<std::string, std::string>> missing_;
  std::string json_path_;
};

}  // namespace graze::bench
