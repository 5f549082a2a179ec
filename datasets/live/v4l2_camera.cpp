#include "datasets/live/v4l2_camera.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "datasets/formats/jpeg_reader.h"
#include "datasets/formats/packed_pixels.h"
#include "datasets/system/file_descriptor.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace {

constexpr std::uint32_t kNumBuffers = 4;

// Formats in order of preference at equal rates: uncompressed ones first.
constexpr std::array<std::uint32_t, 11> kFormats{V4L2_PIX_FMT_RGB24, V4L2_PIX_FMT_BGR24, V4L2_PIX_FMT_YUYV,
                                                 V4L2_PIX_FMT_UYVY,  V4L2_PIX_FMT_Y16,   V4L2_PIX_FMT_Y14,
                                                 V4L2_PIX_FMT_Y12,   V4L2_PIX_FMT_Y10,   V4L2_PIX_FMT_GREY,
                                                 V4L2_PIX_FMT_MJPEG, V4L2_PIX_FMT_JPEG};

// The number of data bits in a 16-bit word, which are its lowest; 0 if a format has no such words.
int BitsOfWords(std::uint32_t format) {
  switch (format) {
    case V4L2_PIX_FMT_Y10:
      return 10;
    case V4L2_PIX_FMT_Y12:
      return 12;
    case V4L2_PIX_FMT_Y14:
      return 14;
    case V4L2_PIX_FMT_Y16:
      return 16;
    default:
      return 0;
  }
}

std::string NameOfFormat(std::uint32_t format) {
  std::string name;
  for (int shift = 0; shift < 32; shift += 8) {
    const char c = static_cast<char>(format >> shift & 0x7F);
    if (c > ' ') name += c;
  }
  return name;
}

std::string SizeText(std::uint32_t width, std::uint32_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

int Ioctl(int file, unsigned long request, void* argument) {
  int result = 0;
  do {
    result = ioctl(file, request, argument);
  } while (result < 0 && errno == EINTR);
  return result;
}

int OpenDevice(const std::string& path) { return open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC); }

