// A device image is not a host image: the host must not follow its pointer.
// Fails with: could not convert|no viable conversion|cannot convert|no matching function
#include "parallax/image.h"

namespace parallax {

float FirstPixel(HostImageView<float> image) { return image(0, 0); }

#ifdef PARALLAX_MUST_FAIL
float Use(DeviceImageView<float> image) { return FirstPixel(image); }
#else
float Use(HostImageView<float> image) { return FirstPixel(image); }
#endif

}  // namespace parallax
