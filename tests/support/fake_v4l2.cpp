// Loaded before the C library (LD_PRELOAD): plays /dev/video0 and /dev/video1, two cameras whose clocks
// agree, 30 gray pictures a second of 128x48 px, the second one's by 4 px further left. Files in the folder
// PARALLAX_FAKE_CAMERAS change that: N.gone (unplugged), N.busy, N.denied, N.late (20 ms behind).
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t kWidth = 128, kHeight = 48, kBuffer_bytes = 8192, kBuffers = 4;
constexpr double kRate = 30;
constexpr int kMostFiles = 4096;

struct Camera {
  int number = -1;  // of this file; -1 = none
  double last_s = 0;
  std::uint32_t queued[64] = {}, num_queued = 0;
};
Camera cameras[kMostFiles];

bool Is(int number, const char* state) {
  const char* folder = std::getenv("PARALLAX_FAKE_CAMERAS");
  return folder != nullptr &&
         access((std::string(folder) + "/" + std::to_string(number) + state).c_str(), F_OK) == 0;
}

int Fail(int code) {
  errno = code;
  return -1;
}

double Now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::uint8_t Level(std::uint32_t x, std::uint32_t y) {
  std::uint32_t hash = x * 2654435761U ^ y * 40503U;
  hash ^= hash >> 13;
  hash *= 1274126177U;
  return (hash >> 24) % 3 == 0 ? 220 : 30;
}

void SetFormat(v4l2_pix_format& format) {
  const std::uint32_t pixels =
      format.pixelformat == V4L2_PIX_FMT_YUYV ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_GREY;
  format.pixelformat = pixels;
  format.width = kWidth;
  format.height = kHeight;
  format.bytesperline = kWidth * (pixels == V4L2_PIX_FMT_YUYV ? 2 : 1);
  format.sizeimage = format.bytesperline * kHeight;
}

int Dequeue(int file, Camera& camera, v4l2_buffer& buffer) {
  if (Is(camera.number, ".gone")) return Fail(ENODEV);
  const double late_s = Is(camera.number, ".late") ? 0.020 : 0;
  const double taken_s = std::floor((Now_s() - late_s) * kRate) / kRate + late_s;
  if (taken_s <= camera.last_s + 1e-6 || camera.num_queued == 0) {
    usleep(1000);
    return Fail(EAGAIN);
  }
  camera.last_s = taken_s;
  buffer.index = camera.queued[0];
  std::memmove(camera.queued, camera.queued + 1, sizeof(std::uint32_t) * --camera.num_queued);
  std::vector<std::uint8_t> picture(kWidth * kHeight);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x)
      picture[y * kWidth + x] = Level(x + 4 * static_cast<std::uint32_t>(camera.number), y);
  }
  if (pwrite(file, picture.data(), picture.size(), buffer.index * kBuffer_bytes) < 0) return -1;
  buffer.bytesused = kWidth * kHeight;
  buffer.flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  buffer.timestamp.tv_sec = static_cast<time_t>(taken_s);
  buffer.timestamp.tv_usec = static_cast<suseconds_t>((taken_s - std::floor(taken_s)) * 1e6);
  return 0;
}

int Answer(int file, Camera& camera, unsigned long request, void* argument) {
  switch (request) {
    case VIDIOC_QUERYCAP: {
      auto& can = *static_cast<v4l2_capability*>(argument);
      std::snprintf(reinterpret_cast<char*>(can.card), sizeof(can.card), "Fake %d", camera.number);
      can.capabilities = can.device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
      return 0;
    }
    case VIDIOC_ENUM_FMT: {
      auto& entry = *static_cast<v4l2_fmtdesc*>(argument);
      if (entry.index > 1) return Fail(EINVAL);
      entry.pixelformat = entry.index == 0 ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_GREY;
      return 0;
    }
    case VIDIOC_ENUM_FRAMEINTERVALS: {
      auto& rate = *static_cast<v4l2_frmivalenum*>(argument);
      if (rate.index > 0) return Fail(EINVAL);
      rate.type = V4L2_FRMIVAL_TYPE_DISCRETE;
      rate.discrete = {1, rate.pixel_format == V4L2_PIX_FMT_GREY ? 30U : 10U};
      return 0;
    }
    case VIDIOC_G_FMT:
      static_cast<v4l2_format*>(argument)->fmt.pix.pixelformat = V4L2_PIX_FMT_YUYV;
      SetFormat(static_cast<v4l2_format*>(argument)->fmt.pix);
      return 0;
    case VIDIOC_S_FMT:
      if (Is(camera.number, ".busy")) return Fail(EBUSY);
      [[fallthrough]];
    case VIDIOC_TRY_FMT:
      SetFormat(static_cast<v4l2_format*>(argument)->fmt.pix);
      return 0;
    case VIDIOC_REQBUFS:
      static_cast<v4l2_requestbuffers*>(argument)->count = kBuffers;
      return 0;
    case VIDIOC_QUERYBUF: {
      auto& buffer = *static_cast<v4l2_buffer*>(argument);
      buffer.length = kBuffer_bytes;
      buffer.m.offset = buffer.index * kBuffer_bytes;
      return 0;
    }
    case VIDIOC_QBUF:
      camera.queued[camera.num_queued++] = static_cast<v4l2_buffer*>(argument)->index;
      return 0;
    case VIDIOC_DQBUF:
      return Dequeue(file, camera, *static_cast<v4l2_buffer*>(argument));
    case VIDIOC_S_PARM:
    case VIDIOC_STREAMON:
    case VIDIOC_STREAMOFF:
      return 0;
    default:
      return Fail(ENOTTY);
  }
}

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (std::strncmp(path, "/dev/video", 10) != 0) {
    static auto* real = reinterpret_cast<int (*)(const char*, int, ...)>(dlsym(RTLD_NEXT, "open"));
    return real(path, flags, mode);
  }
  const int number = std::atoi(path + 10);
  if (number > 1 || Is(number, ".gone")) return Fail(ENOENT);
  if (Is(number, ".denied")) return Fail(EACCES);
  const int file = memfd_create("camera", MFD_CLOEXEC);
  if (file < 0 || file >= kMostFiles || ftruncate(file, kBuffers * kBuffer_bytes) != 0) return Fail(EMFILE);
  cameras[file] = Camera{};
  cameras[file].number = number;
  return file;
}

extern "C" int close(int file) {
  static auto* real = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "close"));
  if (file >= 0 && file < kMostFiles) cameras[file].number = -1;
  return real(file);
}

extern "C" int ioctl(int file, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (file >= 0 && file < kMostFiles && cameras[file].number >= 0)
    return Answer(file, cameras[file], request, argument);
  static auto* real = reinterpret_cast<int (*)(int, unsigned long, ...)>(dlsym(RTLD_NEXT, "ioctl"));
  return real(file, request, argument);
}
