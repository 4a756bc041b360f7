#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a graph whose answers are known: cliques in a ring, each joined to the next by one edge in each direction.

Every vertex of a clique has an edge to every other one of it. Vertex `clique * size` is the door: the doors of
neighbouring cliques are joined. So a search from vertex 0 reaches clique k's door after min(k, cliques - k) steps, and
the rest of it one step later.
"""

import argparse


def edges(cliques, size):
    for clique in range(cliques):
        first = clique * size
        for a in range(first, first + size):
            for b in range(first, first + size):
                if a != b:
                    yield a, b
        after = (clique + 1) % cliques * size
        yield first, after
        yield after, first


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("output", help="edge list to write")
    parser.add_argument("--cliques", type=int, default=100)
    parser.add_argument("--size", type=int, default=8)
    arguments = parser.parse_args()
    if arguments.cliques < 3 or arguments.size < 1:
        parser.error("a ring needs 3 cliques of 1 vertex at least")

    pairs = sorted(edges(arguments.cliques, arguments.size))
    with open(arguments.output, "w", encoding="ascii") as out:
        out.write(f"# Directed graph: {arguments.cliques} cliques of {arguments.size} in a ring\n")
        out.write(f"# Nodes: {arguments.cliques * arguments.size} Edges: {len(pairs)}\n# FromNodeId\tToNodeId\n")
        out.writelines(f"{a}\t{b}\n" for a, b in pairs)


if __name__ == "__main__":
    main()
