// The heap of a program that makes and frees the same buffers over and over.
#pragma once

namespace parallax::app {

// Keeps freed memory for the next allocation instead of giving it back to the system, up to 256 MB: the
// system would hand it out again page by page and zeroed, which for the images of a frame takes as long as
// reading one. Does nothing where the C library has no such setting. Safe to call again.
void KeepFreedMemory();

}  // namespace parallax::app
