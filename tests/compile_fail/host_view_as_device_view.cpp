// A host image is not a device image: a kernel must not get its pointer.
// Fails with: could not convert|no viable conversion|cannot convert|no matching function
#include "parallax/image.h"

namespace parallax {

void LaunchKernel(DeviceImageView<const float> image);

#ifdef PARALLAX_MUST_FAIL
void Use(HostImageView<float> image) { LaunchKernel(AsConst(image)); }
#else
void Use(DeviceImageView<float> image) { LaunchKernel(AsConst(image)); }
#endif

}  // namespace parallax
