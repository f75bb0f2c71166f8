#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Gives kept snapshots and records the words that a section of the format has got, so that they go on to be read.

    python3 tests/fuzz/widen.py SECTION BEFORE WORD... -- FILE...

inserts the words, numbers that may be written 0x3f800000, into each section of this name, BEFORE words before its
end; in snapshots inside of records too. Sums are made right by the fuzz targets, not here. What is cut off or has
sizes that are not true stays as it is.
"""

import struct
import sys

HEADER, NAME, BEFORE, AFTER = 32, 24, 32, 8
NESTED = (b"start", b"load")


def widened(data, section, before, words, depth=0):
    out, at = data[:HEADER], HEADER
    while len(data) - at >= BEFORE + AFTER:
        name = data[at : at + NAME].split(b"\0")[0]
        (n,) = struct.unpack_from("<I", data, at + NAME)
        end = at + BEFORE + 4 * n
        if end + AFTER > len(data):
            break
        body, rest = data[at + BEFORE : end], data[end : end + AFTER]
        if name in NESTED and depth == 0 and len(body) > 8:
            (size,) = struct.unpack_from("<I", body)
            if size <= len(body) - 8:
                inner = widened(body[8 : 8 + size], section, before, words, 1)
                body = struct.pack("<I", len(inner)) + body[4:8] + inner + body[8 + size :]
        elif name == section and n >= before:
            cut = len(body) - 4 * before
            body = body[:cut] + struct.pack("<%dI" % len(words), *words) + body[cut:]
        head = data[at : at + NAME] + struct.pack("<I", len(body) // 4) + data[at + NAME + 4 : at + BEFORE]
        out += head + body + rest
        at = end + AFTER
    return out + data[at:]


def main():
    if "--" not in sys.argv or sys.argv.index("--") < 4:
        sys.exit(__doc__.strip())
    split = sys.argv.index("--")
    section, before = sys.argv[1].encode(), int(sys.argv[2])
    words = [int(word, 0) for word in sys.argv[3:split]]
    changed = 0
    for path in sys.argv[split + 1 :]:
        with open(path, "rb") as f:
            data = f.read()
        new = widened(data, section, before, words)
        if new != data:
            changed += 1
            with open(path, "wb") as f:
                f.write(new)
    print("%d of %d files widened" % (changed, len(sys.argv) - split - 1))


if __name__ == "__main__":
    main()
