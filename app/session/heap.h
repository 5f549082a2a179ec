// The heap of a program that makes and frees the same buffers over and over.
#pragma once

namespace parallax::app {

// Keeps up to 256 MB of freed memory for the next allocations. The system would take it back and return it
// page by page and zeroed, which for the images of a frame takes as long as reading one. Does nothing where
// the C library has no such setting. Safe to call again.
void KeepFreedMemory();

// Lets the threads that start from now on share one heap; threads that have a heap keep it. With a window, many
// threads allocate images and clouds whose sizes differ from frame to frame. With a heap for each thread, every heap
// would keep its largest size, fragmented, and grow for thousands of frames. Does nothing where
// the C library has no such setting. Safe to call again.
void ShareOneHeap();

}  // namespace parallax::app
