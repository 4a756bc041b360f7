// SPDX-License-Identifier: Apache-2.0
#include "os/descriptor_channel.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace umrt::os {
namespace {

struct Message {  // one byte, and room for one descriptor
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  Message() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
};

}  // namespace

Result<DescriptorChannel> DescriptorChannel::make() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    const int error = errno;
    return failure(UMRT_ERROR_SYSTEM, fmt::format("socketpair: {}", std::strerror(error)), error);
  }
  DescriptorChannel channel;
  channel.sender_ = FileDescriptor{ends[0]};
  channel.receiver_ = FileDescriptor{ends[1]};
  return channel;
}

int DescriptorChannel::send(int descriptor) const noexcept {
  Message message;
  cmsghdr* rights = CMSG_FIRSTHDR(&message.header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  return ::sendmsg(sender_.get(), &message.header, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : errno;
}

FileDescriptor DescriptorChannel::receive(int receiver) noexcept {
  Message message;
  if (::recvmsg(receiver, &message.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) return {};
  const cmsghdr* rights = CMSG_FIRSTHDR(&message.header);
  if (rights == nullptr || rights->cmsg_type != SCM_RIGHTS) return {};
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(rights), sizeof descriptor);
  return FileDescriptor{descriptor};
}

}  // namespace umrt::os
