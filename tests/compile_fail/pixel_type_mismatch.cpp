// 16-bit pixels are not read as 8-bit ones.
// Fails with: could not convert|no viable conversion|cannot convert|no matching function
#include "parallax/image.h"

namespace parallax {

void Match(HostImageView<const unsigned char> image);

#ifdef PARALLAX_MUST_FAIL
void Use(const HostImage<unsigned short>& image) { Match(image.View()); }
#else
void Use(const HostImage<unsigned char>& image) { Match(image.View()); }
#endif

}  // namespace parallax
