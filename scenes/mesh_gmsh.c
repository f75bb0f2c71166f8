/* SPDX-License-Identifier: MIT
 *
 * Gmsh .msh, ASCII, formats 2.2 and 4.1: sections, nodes and their tags. Sections that hold no
 * mesh are skipped; binary files and other versions are refused by name.
 */
#include "scenes/mesh_gmsh.h"

#include <stdlib.h>
#include <string.h>

bool xpbd_gmsh_row(xpbd_gmsh *gmsh, uint64_t row, uint64_t count)
{
    xpbd_mesh_text *text = &gmsh->text;
    if (!xpbd_mesh_text_start(text))
        return xpbd_mesh_text_fail(text, "the file ends after %llu of %llu rows",
                                   (unsigned long long)row, (unsigned long long)count);
    if (*text->at == '$')
        return xpbd_mesh_text_fail(text, "the section ends after %llu of %llu rows",
                                   (unsigned long long)row, (unsigned long long)count);
    return true;
}

bool xpbd_gmsh_four(xpbd_gmsh *gmsh, unsigned counts, uint64_t out[4])
{
    xpbd_mesh_text *text = &gmsh->text;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t count = 0;
        if (counts >> k & 1) {
            if (!xpbd_mesh_text_count(text, "a count", &count))
                return false;
            out[k] = count;
        } else if (!xpbd_mesh_text_pass(text, "a tag")) {
            return false; /* may be negative: nothing depends on it */
        }
    }
    return xpbd_mesh_text_done(text);
}

static bool add_tag(xpbd_gmsh *gmsh, uint32_t index)
{
    xpbd_mesh_text *text = &gmsh->text;
    uint64_t tag = 0;
    if (!xpbd_mesh_text_whole(text, "node tag", &tag))
        return false;
    if (!xpbd_mesh_reserve(&gmsh->tags, (size_t)index + 1, sizeof(xpbd_gmsh_tag)))
        return xpbd_mesh_text_fail(text, "out of memory");
    xpbd_gmsh_tag *tags = gmsh->tags.data;
    tags[index] = (xpbd_gmsh_tag){tag, index, text->line};
    return true;
}

static bool read_position(xpbd_gmsh *gmsh)
{
    xpbd_mesh_text *text = &gmsh->text;
    float position[3];
    return xpbd_mesh_text_float(text, "coordinate x", &position[0]) &&
           xpbd_mesh_text_float(text, "coordinate y", &position[1]) &&
           xpbd_mesh_text_float(text, "coordinate z", &position[2]) &&
           xpbd_mesh_add_point(gmsh->builder, text, position);
}

static bool read_nodes_2(xpbd_gmsh *gmsh)
{
    uint32_t count = 0;
    if (!xpbd_gmsh_row(gmsh, 0, 1) ||
        !xpbd_mesh_text_count(&gmsh->text, "the number of nodes", &count) ||
        !xpbd_mesh_text_done(&gmsh->text))
        return false;
    for (uint32_t row = 0; row < count; row++) {
        if (!xpbd_gmsh_row(gmsh, row, count) || !add_tag(gmsh, row) || !read_position(gmsh) ||
            !xpbd_mesh_text_done(&gmsh->text))
            return false;
    }
    return true;
}

/* Tags come first, then the positions; behind these there may be up to three parameters. */
static bool read_node_block(xpbd_gmsh *gmsh, uint32_t first, uint32_t count)
{
    xpbd_mesh_text *text = &gmsh->text;
    for (uint32_t row = 0; row < count; row++) {
        if (!xpbd_gmsh_row(gmsh, row, count) || !add_tag(gmsh, first + row) ||
            !xpbd_mesh_text_done(text))
            return false;
    }
    for (uint32_t row = 0; row < count; row++) {
        if (!xpbd_gmsh_row(gmsh, row, count) || !read_position(gmsh))
            return false;
        xpbd_mesh_text_skip(text);
    }
    return true;
}

static bool read_nodes_4(xpbd_gmsh *gmsh)
{
    uint64_t head[4] = {0};
    if (!xpbd_gmsh_row(gmsh, 0, 1) || !xpbd_gmsh_four(gmsh, 3, head))
        return false;
    for (uint64_t block = 0; block < head[0]; block++) {
        uint64_t count[4] = {0};
        uint32_t first = gmsh->builder->mesh->n_points;
        if (!xpbd_gmsh_row(gmsh, block, head[0]) || !xpbd_gmsh_four(gmsh, 8, count))
            return false;
        if (first + count[3] > head[1])
            return xpbd_mesh_text_fail(&gmsh->text,
                                       "the blocks hold more than the %llu nodes announced",
                                       (unsigned long long)head[1]);
        if (!read_node_block(gmsh, first, (uint32_t)count[3]))
            return false;
    }
    uint32_t n = gmsh->builder->mesh->n_points;
    return n == head[1] ||
           xpbd_mesh_text_fail(&gmsh->text, "%llu nodes are announced, %u are there",
                               (unsigned long long)head[1], n);
}

