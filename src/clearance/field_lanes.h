// The SIMD loops of the field.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clearance/field.h"

namespace graze::clearance {

/// out[i] = min(out[i], in[i] + cost)
void lower_by(std::int16_t* out, const std::int16_t* in, std::int16_t cost, std::size_t count);
/// out[i] = min(a[i], b[i])
void min_of(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b, std::size_t count);

void lane_bounds(const Field::View& field, const LeafMotion& motion, const LeafPoints& points, std::uint32_t active,
                 float* bounds);

}  // namespace graze::clearance
