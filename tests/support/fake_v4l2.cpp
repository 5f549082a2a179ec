// Loaded before the C library (LD_PRELOAD): plays /dev/video0 and /dev/video1, two cameras whose clocks
// agree, 30 gray pictures a second of 128x48 px, the second one's by 4 px further left. Files in the folder
// PARALLAX_FAKE_CAMERAS change that: N.gone (unplugged), N.busy, N.denied, N.late (20 ms behind); N.format
// holds the one format that it has instead, in rows with 64 bytes more than they need: YUYV or UYVY with U =
// 90 and V = 170, Y16 with the level in both bytes, Y16 with four levels to one of ten bits where there is
// N.dim, Y10 so, RGB3 or BGR3 with (L, L / 2, 255 - L) for a gray level L, or MJPG, whose pictures are
// then the file N.jpg.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
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

constexpr std::uint32_t kWidth = 128, kHeight = 48, kBuffer_bytes = 32768, kPadding_bytes = 64, kBuffers = 4;
constexpr double kRate = 30;
constexpr int kMostFiles = 4096;

struct Camera {
  std::atomic<int> number{-1};  // of this file; -1 = none; orders what the file's earlier and later users do
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

std::vector<std::uint8_t> FileBytes(int number, const char* name) {
  std::vector<std::uint8_t> bytes;
  const char* folder = std::getenv("PARALLAX_FAKE_CAMERAS");
  if (folder == nullptr) return bytes;
  std::FILE* file = std::fopen((std::string(folder) + "/" + std::to_string(number) + name).c_str(), "rb");
  if (file == nullptr) return bytes;
  bytes.resize(kBuffer_bytes);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  return bytes;
}

// The one format of N.format, or 0.
std::uint32_t OnlyFormat(int number) {
  std::vector<std::uint8_t> name = FileBytes(number, ".format");
  if (name.empty()) return 0;
  name.resize(4, ' ');
  return v4l2_fourcc(name[0], name[1], name[2], name[3]);
}

std::uint32_t BytesAPixel(std::uint32_t format) {
  switch (format) {
    case V4L2_PIX_FMT_YUYV:
    case V4L2_PIX_FMT_UYVY:
    case V4L2_PIX_FMT_Y16:
    case V4L2_PIX_FMT_Y10:
      return 2;
    case V4L2_PIX_FMT_RGB24:
    case V4L2_PIX_FMT_BGR24:
      return 3;
    default:
      return 1;
  }
}

void SetFormat(int number, v4l2_pix_format& format) {
  const std::uint32_t only = OnlyFormat(number);
  std::uint32_t pixels = only;
  if (only == 0) pixels = format.pixelformat == V4L2_PIX_FMT_YUYV ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_GREY;
  format.pixelformat = pixels;
  format.width = kWidth;
  format.height = kHeight;
  format.bytesperline = kWidth * BytesAPixel(pixels) + (only != 0 ? kPadding_bytes : 0);
  if (pixels == V4L2_PIX_FMT_MJPEG) format.bytesperline = 0;
  format.sizeimage = kBuffer_bytes;
}

// The bytes of a gray level at a pixel.
void PutPixel(std::uint32_t format, std::uint32_t x, std::uint8_t level, std::uint8_t* to) {
  const auto half = static_cast<std::uint8_t>(level / 2), rest = static_cast<std::uint8_t>(255 - level);
  const std::uint8_t chroma = x % 2 == 0 ? 90 : 170;
  switch (format) {
    case V4L2_PIX_FMT_YUYV:
      to[0] = level, to[1] = chroma;
      break;
    case V4L2_PIX_FMT_UYVY:
      to[0] = chroma, to[1] = level;
      break;
    case V4L2_PIX_FMT_Y16:
      to[0] = to[1] = level;
      break;
    case V4L2_PIX_FMT_Y10:
      to[0] = static_cast<std::uint8_t>(4 * level), to[1] = level / 64;
      break;
    case V4L2_PIX_FMT_RGB24:
      to[0] = level, to[1] = half, to[2] = rest;
      break;
    case V4L2_PIX_FMT_BGR24:
      to[0] = rest, to[1] = half, to[2] = level;
      break;
    default:
      to[0] = level;
  }
}

// Valid until the thread's next call, which allocates nothing if the size is the same.
const std::vector<std::uint8_t>& Picture(int number) {
  thread_local std::vector<std::uint8_t> picture;
  const std::uint32_t only = OnlyFormat(number);
  if (only == V4L2_PIX_FMT_MJPEG) return picture = FileBytes(number, ".jpg");
  const bool is_dim = Is(number, ".dim");
  const std::uint32_t pixel_bytes = BytesAPixel(only);
  const std::uint32_t row_bytes = kWidth * pixel_bytes + (only != 0 ? kPadding_bytes : 0);
  picture.assign(row_bytes * kHeight, 77);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      PutPixel(is_dim ? V4L2_PIX_FMT_Y10 : only, x, Level(x + 4 * static_cast<std::uint32_t>(number), y),
               picture.data() + y * row_bytes + x * pixel_bytes);
    }
  }
  return picture;
}

