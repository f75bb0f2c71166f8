# SPDX-License-Identifier: MIT
# Doxygen's view of a public header. The headers are written to be read as they are, in aligned rows;
# this turns them into Doxygen's commands:
#
#     /** Sentence.                            the same
#      *  name   out  words                    @param[out] name words
#      *  Returns     words                    @return words
#      *  Cost        words                    @par Cost
#     /* ---- title -- */                      a group of members; comments below it describe it
#     int x;  /* words */                      int x;  /**< words */
#     /* words */ above a member               /** words */
#     #include "xpbd/....def" in an enum       its rows, each with its last text

# Markdown would take these for its own.
function plain(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  gsub(/#/, "\\&#35;", text)
  gsub(/\|/, "\\&#124;", text)
  gsub(/\*/, "\\&#42;", text)
  # Not the end of the first sentence.
  gsub(/eq\. /, "eq.\\ ", text)
  gsub(/sec\. /, "sec.\\ ", text)
  return text
}
# A comment without its marks.
function bare(line) {
  sub(/^ *(\/\*+|\*+)? ?/, "", line)
  sub(/ *\*\/ *$/, "", line)
  return line
}
function close_group() {
  if (grouped) print "/** @} */"
  grouped = 0
}

# The rows of a table as enumerators.
function rows(file,   line, row, n, text) {
  while ((getline line <file) > 0) {
    if (index(line, macro) == 1) row = line
    else if (row != "") row = row line
    if (row == "" || line !~ /\)$/) continue
    sub(/^[A-Z_]*VARIABLE\([^,]*,[^,]*, */, "", row)
    sub(/^[A-Z_]*\(/, "", row)
    n = split(row, text, "\"")
    sub(/,.*/, "", row)
    print "    " prefix row ", /**< " plain(text[n - 1]) " */"
    row = ""
  }
  close(file)
}

# The file's own comment becomes its page, as it is.
NR == 1 && /^\/\*/ { print "/** @file"; head = 1; next }
head && /\*\// { print " * @endverbatim"; print " */"; head = 0; next }
head && /^ \*$/ && !begun { print " * @verbatim"; begun = 1; next }
head { print; next }

/^#define XPBD_[A-Z]+\(ID,.*##ID,$/ {
  macro = $2
  sub(/\(.*/, "", macro)
  prefix = $NF
  sub(/##.*/, "", prefix)
  next
}
/^#include "xpbd\/[a-z]+\.def"$/ && macro != "" { rows("include/" substr($2, 2, length($2) - 2)); next }
/^#undef XPBD_/ { macro = ""; next }

/^\/\* -+ .* -+ \*\/$/ {
  close_group()
  gsub(/^\/\* -+ | -+ \*\/$/, "")
  printf "/** @name %s\n", toupper(substr($0, 1, 1)) substr($0, 2)
  grouped = titled = 1
  next
}
titled && /^\/\* / { words = 1 }
words {
  print " * " plain(bare($0))
  if (/\*\//) words = 0
  next
}
titled && /^$/ { next }
titled { print " */"; print "/** @{ */"; titled = 0 }
/^#ifdef __cplusplus$/ { close_group() }

/^ *\/\*\*? / { doc = 1; if (/^\/\* /) doc = 0 }
doc {
  line = $0
  closing = line ~ /\*\/ *$/
  if (line ~ /^ \*  [A-Za-z_]+ +(in|out|in, out) +/) {
    text = bare(line)
    sub(/^ +/, "", text)
    name = text
    sub(/ .*/, "", name)
    sub(/^[A-Za-z_]+ +/, "", text)
    how = text ~ /^in, out/ ? "in,out" : text ~ /^in/ ? "in" : "out"
    sub(/^(in, out|in|out) +/, "", text)
    line = " * @param[" how "] " name " " plain(text)
  } else if (line ~ /^ \*  Returns +/) {
    sub(/^ \*  Returns +/, "", line)
    line = " * @return " plain(bare(line))
  } else if (line ~ /^ \*  (Memory|Threads|Cost|Source) +/) {
    name = line
    sub(/^ \*  /, "", name)
    sub(/ .*/, "", name)
    sub(/^ \*  [A-Za-z]+ +/, "", line)
    line = " * @par " name "\n * " plain(bare(line))
  } else if (line ~ /^ *\/\*/) {
    line = "/** " plain(bare(line))
  } else {
    line = bare(line)
    sub(/^ +/, "", line)
    line = " * " plain(line)
  }
  print line (closing ? " */" : "")
  doc = !closing
  next
}

# Beside a member.
/^ +[^ \/#].*\/\*/ {
  at = index($0, "/*")
  print substr($0, 1, at - 1) "/**< " plain(bare(substr($0, at))) (/\*\/ *$/ ? " */" : "")
  beside = !/\*\/ *$/
  next
}
beside {
  print plain(bare($0)) (/\*\/ *$/ ? " */" : "")
  beside = !/\*\/ *$/
  next
}
{ print }
