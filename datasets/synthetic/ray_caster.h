// Images and exact truth of a scene, by casting rays.
#pragma once

#include "datasets/synthetic/scene.h"
#include "parallax/image.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/frame.h"

namespace parallax::synthetic {

enum class Camera { kLeft, kRight };

// A camera's view. samples x samples rays, spread evenly over a pixel's area, find the surfaces in it.
HostImage<Color> RenderView(const Scene& scene, Camera camera, int width, int height, int samples,
                            ThreadPool& pool);

// Truth of the left image, from the rays through the pixel centres: disparity f b / Z - doffs (sky: NaN),
// computed in double; nonoccluded where nothing is between the surface and the right camera and the place is
// between the centres of two pixels of the right image; object ids.
GroundTruth RenderTruth(const Scene& scene, int width, int height, ThreadPool& pool);

}  // namespace parallax::synthetic