// What a device is and can do; nullopt if it is no camera that streams.
std::optional<v4l2_capability> CapturesOf(int file) {
  v4l2_capability can{};
  if (Ioctl(file, VIDIOC_QUERYCAP, &can) < 0) return std::nullopt;
  const std::uint32_t caps =
      (can.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? can.device_caps : can.capabilities;
  if ((caps & V4L2_CAP_VIDEO_CAPTURE) == 0 || (caps & V4L2_CAP_STREAMING) == 0) return std::nullopt;
  return can;
}

std::string Elsewhere() {
  const std::string others = ListV4l2Cameras();
  return others.empty() ? "no camera is connected (there is no /dev/video* that gives pictures)"
                        : "there are " + others;
}

// Values of so many bits, moved up until they fill 16, since matchers take the upper byte for the gray level.
void FillWords(int bits, HostImage<std::uint16_t>& image) {
  const int most = (1 << bits) - 1;
  for (int y = 0; y < image.height(); ++y) {
    std::uint16_t* row = image.Row(y);
    for (int x = 0; x < image.width(); ++x)
      row[x] = static_cast<std::uint16_t>(std::min<int>(row[x], most) << (16 - bits));
  }
}

class V4l2Camera final : public LiveDevice {
 public:
  V4l2Camera(const CameraChoice& choice, const std::string& label)
      : label_(label + " (" + choice.device + ")"), file_(OpenDevice(choice.device)) {
    if (file_.number() < 0) FailToOpen(choice.device);
    if (!CapturesOf(file_.number())) {
      throw Error(label_ +
                  ": is not a camera that gives pictures (some cameras have a second device for "
                  "metadata): " +
                  Elsewhere());
    }
    SetFormat(choice);
    if (choice.frames_per_s > 0) SetRate(choice.frames_per_s);
    MapBuffers();
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (Ioctl(file_.number(), VIDIOC_STREAMON, &type) < 0) Fail("cannot be started");
  }

  ~V4l2Camera() override {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    Ioctl(file_.number(), VIDIOC_STREAMOFF, &type);
    for (const auto& buffer : buffers_) munmap(buffer.data(), buffer.size());
  }
  V4l2Camera(const V4l2Camera&) = delete;
  V4l2Camera& operator=(const V4l2Camera&) = delete;

  std::size_t num_damaged() const override { return num_damaged_; }
  bool has_capture_times() const override { return has_capture_times_; }
  std::string advice() const override {
    if (num_looked_at_ < kLookedAt || brightest_ >= 1 << 14) return {};
    const int bits = brightest_ < 1 << 10 ? 10 : brightest_ < 1 << 12 ? 12 : 14;
    return " gives words of 16 bits, and none of its first " + std::to_string(kLookedAt) +
           " pictures has a value above " + std::to_string(brightest_) + ": if its data have " +
           std::to_string(bits) + " bits, use camera:N,bits=" + std::to_string(bits);
  }

  std::optional<LivePicture> Next(std::chrono::milliseconds longest) override {
    pollfd waited{file_.number(), POLLIN, 0};
    const int ready = poll(&waited, 1, static_cast<int>(longest.count()));
    if (ready <= 0) return std::nullopt;
    v4l2_buffer buffer{};
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = V4L2_MEMORY_MMAP;
    if (Ioctl(file_.number(), VIDIOC_DQBUF, &buffer) < 0) {
      if (errno == EAGAIN && (waited.revents & (POLLERR | POLLHUP)) == 0) return std::nullopt;
      Fail("gives no more pictures");
    }
    if (buffer.index >= buffers_.size()) throw Error(label_ + ": its driver named an invalid buffer");
    LivePicture picture;
    const auto& mapped = buffers_[buffer.index];
    const auto bytes = mapped.first(std::min<std::size_t>(buffer.bytesused, mapped.size()));
    bool is_whole = (buffer.flags & V4L2_BUF_FLAG_ERROR) == 0;
    if (format_.pixelformat == V4L2_PIX_FMT_MJPEG || format_.pixelformat == V4L2_PIX_FMT_JPEG) {
      picture.decode = [label = label_, copy = std::vector(bytes.begin(), bytes.end())] {
        return DecodedJpeg(label, copy);
      };
    } else {
      is_whole = is_whole && Unpack(bytes, picture.image);
    }
    has_capture_times_ = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    picture.time_s = has_capture_times_ ? static_cast<double>(buffer.timestamp.tv_sec) +
                                              static_cast<double>(buffer.timestamp.tv_usec) * 1e-6
                                        : MonotonicNow_s();
    if (Ioctl(file_.number(), VIDIOC_QBUF, &buffer) < 0) Fail("does not take back a buffer");
    if (!is_whole) {
      ++num_damaged_;
      return std::nullopt;
    }
    return picture;
  }

 private:
  // Throws with the system's reason and what helps against it.
  [[noreturn]] void Fail(const std::string& what) const {
    const int code = errno;
    std::string help;
    if (code == EBUSY) {
      help = "another program is using it: end that one (fuser -v /dev/video* names it)";
    } else if (code == ENOSPC) {
      help =
          "its USB bus cannot carry this mode: choose a smaller size, format=MJPG or a lower fps, or "
          "plug it into another port";
    } else if (code == ENODEV || code == EIO || code == ENXIO) {
      help = "is it still plugged in?";
    } else {
      help = "try it with v4l2-ctl --all (package v4l-utils)";
    }
    throw Error(label_ + ": " + what + " (" + std::strerror(code) + "): " + help);
  }

  [[noreturn]] void FailToOpen(const std::string& device) const {
    if (errno == ENOENT || errno == ENODEV || errno == ENXIO)
      throw Error(label_ + ": there is no " + device + ": " + Elsewhere());
    if (errno == EACCES || errno == EPERM) {
      throw Error(label_ +
                  ": access is denied: join the group that owns it, e.g. sudo usermod -aG video NAME, "
                  "and log in again");
    }
    Fail("cannot be opened");
  }

  static std::uint32_t FormatNamed(const std::string& name) {
    std::uint32_t format = 0;
    for (std::size_t i = 0; i < 4; ++i)
      format |= static_cast<std::uint32_t>(i < name.size() ? name[i] : ' ') << (8 * i);
    return format;
  }

  // Frames a second at that size, the most there are; 0 where the driver does not tell.
  double MostFrames(std::uint32_t format, std::uint32_t width, std::uint32_t height) const {
    double most = 0;
    v4l2_frmivalenum rate{};
    rate.pixel_format = format;
    rate.width = width;
    rate.height = height;
    for (; Ioctl(file_.number(), VIDIOC_ENUM_FRAMEINTERVALS, &rate) == 0; ++rate.index) {
      const v4l2_fract& shortest =
          rate.type == V4L2_FRMIVAL_TYPE_DISCRETE ? rate.discrete : rate.stepwise.min;
      if (shortest.numerator > 0)
        most = std::max(most, static_cast<double>(shortest.denominator) / shortest.numerator);
      if (rate.type != V4L2_FRMIVAL_TYPE_DISCRETE) break;
    }
    return most;
  }

  void SetFormat(const CameraChoice& choice) {
    v4l2_format now{};
    now.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (Ioctl(file_.number(), VIDIOC_G_FMT, &now) < 0) Fail("does not state its format");
    const std::uint32_t width =
        choice.width > 0 ? static_cast<std::uint32_t>(choice.width) : now.fmt.pix.width;
    const std::uint32_t height =
        choice.height > 0 ? static_cast<std::uint32_t>(choice.height) : now.fmt.pix.height;
    std::string offered;
    std::optional<v4l2_format> best;
    double best_rate = -1;
    std::size_t best_rank = kFormats.size();
    v4l2_fmtdesc entry{};
    entry.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    for (; Ioctl(file_.number(), VIDIOC_ENUM_FMT, &entry) == 0; ++entry.index) {
      v4l2_format format = now;
      format.fmt.pix.pixelformat = entry.pixelformat;
      format.fmt.pix.width = width;
      format.fmt.pix.height = height;
      format.fmt.pix.field = V4L2_FIELD_ANY;
      format.fmt.pix.bytesperline = format.fmt.pix.sizeimage = 0;
      const bool is_tried = Ioctl(file_.number(), VIDIOC_TRY_FMT, &format) == 0;
      offered += (offered.empty() ? "" : ", ") + NameOfFormat(entry.pixelformat);
      if (is_tried) offered += " " + SizeText(format.fmt.pix.width, format.fmt.pix.height);
      const auto rank = static_cast<std::size_t>(
          std::find(kFormats.begin(), kFormats.end(), entry.pixelformat) - kFormats.begin());
      const bool is_wanted =
          choice.pixel_format.empty() || entry.pixelformat == FormatNamed(choice.pixel_format);
      if (!is_tried || !is_wanted || rank == kFormats.size() || format.fmt.pix.width != width ||
          format.fmt.pix.height != height || format.fmt.pix.pixelformat != entry.pixelformat) {
        continue;
      }
      const double rate = MostFrames(entry.pixelformat, width, height);
      if (rate > best_rate || (rate == best_rate && rank < best_rank)) {
        best = format;
        best_rate = rate;
        best_rank = rank;
      }
    }
    if (!best) {
      throw Error(label_ + ": has no pictures of " + SizeText(width, height) +
                  (choice.pixel_format.empty() ? "" : " as " + choice.pixel_format) +
                  " in a supported format; the nearest are " + (offered.empty() ? "nothing" : offered) +
                  ": choose with camera:N,size=WxH,format=F, or read it through gst:v4l2src");
    }
    if (Ioctl(file_.number(), VIDIOC_S_FMT, &*best) < 0) Fail("takes no format");
    format_ = best->fmt.pix;
    if (format_.bytesperline == 0) format_.bytesperline = format_.width * BytesAPixel();
    bits_ = BitsOfWords(format_.pixelformat);
    if (choice.bits == 0) return;
    if (bits_ == 0) {
      throw Error(label_ + ": bits=" + std::to_string(choice.bits) +
                  " applies to 16-bit words, but it gives " + NameOfFormat(format_.pixelformat) +
                  ": leave bits out, or choose format=Y16");
    }
    bits_ = choice.bits;
    num_looked_at_ = -1;
  }

  void SetRate(double frames_per_s) const {
    v4l2_streamparm rate{};
    rate.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    rate.parm.capture.timeperframe = {1000, static_cast<std::uint32_t>(frames_per_s * 1000)};
    if (Ioctl(file_.number(), VIDIOC_S_PARM, &rate) < 0) Fail("takes no frame rate: leave out fps");
  }

  void MapBuffers() {
    v4l2_requestbuffers wanted{};
    wanted.count = kNumBuffers;
    wanted.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    wanted.memory = V4L2_MEMORY_MMAP;
    if (Ioctl(file_.number(), VIDIOC_REQBUFS, &wanted) < 0 || wanted.count == 0) Fail("gives no buffers");
    for (std::uint32_t i = 0; i < wanted.count; ++i) {
      v4l2_buffer buffer{};
      buffer.type = wanted.type;
      buffer.memory = wanted.memory;
      buffer.index = i;
      if (Ioctl(file_.number(), VIDIOC_QUERYBUF, &buffer) < 0) Fail("gives no buffer");
      void* at =
          mmap(nullptr, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), buffer.m.offset);
      if (at == MAP_FAILED) Fail("its buffers cannot be mapped");
      buffers_.emplace_back(static_cast<std::uint8_t*>(at), buffer.length);
      if (Ioctl(file_.number(), VIDIOC_QBUF, &buffer) < 0) Fail("takes no buffer");
    }
  }

  std::uint32_t BytesAPixel() const {
    switch (format_.pixelformat) {
      case V4L2_PIX_FMT_RGB24:
      case V4L2_PIX_FMT_BGR24:
        return 3;
      case V4L2_PIX_FMT_GREY:
        return 1;
      default:
        return 2;
    }
  }

  // Keeps the brightest value, which tells whether the pixels use all 16 bits of their words.
  void LookAt(const HostImage<std::uint16_t>& image) {
    if (bits_ < 16 || num_looked_at_ < 0 || num_looked_at_ >= kLookedAt) return;
    ++num_looked_at_;
    for (int y = 0; y < image.height(); ++y)
      brightest_ = std::max<int>(brightest_, *std::max_element(image.Row(y), image.Row(y) + image.width()));
  }

  static std::optional<CameraImage> DecodedJpeg(const std::string& label,
                                                const std::vector<std::uint8_t>& bytes) {
    try {
      return DecodeJpeg(label, bytes);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // Returns false if the bytes are not a whole picture.
  bool Unpack(std::span<const std::uint8_t> bytes, CameraImage& image) {
    const int width = static_cast<int>(format_.width), height = static_cast<int>(format_.height);
    const std::size_t stride = format_.bytesperline;
    const std::size_t row_bytes = (format_.width + format_.width % 2) * BytesAPixel();
    const std::size_t needed = stride * (std::size_t{format_.height} - 1) + row_bytes;
    if (format_.height == 0 || bytes.size() < needed) return false;
    if (bits_ > 0) {
      HostImage<std::uint16_t> words = GrayFrom<std::uint16_t>(bytes, width, height, stride);
      LookAt(words);
      if (bits_ < 16) FillWords(bits_, words);
      image = std::move(words);
      return true;
    }
    switch (format_.pixelformat) {
      case V4L2_PIX_FMT_GREY:
        image = GrayFrom<std::uint8_t>(bytes, width, height, stride);
        break;
      case V4L2_PIX_FMT_RGB24:
        image = RgbFrom(bytes, width, height, stride, 3, false);
        break;
      case V4L2_PIX_FMT_BGR24:
        image = RgbFrom(bytes, width, height, stride, 3, true);
        break;
      case V4L2_PIX_FMT_UYVY:
        image = RgbFromYuv(bytes, width, height, stride, false);
        break;
      default:
        image = RgbFromYuv(bytes, width, height, stride, true);
    }
    return true;
  }

  const std::string label_;
  FileDescriptor file_;
  v4l2_pix_format format_{};
  std::vector<std::span<std::uint8_t>> buffers_;
  std::size_t num_damaged_ = 0;
  bool has_capture_times_ = true;
  int bits_ = 0;           // of the data in words of 16; 0 = no such words
  int num_looked_at_ = 0;  // pictures; -1: the user knows how many bits they have
  int brightest_ = 0;      // of them
  static constexpr int kLookedAt = 10;
};

}  // namespace

std::unique_ptr<LiveDevice> OpenV4l2Camera(const CameraChoice& choice, const std::string& label) {
  return std::make_unique<V4l2Camera>(choice, label);
}

std::string ListV4l2Cameras() {
  std::string list;
  for (int i = 0; i < 64; ++i) {
    const std::string device = "/dev/video" + std::to_string(i);
    const FileDescriptor file(OpenDevice(device));
    if (file.number() < 0) continue;
    if (const auto camera = CapturesOf(file.number())) {
      const auto* name = reinterpret_cast<const char*>(camera->card);
      list += (list.empty() ? "" : ", ") + device + " (" +
              std::string(name, strnlen(name, sizeof(camera->card))) + ")";
    }
  }
  return list;
}

}  // namespace parallax
