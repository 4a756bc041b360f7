// SPDX-License-Identifier: Apache-2.0
#include "demo_job.h"

#include <algorithm>
#include <cstring>

#include "kernels/graph/chunks.h"

namespace umrt::tool {
namespace {

using graph::chunk_count;
using graph::words_per_chunk;

constexpr std::uint64_t chunks_per_piece = 4;           // of a launch: some 65,000 edges
constexpr std::uint64_t bytes_per_load_step = 8 << 20;  // between two reports of progress

std::uint64_t whole_pages(std::uint64_t bytes) {  // as UMRT_PAGE_CLASS_AUTO chooses
  std::uint64_t page = UMRT_PAGE_CLASS_4K;
  if (bytes >= UMRT_PAGE_CLASS_64K) page = UMRT_PAGE_CLASS_64K;
  if (bytes >= UMRT_PAGE_CLASS_2M) page = UMRT_PAGE_CLASS_2M;
  return (bytes + page - 1) / page * page;
}

template <class Arguments>
void launch(const stream& in, umrt_kernel kernel, const Arguments& arguments, std::uint64_t items) {
  check(umrt_launch(in.handle(), kernel, &arguments, sizeof arguments, items, chunks_per_piece));
}

// Parts begin where pages of the arrays by vertex do (4 bytes a vertex at least), so that no two devices write one
// page.
constexpr std::uint64_t chunks_per_huge_page = UMRT_PAGE_CLASS_2M / (4 * graph::vertices_per_chunk);
constexpr std::uint64_t chunks_per_64k_page = UMRT_PAGE_CLASS_64K / (4 * graph::vertices_per_chunk);

bool has_small_parts(std::uint64_t chunks, std::uint32_t devices) {
  return devices > 1 && chunks < chunks_per_huge_page * devices;
}

std::uint64_t chunks_per_part_unit(std::uint64_t chunks, std::uint32_t devices) {
  if (devices == 1) return 1;
  if (!has_small_parts(chunks, devices)) return chunks_per_huge_page;
  return chunks >= chunks_per_64k_page * devices ? chunks_per_64k_page : 1;
}

hints by_vertex(const char* name, std::uint64_t chunks, std::uint32_t devices) {
  hints result = hints{}.name(name).sequential();
  const bool is_split_in_64k = has_small_parts(chunks, devices) && chunks >= chunks_per_64k_page * devices;
  return is_split_in_64k ? result.page_class(UMRT_PAGE_CLASS_64K) : result;
}

class Loader {  // copies arrays in steps, and tells how far it is, until it is told to stop
 public:
  explicit Loader(const std::function<bool(std::uint64_t)>& loaded) : loaded_{loaded} {}

  template <class T>
  void load(buffer<T>& target, const std::vector<T>& source) {
    const std::uint64_t bytes = source.size() * sizeof(T);
    for (std::uint64_t at = 0; at < bytes && goes_on_; at += bytes_per_load_step) {
      const std::uint64_t step = std::min(bytes_per_load_step, bytes - at);
      std::memcpy(reinterpret_cast<std::byte*>(target.data()) + at,
                  reinterpret_cast<const std::byte*>(source.data()) + at, step);
      done_ += step;
      goes_on_ = loaded_(done_);
    }
  }

