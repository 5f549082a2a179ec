// Images are copied by Clone() only, never by accident.
// Fails with: use of deleted function|call to deleted|deleted constructor|implicitly deleted
#include "parallax/image.h"

namespace parallax {

#ifdef PARALLAX_MUST_FAIL
HostImage<float> Use(const HostImage<float>& image) { return image; }
#else
HostImage<float> Use(const HostImage<float>& image) { return image.Clone(); }
#endif

}  // namespace parallax
