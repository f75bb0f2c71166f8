/* SPDX-License-Identifier: MIT
 *
 * Formats that are not read (STL, legacy VTK, Abaqus, PLY) are refused with one line that says so,
 * by their names and where they come under another one, in all the flavours in which they occur.
 * Nothing of them is taken for a mesh. A test is named after its entry in the log of known trouble.
 */
#include "support_mesh.h"

/* Under its own name, and as each format that is read. */
static void check_refused(const char *extension, const void *bytes, size_t n)
{
    static const char *const names[] = {"other.obj", "other.node", "other.ele", "other.msh"};
    char name[64], error[600];
    (void)snprintf(name, sizeof name, "other.%s", extension);
    const char *path = kit_temporary(name);
    kit_write(path, bytes, n);
    kit_refused_file(path, path, 0, "is not a mesh by its name; known are .obj .node .ele .msh");
    for (uint32_t k = 0; k < COUNT_OF(names); k++) {
        xpbd_mesh mesh;
        kit_write(kit_temporary(names[k]), bytes, n);
        assert_false(xpbd_mesh_read(kit_temporary(names[k]), &mesh, error, sizeof error));
        assert_true(strlen(error) > 0 && !strchr(error, '\n'));
        assert_int_equal(mesh.n_points, 0);
    }
}

static void check_text(const char *extension, const char *text)
{
    check_refused(extension, text, strlen(text));
}

static size_t put(unsigned char *out, size_t at, const void *bytes, size_t n)
{
    memcpy(out + at, bytes, n);
    return at + n;
}

/* A cube, binary, whose header starts with the word of the ASCII form; and three ASCII ones. */
static void test_F08_stl(void **state)
{
    static const uint32_t corners[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                            {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                            {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    static const unsigned char attributes[2] = {0, 0};
    unsigned char cube[684] = "solid cube";
    const uint32_t count = 12;
    (void)state;
    size_t at = put(cube, 80, &count, 4);
    for (uint32_t t = 0; t < 12; t++) {
        const float normal[3] = {0, 0, 1};
        at = put(cube, at, normal, 12);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t c = corners[t][k];
            const float x[3] = {(float)(c & 1), (float)(c >> 1 & 1), (float)(c >> 2)};
            at = put(cube, at, x, 12);
        }
        at = put(cube, at, attributes, 2);
    }
    assert_int_equal(at, sizeof cube);
    check_refused("stl", cube, sizeof cube);
    static const char facet[] = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                                "vertex 0 1 0\nendloop\nendfacet\n";
    char text[1024];
    (void)snprintf(text, sizeof text, "solid %0100d\n%sendsolid\n", 7, facet);
    check_text("stl", text);
    (void)snprintf(text, sizeof text, "SOLID A\n%sENDSOLID A\n", facet);
    check_text("STL", text);
    (void)snprintf(text, sizeof text, "solid a\n%sendsolid a\nsolid b\n%sendsolid b\n", facet,
                   facet);
    check_text("stl", text);
}

/* Three points, big-endian as the format says, and little-endian as it is got wrong. */
static void test_F14_vtk(void **state)
{
    static const unsigned char one[2][4] = {{0x3f, 0x80, 0, 0}, {0, 0, 0x80, 0x3f}};
    static const char header[] = "# vtk DataFile Version 3.0\ncube\nBINARY\nDATASET "
                                 "UNSTRUCTURED_GRID\nPOINTS 3 float\n";
    (void)state;
    for (uint32_t order = 0; order < 2; order++) {
        unsigned char bytes[256];
        size_t at = put(bytes, 0, header, strlen(header));
        for (uint32_t k = 0; k < 9; k++)
            at = put(bytes, at, one[order], 4);
        at = put(bytes, at, "\nCELLS 1 4\n\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\2\n", 28);
        check_refused("vtk", bytes, at);
    }
}

static void test_F15_abaqus(void **state)
{
    (void)state;
    check_text("inp", "*Node, nset=A\n1,0,0,0\n2,1,0,0\n\n*NODE\n30,0,1,0\n40,0,0,1\n** note\n"
                      "*element, elset=E, type=c3d4\n7, 1,2,\n30,40\n*Elset, elset=B, generate\n"
                      "7,7,1\n*Elset, elset=C\nB\n");
}

/* A tetrahedron's surface with a property between the coordinates, as text with both ends of line
 * and as bytes of both orders after a header of CRLF. */
static void test_F17_ply(void **state)
{
    static const char *const lists[] = {"uchar int", "int uint", "ushort short"};
    static const char *const forms[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    (void)state;
    for (uint32_t k = 0; k < 3 * 3 * 2; k++) {
        const char *end = k % 2 ? "\r\n" : "\n";
        char bytes[2048];
        int at = snprintf(
            bytes, sizeof bytes,
            "ply%sformat %s 1.0%selement vertex 4%sproperty double x%sproperty uchar "
            "red%sproperty double y%sproperty double z%selement face 4%sproperty list "
            "%s vertex_indices%send_header%s",
            end, forms[k / 6], end, end, end, end, end, end, end, lists[k / 2 % 3], end, end);
        if (k / 6 == 0) {
            at += snprintf(bytes + at, sizeof bytes - (size_t)at,
                           "0 9 0 0%s1 9 0 0%s0 9 1 0%s0 9 0 1%s3 0 2 1%s3 0 1 3%s3 0 3 2%s3 1 2 "
                           "3%s",
                           end, end, end, end, end, end, end, end);
        } else {
            memset(bytes + at, 0x3f, 4 * 25 + 4 * 13);
            at += 4 * 25 + 4 * 13;
        }
        check_refused("ply", bytes, (size_t)at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_F08_stl),
        cmocka_unit_test(test_F14_vtk),
        cmocka_unit_test(test_F15_abaqus),
        cmocka_unit_test(test_F17_ply),
    };
    return RUN_GROUP("mesh_other_formats", tests);
}
