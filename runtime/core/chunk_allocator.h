// temporary stand-in
#pragma once
#include <optional>
#include <vector>

#include "base/units.h"
namespace umrt {
class ChunkAllocator {
 public:
  explicit ChunkAllocator(Bytes span) : span_{span} {}
  std::optional<Address> allocate(PageClass c) {
    auto& list = free_[c == PageClass::page_4k ? 0 : 1];
    if (list.empty()) {
      if (next_ + 65536 > span_.n) return std::nullopt;
      if (c == PageClass::page_64k) {
        list.push_back(Address{next_});
        next_ += 65536;
      } else
        for (int i = 0; i < 16; ++i, next_ += 4096) list.push_back(Address{next_});
    }
    Address a = list.back();
    list.pop_back();
    return a;
  }
  void free(Address a, PageClass c) { free_[c == PageClass::page_4k ? 0 : 1].push_back(a); }

 private:
  Bytes span_;
  std::uint64_t next_ = 0;
  std::vector<Address> free_[2];
};
}  // namespace umrt