static int compare_tags(const void *a, const void *b)
{
    const xpbd_gmsh_tag *x = a, *y = b;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool read_nodes(xpbd_gmsh *gmsh)
{
    if (gmsh->builder->mesh->n_points)
        return xpbd_mesh_text_fail(&gmsh->text, "a second section $Nodes");
    if (!(gmsh->blocks ? read_nodes_4(gmsh) : read_nodes_2(gmsh)))
        return false;
    size_t n = gmsh->builder->mesh->n_points;
    if (n == 0)
        return xpbd_mesh_text_fail(&gmsh->text, "no nodes are announced");
    xpbd_gmsh_tag *tags = gmsh->tags.data;
    qsort(tags, n, sizeof *tags, compare_tags);
    for (size_t k = 1; k < n; k++) {
        if (tags[k].tag == tags[k - 1].tag)
            return xpbd_mesh_text_fail_at(&gmsh->text, tags[k].line,
                                          "node tag %llu is also that of line %u",
                                          (unsigned long long)tags[k].tag, tags[k - 1].line);
    }
    return true;
}

static bool read_format(xpbd_gmsh *gmsh)
{
    xpbd_mesh_text *text = &gmsh->text;
    xpbd_mesh_word version;
    uint64_t binary = 0;
    if (!xpbd_gmsh_row(gmsh, 0, 1) || !xpbd_mesh_text_word(text, &version))
        return false;
    gmsh->blocks = xpbd_mesh_word_is(version, "4.1");
    if (!gmsh->blocks && !xpbd_mesh_word_is(version, "2.2"))
        return xpbd_mesh_text_fail(text, "Gmsh format '%s' is not supported; 2.2 and 4.1 are",
                                   xpbd_mesh_word_quote(version).text);
    if (!xpbd_mesh_text_whole(text, "the file type", &binary))
        return false;
    if (binary)
        return xpbd_mesh_text_fail(text, "binary Gmsh files are not supported; save it as ASCII");
    return xpbd_mesh_text_pass(text, "the data size") && xpbd_mesh_text_done(text);
}

/* "$Name" to "$EndName"; what is between is skipped. */
static bool skip_section(xpbd_gmsh *gmsh, xpbd_mesh_word name)
{
    xpbd_mesh_text *text = &gmsh->text;
    uint32_t begin = text->line;
    for (;;) {
        xpbd_mesh_word word;
        xpbd_mesh_text_skip(text);
        if (!xpbd_mesh_text_start(text))
            return xpbd_mesh_text_fail_at(text, begin, "section '%s' has no end",
                                          xpbd_mesh_word_quote(name).text);
        (void)xpbd_mesh_text_word(text, &word);
        if (word.length == name.length + 3 && !memcmp(word.begin, "$End", 4) &&
            !memcmp(word.begin + 4, name.begin + 1, name.length - 1))
            return xpbd_mesh_text_done(text);
    }
}

static bool end_section(xpbd_gmsh *gmsh, const char *end)
{
    xpbd_mesh_text *text = &gmsh->text;
    xpbd_mesh_word word;
    if (!xpbd_mesh_text_start(text))
        return xpbd_mesh_text_fail(text, "the file ends before %s", end);
    (void)xpbd_mesh_text_word(text, &word);
    if (!xpbd_mesh_word_is(word, end))
        return xpbd_mesh_text_fail(text, "'%s' stands where %s is due",
                                   xpbd_mesh_word_quote(word).text, end);
    return xpbd_mesh_text_done(text);
}

static bool read_section(xpbd_gmsh *gmsh, xpbd_mesh_word name, bool *has_elements)
{
    xpbd_mesh_text *text = &gmsh->text;
    if (name.length < 2 || name.begin[0] != '$')
        return xpbd_mesh_text_fail(text, "'%s' stands where a section is due",
                                   xpbd_mesh_word_quote(name).text);
    if (xpbd_mesh_word_is(name, "$Nodes"))
        return xpbd_mesh_text_done(text) && read_nodes(gmsh) && end_section(gmsh, "$EndNodes");
    if (xpbd_mesh_word_is(name, "$Elements")) {
        *has_elements = true;
        if (!gmsh->builder->mesh->n_points)
            return xpbd_mesh_text_fail(text, "$Elements comes before $Nodes");
        return xpbd_mesh_text_done(text) && xpbd_gmsh_read_elements(gmsh) &&
               end_section(gmsh, "$EndElements");
    }
    return skip_section(gmsh, name);
}

static bool read_sections(xpbd_gmsh *gmsh)
{
    xpbd_mesh_text *text = &gmsh->text;
    xpbd_mesh_word name;
    bool has_elements = false;
    if (!xpbd_mesh_text_start(text) || !xpbd_mesh_text_word(text, &name) ||
        !xpbd_mesh_word_is(name, "$MeshFormat"))
        return xpbd_mesh_text_fail(text, "does not begin with $MeshFormat: no Gmsh file, or one "
                                         "of format 1");
    if (!xpbd_mesh_text_done(text) || !read_format(gmsh) || !end_section(gmsh, "$EndMeshFormat"))
        return false;
    while (xpbd_mesh_text_start(text)) {
        (void)xpbd_mesh_text_word(text, &name);
        if (!read_section(gmsh, name, &has_elements))
            return false;
    }
    return has_elements || xpbd_mesh_text_fail(text, "the file ends without $Elements");
}

bool xpbd_mesh_read_gmsh(const char *path, xpbd_mesh_builder *builder, const xpbd_mesh_fault *fault)
{
    xpbd_gmsh gmsh = {.builder = builder};
    if (!xpbd_mesh_text_open(&gmsh.text, &builder->disk, path, fault))
        return false;
    bool read = read_sections(&gmsh);
    free(gmsh.tags.data);
    xpbd_mesh_text_close(&gmsh.text);
    return read;
}
