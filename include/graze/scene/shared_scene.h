// Hands versions of a scene from one writer to any number of readers.
#pragma once

#include "graze/base/shared_version.h"
#include "graze/scene/scene.h"

namespace graze {

/// The version of a scene that readers are to see; see SharedVersion.
///
///     SharedScene shared;
///     // writer                                    // readers
///     editor.move("arm", pose);                    const Scene scene = shared.current();
///     shared.publish(editor.scene());              if (collide(scene, at(tool, pose))) …
using SharedScene = SharedVersion<Scene>;

}  // namespace graze
