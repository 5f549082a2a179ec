// A view of const pixels is read only.
// Fails with: read-only|const-qualified|not assignable
#include "parallax/image.h"

namespace parallax {

#ifdef PARALLAX_MUST_FAIL
void Use(HostImageView<const float> image) { image(0, 0) = 1; }
#else
void Use(HostImageView<float> image) { image(0, 0) = 1; }
#endif

}  // namespace parallax
