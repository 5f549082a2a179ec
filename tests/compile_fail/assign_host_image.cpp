// Assignment copies no image either.
// Fails with: use of deleted function|call to deleted|deleted constructor|implicitly deleted|overload
// resolution selected deleted|cannot be assigned
#include "parallax/image.h"

namespace parallax {

#ifdef PARALLAX_MUST_FAIL
void Use(HostImage<float>& to, const HostImage<float>& from) { to = from; }
#else
void Use(HostImage<float>& to, const HostImage<float>& from) { to = from.Clone(); }
#endif

}  // namespace parallax
