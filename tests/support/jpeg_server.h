// A process that plays a camera in the network: side-by-side Motion-JPEG over TCP (multipart), 30 pictures a
// second.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace parallax::test {

class JpegServer {
 public:
  // pictures: JPEG files, sent over and over. Listens on a port that is free, of 127.0.0.1.
  explicit JpegServer(std::vector<std::string> pictures, double pictures_per_s = 30)
      : pictures_(std::move(pictures)), pictures_per_s_(pictures_per_s) {
    Start();
  }
  ~JpegServer() { Kill(); }
  JpegServer(const JpegServer&) = delete;
  JpegServer& operator=(const JpegServer&) = delete;

  int port() const { return port_; }

  void Kill() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  // On the same port as before.
  void Start() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    socklen_t size = sizeof(address);
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
        listen(listener, 4) != 0)
      throw std::runtime_error("no port to listen on");
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("fork failed");
    if (child_ == 0) {
      signal(SIGPIPE, SIG_IGN);
      while (true) Serve(accept(listener, nullptr, nullptr));
    }
    close(listener);
  }

 private:
  static bool Send(int to, const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t now = send(to, bytes.data() + sent, bytes.size() - sent, 0);
      if (now <= 0) return false;
      sent += static_cast<std::size_t>(now);
    }
    return true;
  }
  void Serve(int to) const {
    auto due = std::chrono::steady_clock::now();
    for (std::size_t i = 0;; ++i) {
      const std::string& picture = pictures_[i % pictures_.size()];
      if (!Send(to, "--next\r\nContent-Type: image/jpeg\r\nContent-Length: " +
                        std::to_string(picture.size()) + "\r\n\r\n" + picture + "\r\n"))
        break;
      due += std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(1 / pictures_per_s_));
      std::this_thread::sleep_until(due);
    }
    close(to);
  }

  const std::vector<std::string> pictures_;
  const double pictures_per_s_;
  int port_ = 0;
  pid_t child_ = -1;
};

}  // namespace parallax::test
