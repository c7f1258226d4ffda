// One <geometry> of a COLLADA file as triangles.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/mesh_source.h"

namespace graze::io {

/// The place of an element in errors: "part.dae: <source id='p'>".
std::string dae_place(const std::string& file, const pugi::xml_node& element);

/// Whether a unit of length is written with a comma where the point belongs, as some writers do in German; then all
/// numbers of the file are. "1,000" could be a thousand: it is none.
bool dae_has_commas(std::string_view unit);

/// parse_number of a double, with either a point or a comma before its decimals.
const char* parse_dae_number(std::string_view word, bool commas, double& value);

/// The numbers in the text of an element. Throws Error naming the element, unless all of them are such and finite.
std::vector<double> dae_numbers(const std::string& file, const pugi::xml_node& element);

/// Exactly `count` of them.
std::vector<double> dae_numbers(const std::string& file, const pugi::xml_node& element, std::size_t count);

/// Appends the triangles and polygons of a <mesh>; counts its lines, notes what else it holds.
void read_dae_mesh(MeshReading& reading, const pugi::xml_node& mesh, TriangleList& to);

}  // namespace graze::io
