# SPDX-License-Identifier: MIT
# Doxygen's view of a page: a label by its name, pictures without a line of text below them, and in
# the list of constraints the pages as parts of it, so that they are below it in the tree of the site.
function label(file) {
  sub(/\.md$/, "", file)
  if (file ~ /README$/) sub(/\/?README$/, "", file)
  gsub(/.*\//, "", file)
  return "page_" file
}
FNR == 1 { print $0 " {#" label(FILENAME) "}"; next }
{ gsub(/!\[[^]]*\]/, "![]") }
FILENAME ~ /constraints\/README\.md$/ {
  # [title](page.md), but not [![picture](file)](page.md)
  if (match($0, /\[[^]![]+\]\([^)]*\.md\)/)) {
    link = substr($0, RSTART, RLENGTH)
    title = link
    sub(/\].*/, "", title)
    file = link
    sub(/.*\(/, "", file)
    sub(/\)$/, "", file)
    $0 = substr($0, 1, RSTART - 1) "@subpage " label(file) " \"" substr(title, 2) "\"" substr($0, RSTART + RLENGTH)
  }
}
{ print }
