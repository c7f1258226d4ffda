#pragma once

#include "graze/shape/shape.h"
#include "shapes_scene.h"

namespace shapes_bench {

graze::Shape to_graze(const ShapeSpec& spec);

}  // namespace shapes_bench