 private:
  const std::function<bool(std::uint64_t)>& loaded_;
  std::uint64_t done_ = 0;
  bool goes_on_ = true;
};

}  // namespace

std::uint64_t job_footprint_bytes(std::uint64_t vertices, std::uint64_t edges, std::uint32_t devices) {
  const std::uint64_t chunks = chunk_count(vertices);
  const std::uint64_t shared = whole_pages((vertices + 1) * 8) + whole_pages(edges * 4) +
                               2 * whole_pages(vertices * 4) + 2 * whole_pages(vertices * 8);
  const std::uint64_t own = whole_pages(vertices * 8) + whole_pages(sizeof(double)) + 3 * whole_pages(chunks * 8) +
                            2 * whole_pages(chunks * words_per_chunk * 8);
  return shared + devices * own;
}

DemoJob::Part::Part(std::uint32_t device, std::uint64_t vertices, std::uint64_t first, std::uint64_t count)
    : first_chunk{first},
      chunks{count},
      stream{device},
      contribution{vertices, hints{}.name("contribution").random()},
      dangling{1, hints{}.name("dangling")},
      dangling_by_chunk{chunk_count(vertices), hints{}.name("dangling_by_chunk").sequential()},
      change_by_chunk{chunk_count(vertices), hints{}.name("change_by_chunk").sequential()},
      frontier{chunk_count(vertices) * words_per_chunk, hints{}.name("frontier").random()},
      next_frontier{chunk_count(vertices) * words_per_chunk, hints{}.name("next_frontier").random()},
      found_by_chunk{chunk_count(vertices), hints{}.name("found_by_chunk").sequential()} {}

DemoJob::DemoJob(const graph::CsrGraph& graph, std::uint32_t devices, const std::function<bool(std::uint64_t)>& loaded)
    : vertices_{graph.vertex_count()},
      chunks_{chunk_count(vertices_)},
      offsets_{vertices_ + 1, by_vertex("offsets", chunks_, devices)},
      edges_{graph.edge_count(), hints{}.name("edges").sequential()},
      out_degrees_{vertices_, by_vertex("out_degrees", chunks_, devices)},
      rank_{vertices_, by_vertex("rank", chunks_, devices)},
      next_rank_{vertices_, by_vertex("next_rank", chunks_, devices)},
      levels_{vertices_, by_vertex("levels", chunks_, devices)} {
  const std::uint64_t unit = chunks_per_part_unit(chunks_, devices);
  const auto border = [&](std::uint64_t device) {
    return device == devices ? chunks_ : chunks_ / unit * device / devices * unit;
  };
  for (std::uint32_t device = 0; device < devices; ++device) {
    parts_.emplace_back(device, vertices_, border(device), border(device + 1) - border(device));
  }
  Loader loader(loaded);
  loader.load(offsets_, graph.offsets);
  loader.load(edges_, graph.sources);
  loader.load(out_degrees_, graph.out_degrees);
  std::fill(rank_.begin(), rank_.end(), 1.0 / static_cast<double>(vertices_));
}

void DemoJob::share_written() {
  if (parts_.size() == 1) return;
  for (const Part& part : parts_) part.written.record(part.stream);
  for (const Part& part : parts_) {
    for (const Part& peer : parts_) {
      if (&peer == &part) continue;
      part.stream.wait(peer.written);
    }
  }
}

graph::PagerankArguments DemoJob::pagerank_arguments(Part& part) {
  return {.offsets = offsets_.data(),
          .sources = edges_.data(),
          .out_degrees = out_degrees_.data(),
          .rank = rank_.data(),
          .next_rank = next_rank_.data(),
          .contribution = part.contribution.data(),
          .dangling_by_chunk = part.dangling_by_chunk.data(),
          .change_by_chunk = part.change_by_chunk.data(),
          .dangling = part.dangling.data(),
          .vertex_count = vertices_,
          .first_chunk = part.first_chunk};
}

double DemoJob::iterate() {
  for (Part& part : parts_) launch(part.stream, graph::contribute, pagerank_arguments(part), part.chunks);
  share_written();
  for (Part& part : parts_) {
    for (Part& peer : parts_) {
      if (&peer == &part) continue;
      graph::PagerankArguments fetch = pagerank_arguments(part);
      fetch.peer_contribution = peer.contribution.data();
      fetch.peer_dangling_by_chunk = peer.dangling_by_chunk.data();
      fetch.first_chunk = peer.first_chunk;
      launch(part.stream, graph::fetch_contributions, fetch, peer.chunks);
    }
    launch(part.stream, graph::sum_dangling, pagerank_arguments(part), 1);
    launch(part.stream, graph::gather, pagerank_arguments(part), part.chunks);
  }
  synchronize();
  swap(rank_, next_rank_);
  double change = 0;
  for (const Part& part : parts_) {
    change += graph::sum_in_order(part.change_by_chunk.span().subspan(part.first_chunk, part.chunks));
  }
  return change;
}

graph::BreadthFirstArguments DemoJob::search_arguments(Part& part) {
  return {.offsets = offsets_.data(),
          .sources = edges_.data(),
          .levels = levels_.data(),
          .frontier = part.frontier.data(),
          .next_frontier = part.next_frontier.data(),
          .found_by_chunk = part.found_by_chunk.data(),
          .vertex_count = vertices_,
          .first_chunk = part.first_chunk,
          .level = level_};
}

void DemoJob::begin_search(graph::VertexId start) {
  std::fill(levels_.begin(), levels_.end(), graph::level_unreached);
  levels_[start] = 0;
  for (Part& part : parts_) {
    std::fill(part.frontier.begin(), part.frontier.end(), 0);
    part.frontier[start / 64] = std::uint64_t{1} << (start % 64);
  }
  level_ = 0;
}

std::uint64_t DemoJob::expand() {
  ++level_;
  for (Part& part : parts_) launch(part.stream, graph::expand_frontier, search_arguments(part), part.chunks);
  share_written();
  for (Part& part : parts_) {
    for (Part& peer : parts_) {
      if (&peer == &part) continue;
      graph::BreadthFirstArguments fetch = search_arguments(part);
      fetch.peer_frontier = peer.next_frontier.data();
      fetch.first_chunk = peer.first_chunk;
      launch(part.stream, graph::fetch_frontier, fetch, peer.chunks);
    }
  }
  synchronize();
  for (Part& part : parts_) swap(part.frontier, part.next_frontier);
  std::uint64_t found = 0;
  for (const Part& part : parts_) {
    found += graph::sum_in_order(part.found_by_chunk.span().subspan(part.first_chunk, part.chunks));
  }
  return found;
}

std::vector<double> DemoJob::ranks() const { return {rank_.begin(), rank_.end()}; }

std::vector<std::uint32_t> DemoJob::levels() const { return {levels_.begin(), levels_.end()}; }

}  // namespace umrt::tool
