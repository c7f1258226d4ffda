// Geometries in the JSON of `graze ask`.
#pragma once

#include <string>
#include <vector>

namespace graze {

/// One of each kind, tilted and off the origin, flat ones included.
inline const std::vector<std::string>& ask_bodies() {
  static const std::vector<std::string> bodies = {
      R"({"shape":"sphere","radius":1,"pose":{"xyz":[0.1,0,0]}})",
      R"({"shape":"sphere","radius":0})",
      R"({"shape":"box","half":[1,0.5,0.25],"pose":{"rpy":[0.3,0.2,0.1]}})",
      R"({"shape":"box","half":[1,0.5,0],"pose":{"rpy":[0.3,0.2,0.1]}})",
      R"({"shape":"capsule","radius":0.25,"half_length":0.75,"local":{"xyz":[0,0,0.5]}})",
      R"({"shape":"capsule","radius":0,"half_length":0.75})",
      R"({"shape":"cylinder","radius":0.5,"half_length":1,"pose":{"rpy":[1,2,3]}})",
      R"({"shape":"cylinder","radius":0.5,"half_length":0})",
      R"({"shape":"cone","radius":0.5,"half_length":1})",
      R"({"shape":"cone","radius":0.5,"half_length":0})",
      R"({"shape":"ellipsoid","radii":[1,0.5,0.75]})",
      R"({"shape":"convex","points":[[-1,-1,0],[1,-1,0],[0,1,0],[0,0,1]]})",
      R"({"shape":"halfspace","normal":[0,1,2],"offset":0.5})",
      R"({"shape":"plane","normal":[0,1,2],"offset":0.5})",
      R"({"shape":"triangle","points":[[-1,-1,0],[1,-1,0],[0,0,1]]})",
      R"({"shape":"mesh","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"triangles":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]})",
      R"({"shape":"mesh","solid":true,"vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],
        "triangles":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]})",
      R"({"shape":"cloud","points":[[0,0,0],[1,0,0],[0,0.5,0.5]],"radius":0.3})",
      R"({"shape":"cloud","points":[]})",
  };
  return bodies;
}

}  // namespace graze
