// Const is not lost on the way to a function.
// Fails with: could not convert|no viable conversion|cannot convert|no matching function
#include "parallax/image.h"

namespace parallax {

void Fill(HostImageView<float> image);

#ifdef PARALLAX_MUST_FAIL
void Use(HostImageView<const float> image) { Fill(image); }
#else
void Use(HostImageView<float> image) { Fill(image); }
#endif

}  // namespace parallax
