// The heap of a program that makes and frees the same buffers over and over.
#pragma once

namespace parallax::app {

// Keeps freed memory for the next allocation instead of giving it back to the system, up to 256 MB: the
// system would hand it out again page by page and zeroed, which for the images of a frame takes as long as
// reading one. Does nothing where the C library has no such setting. Safe to call again.
void KeepFreedMemory();

// Gives the threads that are started from now on one shared heap; threads that have a heap keep it.
// Beside a window threads of many kinds make and free images and clouds whose sizes differ from frame to frame:
// of heaps of its own each would keep the most that it ever held, in pieces, and grow for thousands of frames.
// Does nothing where the C library has no such setting. Safe to call again.
void ShareOneHeap();

}  // namespace parallax::app
