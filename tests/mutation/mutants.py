# SPDX-License-Identifier: MIT
"""Mutants of a C source: one token changed at a time, as a slip of the pen would change it.

Signs, comparisons, the order of operands, negations, conditions and small constants, in plain C and
in the vocabulary of simd.h. Not in preprocessor lines, comments, strings and static assertions.
"""

import collections
import re

Mutant = collections.namedtuple("Mutant", "file line start end old new text nth")

_TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\s+)
    |(?P<number>0[xX][0-9a-fA-F.]+(?:[pP][+-]?\d+)?[fFuUlL]*|\d+\.?\d*(?:[eE][+-]?\d+)?[fFuUlL]*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<mark>->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|.)""",
    re.S | re.X,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)

# Functions that are taken for each other, by their names.
_TWINS = {}
for _a, _b in (
    ("v_add", "v_sub"),
    ("v_gt", "v_lt"),
    ("v_min", "v_max"),
    ("p_add", "p_sub"),
    ("fmax", "fmin"),
):
    _TWINS.setdefault(_a, _b)
    _TWINS.setdefault(_b, _a)

# As the scalar kernels understand it: at the border, too.
_BORDERS = {"v_gt": "!v_lt", "v_lt": "!v_gt"}

# Functions of one argument that are left out, and of two or three whose operands change places
# (those at these positions).
_DROPPED = ("v_neg", "v_abs", "fabs", "fabsf")
_SWAPPED = {"v_sub": (0, 1), "p_sub": (0, 1), "p_difference": (0, 1), "v_select": (1, 2), "minus": (0, 1)}
# Left out but for one argument: what masks.
_UNMASKED = {"v_keep": 1, "m_and": 0}

_MARKS = {
    "+": ["-"],
    "-": ["+"],
    "+=": ["-="],
    "-=": ["+="],
    "<": ["<=", ">"],
    ">": [">=", "<"],
    "<=": ["<", ">="],
    ">=": [">", "<="],
    "==": ["!="],
    "!=": ["=="],
    "&&": ["||"],
    "||": ["&&"],
}
_NUMBERS = {
    "0.0": "1.0",
    "0.0f": "1.0f",
    "0.5": "1.0",
    "0.5f": "1.0f",
    "1.0": "2.0",
    "1.0f": "2.0f",
    "2.0": "1.0",
    "2.0f": "1.0f",
    "3.0": "2.0",
    "3.0f": "2.0f",
    "4.0f": "2.0f",
    "6.0": "3.0",
    "6.0f": "3.0f",
}


def _tokens(text):
    """(kind, text, start) of all that is code."""
    blank = _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    for m in _TOKEN.finditer(blank):
        if m.lastgroup != "skip":
            yield m.lastgroup, m.group(), m.start()


def _arguments(text, at):
    """Ranges of the arguments of the call whose bracket is at `at`, and where it ends."""
    depth, start, found = 0, at + 1, []
    for i in range(at, len(text)):
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if (c == "," and depth == 1) or depth == 0:
            found.append((start, i))
            start = i + 1
        if depth == 0:
            return found, i + 1
    return [], at


def _changes(text):
    """(start, end, new) of all changes."""
    tokens = list(_tokens(text))
    for i, (kind, word, at) in enumerate(tokens):
        before = tokens[i - 1] if i else ("mark", ";", 0)
        after = tokens[i + 1] if i + 1 < len(tokens) else ("mark", ";", 0)
        is_operand = before[0] != "mark" or before[1] in (")", "]")
        if before[1] in ("return", "case", "sizeof"):
            is_operand = False
        # A cast is no operand: (double)-x.
        if before[1] == ")" and re.search(r"\((?:float|double|int|size_t|uint32_t)\)$", text[:at].rstrip()):
            is_operand = False
        if kind == "number" and word in _NUMBERS:
            yield at, at + len(word), _NUMBERS[word]
        elif kind == "mark" and word in _MARKS and is_operand:
            for new in _MARKS[word]:
                yield at, at + len(word), new
        elif kind == "mark" and word in ("-", "!") and not is_operand:
            yield at, at + len(word), ""
        elif kind == "word" and after[1] == "(" and before[0] != "word":
            ranges, end = _arguments(text, after[2])
            pieces = [text[a:b] for a, b in ranges]
            if word in _TWINS:
                yield at, at + len(word), _TWINS[word]
            if word in _BORDERS and len(pieces) == 2:
                a, b = (piece.strip() for piece in pieces)
                yield at, end, _BORDERS[word] + "(" + a + ", " + b + ")"
            if word in _DROPPED and len(pieces) == 1:
                yield at, end, "(" + pieces[0] + ")"
            if word in _UNMASKED and len(pieces) == 2:
                yield at, end, "(" + pieces[_UNMASKED[word]].strip() + ")"
            if word in _SWAPPED and len(pieces) > _SWAPPED[word][1]:
                a, b = _SWAPPED[word]
                pieces[a], pieces[b] = pieces[b].strip(), " " + pieces[a].strip()
                yield at, end, word + "(" + ",".join(pieces) + ")"


def of_source(file, text):
    """All mutants of a source, in its order. `nth` tells those of one line apart that look alike."""
    seen = collections.Counter()
    skipped = [m.span() for m in re.finditer(r"_Static_assert\(.*?\);|\benum \{.*?\}", text, re.S)]
    for start, end, new in _changes(text):
        if any(a <= start < b for a, b in skipped):
            continue
        line = text.count("\n", 0, start) + 1
        whole = text.split("\n")[line - 1].strip()
        old = text[start:end]
        key = (whole, old, new)
        yield Mutant(file, line, start, end, old, new, whole, seen[key])
        seen[key] += 1
