/* SPDX-License-Identifier: MIT
 *
 * The elements of Gmsh files. The two formats differ in where an element's type stands; behind that
 * the rows are alike: tags of nodes, the corners first.
 */
#include "scenes/mesh_gmsh.h"

typedef enum element_kind {
    KIND_NONE,
    KIND_POINT,
    KIND_SEGMENT,
    KIND_FACE,
    KIND_TET,
    KIND_SOLID
} element_kind;

typedef struct element_type {
    element_kind kind;
    uint32_t n_corners, n_nodes;
    const char *name;
} element_type;

static const element_type types[] = {
#define XPBD_GMSH_ELEMENT(type, kind, corners, nodes, name)                                        \
    [type] = {KIND_##kind, corners, nodes, name},
#include "scenes/gmsh_elements.def"
#undef XPBD_GMSH_ELEMENT
};

static const element_type *find_type(xpbd_gmsh *gmsh)
{
    uint64_t number = 0;
    if (!xpbd_mesh_text_whole(&gmsh->text, "element type", &number))
        return NULL;
    if (number >= sizeof types / sizeof *types || types[number].kind == KIND_NONE) {
        (void)xpbd_mesh_text_fail(&gmsh->text, "element type %llu is not known",
                                  (unsigned long long)number);
        return NULL;
    }
    if (types[number].kind == KIND_SOLID) {
        (void)xpbd_mesh_text_fail(&gmsh->text,
                                  "element type %llu (%s) is not supported; of solids only "
                                  "tetrahedra are",
                                  (unsigned long long)number, types[number].name);
        return NULL;
    }
    return &types[number];
}

static bool find_node(xpbd_gmsh *gmsh, uint32_t *index)
{
    const xpbd_gmsh_tag *tags = gmsh->tags.data;
    size_t begin = 0, end = gmsh->builder->mesh->n_points;
    uint64_t tag = 0;
    if (!xpbd_mesh_text_whole(&gmsh->text, "node", &tag))
        return false;
    /* Tags mostly have no gaps. */
    if (tag >= tags[0].tag && tag - tags[0].tag < end && tags[tag - tags[0].tag].tag == tag) {
        *index = tags[tag - tags[0].tag].index;
        return true;
    }
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (tags[middle].tag < tag)
            begin = middle + 1;
        else
            end = middle;
    }
    if (begin == gmsh->builder->mesh->n_points || tags[begin].tag != tag)
        return xpbd_mesh_text_fail(&gmsh->text, "an element names node %llu, which is not there",
                                   (unsigned long long)tag);
    *index = tags[begin].index;
    return true;
}

static bool read_element(xpbd_gmsh *gmsh, const element_type *type)
{
    uint32_t corners[4] = {0};
    for (uint32_t k = 0; k < type->n_nodes; k++) {
        uint32_t index = 0;
        if (!find_node(gmsh, &index))
            return false;
        if (k < type->n_corners)
            corners[k] = index;
    }
    if (!xpbd_mesh_text_done(&gmsh->text))
        return false;
    gmsh->builder->mesh->n_curved += type->n_nodes > type->n_corners;
    if (type->kind == KIND_SEGMENT)
        return xpbd_mesh_add_segment(gmsh->builder, &gmsh->text, corners[0], corners[1]);
    if (type->kind == KIND_FACE)
        return xpbd_mesh_add_face(gmsh->builder, &gmsh->text, corners, type->n_corners);
    if (type->kind == KIND_TET)
        return xpbd_mesh_add_tet(gmsh->builder, &gmsh->text, corners);
    return true;
}

static bool read_element_2(xpbd_gmsh *gmsh)
{
    xpbd_mesh_text *text = &gmsh->text;
    uint32_t n_tags = 0;
    if (!xpbd_mesh_text_pass(text, "element number"))
        return false;
    const element_type *type = find_type(gmsh);
    if (!type || !xpbd_mesh_text_count(text, "the number of tags", &n_tags))
        return false;
    for (uint32_t k = 0; k < n_tags; k++) {
        if (!xpbd_mesh_text_pass(text, "tag"))
            return false;
    }
    return read_element(gmsh, type);
}

static bool read_elements_2(xpbd_gmsh *gmsh)
{
    uint32_t count = 0;
    if (!xpbd_gmsh_row(gmsh, 0, 1) ||
        !xpbd_mesh_text_count(&gmsh->text, "the number of elements", &count) ||
        !xpbd_mesh_text_done(&gmsh->text))
        return false;
    for (uint32_t row = 0; row < count; row++) {
        if (!xpbd_gmsh_row(gmsh, row, count) || !read_element_2(gmsh))
            return false;
    }
    return true;
}

/* dimension and tag of the entity, type, number of rows; then a tag and nodes in each row. */
static bool read_element_block(xpbd_gmsh *gmsh, uint32_t *count)
{
    xpbd_mesh_text *text = &gmsh->text;
    if (!xpbd_mesh_text_pass(text, "dimension") || !xpbd_mesh_text_pass(text, "entity tag"))
        return false;
    const element_type *type = find_type(gmsh);
    if (!type || !xpbd_mesh_text_count(text, "the number of elements", count) ||
        !xpbd_mesh_text_done(text))
        return false;
    for (uint32_t row = 0; row < *count; row++) {
        if (!xpbd_gmsh_row(gmsh, row, *count) || !xpbd_mesh_text_pass(text, "element tag") ||
            !read_element(gmsh, type))
            return false;
    }
    return true;
}

static bool read_elements_4(xpbd_gmsh *gmsh)
{
    uint64_t head[4] = {0}, n = 0;
    if (!xpbd_gmsh_row(gmsh, 0, 1) || !xpbd_gmsh_four(gmsh, 3, head))
        return false;
    for (uint64_t block = 0; block < head[0]; block++) {
        uint32_t count = 0;
        if (!xpbd_gmsh_row(gmsh, block, head[0]) || !read_element_block(gmsh, &count))
            return false;
        n += count;
    }
    return n == head[1] ||
           xpbd_mesh_text_fail(&gmsh->text, "%llu elements are announced, %llu are there",
                               (unsigned long long)head[1], (unsigned long long)n);
}

bool xpbd_gmsh_read_elements(xpbd_gmsh *gmsh)
{
    return gmsh->blocks ? read_elements_4(gmsh) : read_elements_2(gmsh);
}