int Dequeue(int file, Camera& camera, v4l2_buffer& buffer) {
  if (Is(camera.number, ".gone")) return Fail(ENODEV);
  if (buffer.type != V4L2_BUF_TYPE_VIDEO_CAPTURE || buffer.memory != V4L2_MEMORY_MMAP) return Fail(EINVAL);
  const double late_s = Is(camera.number, ".late") ? 0.020 : 0;
  const double taken_s = std::floor((Now_s() - late_s) * kRate) / kRate + late_s;
  if (taken_s <= camera.last_s + 1e-6 || camera.num_queued == 0) {
    usleep(1000);
    return Fail(EAGAIN);
  }
  camera.last_s = taken_s;
  buffer.index = camera.queued[0];
  std::memmove(camera.queued, camera.queued + 1, sizeof(std::uint32_t) * --camera.num_queued);
  const std::vector<std::uint8_t>& picture = Picture(camera.number);
  if (pwrite(file, picture.data(), picture.size(), buffer.index * kBuffer_bytes) < 0) return -1;
  buffer.bytesused = static_cast<std::uint32_t>(picture.size());
  buffer.flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  buffer.timestamp.tv_sec = static_cast<time_t>(taken_s);
  buffer.timestamp.tv_usec = static_cast<suseconds_t>((taken_s - std::floor(taken_s)) * 1e6);
  return 0;
}

int Answer(int file, Camera& camera, unsigned long request, void* argument) {
  switch (request) {
    case VIDIOC_QUERYCAP: {
      auto& can = *static_cast<v4l2_capability*>(argument);
      std::snprintf(reinterpret_cast<char*>(can.card), sizeof(can.card), "Fake %d", camera.number.load());
      can.capabilities = can.device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
      return 0;
    }
    case VIDIOC_ENUM_FMT: {
      auto& entry = *static_cast<v4l2_fmtdesc*>(argument);
      const std::uint32_t only = OnlyFormat(camera.number);
      if (entry.index > (only == 0 ? 1 : 0)) return Fail(EINVAL);
      entry.pixelformat = only != 0 ? only : entry.index == 0 ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_GREY;
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
      SetFormat(camera.number, static_cast<v4l2_format*>(argument)->fmt.pix);
      return 0;
    case VIDIOC_S_FMT:
      if (Is(camera.number, ".busy")) return Fail(EBUSY);
      [[fallthrough]];
    case VIDIOC_TRY_FMT:
      SetFormat(camera.number, static_cast<v4l2_format*>(argument)->fmt.pix);
      return 0;
    case VIDIOC_REQBUFS:
      static_cast<v4l2_requestbuffers*>(argument)->count = kBuffers;
      return 0;
    case VIDIOC_QUERYBUF: {
      auto& buffer = *static_cast<v4l2_buffer*>(argument);
      if (buffer.type != V4L2_BUF_TYPE_VIDEO_CAPTURE || buffer.memory != V4L2_MEMORY_MMAP)
        return Fail(EINVAL);
      buffer.length = kBuffer_bytes;
      buffer.m.offset = buffer.index * kBuffer_bytes;
      return 0;
    }
    case VIDIOC_QBUF:
      camera.queued[camera.num_queued++] = static_cast<v4l2_buffer*>(argument)->index;
      return 0;
    case VIDIOC_DQBUF:
      return Dequeue(file, camera, *static_cast<v4l2_buffer*>(argument));
    case VIDIOC_S_PARM: {  // accepts only the rates that it enumerates
      const v4l2_fract& interval = static_cast<v4l2_streamparm*>(argument)->parm.capture.timeperframe;
      const std::uint32_t rate = interval.denominator / interval.numerator;
      return rate == 10 || rate == 30 ? 0 : Fail(EINVAL);
    }
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
  Camera& camera = cameras[file];
  camera.number.exchange(-1);  // after what was done before it was closed
  camera.last_s = 0;
  camera.num_queued = 0;
  camera.number = number;
  return file;
}

extern "C" int close(int file) {
  static auto* real = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "close"));
  if (file >= 0 && file < kMostFiles && cameras[file].number >= 0) cameras[file].number = -1;
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
