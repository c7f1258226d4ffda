// What the viewer of a clearance page reads.
#pragma once

#include "clearance_job.h"
#include "graze/io/write_file.h"

namespace graze::app {

/// Writes it as script elements with ids "graze-data", "graze-path", "graze-model" and "graze-node-0", "graze-node-1",
/// ….
void write_viewer_data(FileWriter& file, const ClearanceArguments& arguments, const MovingModel& model,
                       const Route& route, const ClearanceOutcome& outcome, const PageParts& parts);

}  // namespace graze::app
