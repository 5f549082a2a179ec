// A const image hands out views of const pixels only.
// Fails with: read-only|const-qualified|not assignable
#include "parallax/image.h"

namespace parallax {

#ifdef PARALLAX_MUST_FAIL
void Use(const HostImage<float>& image) { image.View()(0, 0) = 1; }
#else
void Use(HostImage<float>& image) { image.View()(0, 0) = 1; }
#endif

}  // namespace parallax
