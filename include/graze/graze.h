// All of graze's public vocabulary.
#pragma once

#include "graze/base/aabb.h"
#include "graze/base/error.h"
#include "graze/base/interval.h"
#include "graze/base/motion.h"
#include "graze/base/parallel.h"
#include "graze/base/pose.h"
#include "graze/base/progress.h"
#include "graze/base/simd.h"
#include "graze/base/vec.h"
#include "graze/geometry/cloud.h"
#include "graze/geometry/geometry.h"
#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "graze/shape/shape.h"
