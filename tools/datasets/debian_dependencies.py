#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a graph of a Debian or Ubuntu release's package dependencies: an edge from each package to each that it needs.

Reads the package records that apt holds (or a Packages file, or /var/lib/dpkg/status) and writes a SNAP-style edge
list and, if asked to, the same graph as a Matrix Market file. The same records give the same files.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

# A first alternative without version, architecture or profile: "libc6:any (>= 2.34) | libc6-udeb" is libc6.
NAME = re.compile(r"\s*([a-z0-9][a-z0-9+.-]*)")


def records(text):
    """Package name to the names that its Depends and Pre-Depends ask for first."""
    needs = {}
    for record in text.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Depends|Pre-Depends): (.*(?:\n .*)*)", record, re.MULTILINE))
        if "Package" not in fields:
            continue
        wanted = needs.setdefault(fields["Package"], set())
        for field in ("Pre-Depends", "Depends"):
            for clause in fields.get(field, "").split(","):
                match = NAME.match(clause)
                if match:
                    wanted.add(match.group(1))
    return needs


def edges_of(needs):
    return sorted((package, need) for package, wanted in needs.items() for need in wanted if need in needs and need != package)


def most_needed(edges, edges_max):
    """The edges among the most needed packages: as many packages as keep the edges within edges_max."""
    needed_by = collections.Counter(need for _, need in edges)
    needed_by.update({package: 0 for package, _ in edges})
    order = {name: place for place, (name, _) in enumerate(sorted(needed_by.items(), key=lambda n: (-n[1], n[0])))}
    # An edge is in as soon as the later of its two ends is.
    last_places = sorted(max(order[a], order[b]) for a, b in edges)
    if len(edges) <= edges_max:
        return edges
    limit = last_places[edges_max]  # the first place whose edges no longer all fit
    return [(a, b) for a, b in edges if max(order[a], order[b]) < limit]


def write_edge_list(path, origin, names, pairs):
    with open(path, "w", encoding="ascii") as out:
        out.write(f"# Directed graph: package dependencies of {origin}\n")
        out.write("# An edge leads from a package to one that it needs; ids are the packages in alphabetical order.\n")
        out.write(f"# Nodes: {len(names)} Edges: {len(pairs)}\n# FromNodeId\tToNodeId\n")
        out.writelines(f"{a}\t{b}\n" for a, b in pairs)


def write_matrix_market(path, origin, names, pairs):
    with open(path, "w", encoding="ascii") as out:
        out.write("%%MatrixMarket matrix coordinate pattern general\n")
        out.write(f"% package dependencies of {origin}: row needs column; numbered from 1 in alphabetical order\n")
        out.write(f"{len(names)} {len(names)} {len(pairs)}\n")
        out.writelines(f"{a + 1} {b + 1}\n" for a, b in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("output", help="edge list to write")
    parser.add_argument("--packages", metavar="FILE", help="read this Packages file instead of apt's own records")
    parser.add_argument("--origin", default="a Debian release", help="what the header calls the source")
    parser.add_argument("--edges-max", type=int, metavar="N", help="keep the most needed packages only, with N edges at most")
    parser.add_argument("--matrix-market", metavar="FILE", help="write the same graph in this form too")
    parser.add_argument("--names", metavar="FILE", help="write a line `id name` for each package")
    arguments = parser.parse_args()

    if arguments.packages:
        text = pathlib.Path(arguments.packages).read_text(encoding="utf-8")
    else:
        dump = subprocess.run(["apt-cache", "dumpavail"], stdout=subprocess.PIPE, check=True)
        text = dump.stdout.decode("utf-8")
    edges = edges_of(records(text))
    if arguments.edges_max is not None:
        edges = most_needed(edges, arguments.edges_max)
    if not edges:
        sys.exit("debian_dependencies: no dependency found; run `apt-get update` first, or give a file by --packages")

    names = sorted({name for edge in edges for name in edge})
    number = {name: i for i, name in enumerate(names)}
    pairs = [(number[a], number[b]) for a, b in edges]
    write_edge_list(arguments.output, arguments.origin, names, pairs)
    if arguments.matrix_market:
        write_matrix_market(arguments.matrix_market, arguments.origin, names, pairs)
    if arguments.names:
        pathlib.Path(arguments.names).write_text("".join(f"{i} {name}\n" for i, name in enumerate(names)), encoding="ascii")
    print(f"{len(names)} packages, {len(pairs)} dependencies", file=sys.stderr)


if __name__ == "__main__":
    main()
