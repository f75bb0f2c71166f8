/* SPDX-License-Identifier: MIT
 *
 * Proves that TetGen and Gmsh files of all flavours give the mesh that they describe, and that
 * pairs of files that do not agree, binary files, other versions and broken counts are refused.
 */
#include "support_mesh.h"

static const char corner_nodes[] = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
static const char corner_tets[] = "1 4 0\n0 0 1 2 3\n";

/* Write NAME.node and NAME.ele; returns the path of the first. */
static const char *pair(const char *nodes, const char *tets)
{
    kit_write(kit_temporary("pair.ele"), tets, strlen(tets));
    const char *path = kit_temporary("pair.node");
    kit_write(path, nodes, strlen(nodes));
    return path;
}

static void refused_nodes(const char *nodes, uint32_t line, const char *part)
{
    const char *path = pair(nodes, corner_tets);
    kit_refused_file(path, path, line, part);
}

static void refused_tets(const char *tets, uint32_t line, const char *part)
{
    const char *path = pair(corner_nodes, tets);
    kit_refused_file(path, kit_temporary("pair.ele"), line, part);
}

static double volume(const xpbd_mesh *mesh, size_t tet)
{
    const float *p[4];
    double d[3][3];
    for (size_t k = 0; k < 4; k++)
        p[k] = mesh->points + 3 * (size_t)mesh->tets[4 * tet + k];
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 3; i++)
            d[k][i] = (double)p[k + 1][i] - (double)p[0][i];
    }
    return (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
            d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
            d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
           6.0;
}

static void test_F12_tetgen_both_bases(void **state)
{
    (void)state;
    static const uint32_t want_edges[] = {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3};
    static const char one_nodes[] =
        "# made by x\r\n\r\n4 3 1 1\r\n\r\n1 0 0 0 0.5 1\r\n# made by x\r\n2 1 0 0 -1e30 0\r\n"
        "3 0 1 0 7 -1 # here\r\n\t4\t0\t0\t1\t8\t1\r\n# end\r\n";
    static const char one_tets[] = "# made by x\r\n1 4 1\r\n1 1 2 3 4 -3.5\r\n";
    xpbd_mesh zero = kit_mesh_read(pair(corner_nodes, corner_tets));
    xpbd_mesh one = kit_mesh_read(pair(one_nodes, one_tets));
    kit_same_mesh(&one, &zero);
    assert_int_equal(zero.n_tets, 1);
    assert_int_equal(zero.n_edges, 6);
    kit_same_indices(zero.edges, want_edges, 12);
    assert_near(volume(&zero, 0), 1.0 / 6.0, 1e-15);
    assert_int_equal(zero.n_inverted, 0);
    xpbd_mesh_free(&one);
    /* Named from either side, also in capitals, and with what may be left out left out. */
    one = kit_mesh_read(kit_temporary("pair.ele"));
    kit_same_mesh(&one, &zero);
    xpbd_mesh_free(&one);
    kit_write(kit_temporary("CAPS.NODE"), corner_nodes, strlen(corner_nodes));
    kit_write(kit_temporary("CAPS.ELE"), "1\n0 0 1 2 3", 11);
    one = kit_mesh_read(kit_temporary("CAPS.ELE"));
    kit_same_mesh(&one, &zero);
    xpbd_mesh_free(&one);
    xpbd_mesh_free(&zero);
}

static void test_F12_tetgen_second_order(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 1, 2, 3};
    xpbd_mesh mesh = kit_mesh_read(
        pair("10 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 .5 0 0\n5 0 .5 0\n6 0 0 .5\n7 .5 .5 0\n"
             "8 .5 0 .5\n9 0 .5 .5\n",
             "1 10 0\n0 0 1 2 3 4 5 6 7 8 9\n"));
    assert_int_equal(mesh.n_tets, 1);
    kit_same_indices(mesh.tets, want, 4);
    assert_int_equal(mesh.n_edges, 6);
    assert_int_equal(mesh.n_curved, 1);
    assert_int_equal(mesh.n_unused, 6);
    xpbd_mesh_free(&mesh);
    refused_tets("1 10 0\n0 0 1 2 3 4 5 6 7 8 9\n", 2, "corner 4 is out of range");
}

static void test_F12_tetgen_mixed_bases_are_refused(void **state)
{
    (void)state;
    refused_tets("1 4 0\n1 1 2 3 4\n", 2,
                 "corner 4 is out of range: the nodes have the numbers 0 to 3");
    const char *path = pair("4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", corner_tets);
    kit_refused_file(path, kit_temporary("pair.ele"), 2, "corner 0 is out of range");
    path = pair("4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1 4\n1 5 1 2 3\n");
    kit_refused_file(path, kit_temporary("pair.ele"), 2, "corner 5 is out of range");
    /* All indices are in range, only the numbers of the elements tell. */
    path = pair("5 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n", "1 4 0\n1 1 2 3 4\n");
    kit_refused_file(path, kit_temporary("pair.ele"), 2, "the nodes count from 0");
}

static void test_F12_tetgen_broken_nodes(void **state)
{
    (void)state;
    refused_nodes("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n", 4, "ends after 3 of 4 rows");
    refused_nodes("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0\n", 5, "coordinate z is missing");
    refused_nodes("3 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", 5, "more than the 3 rows");
    refused_nodes("4000000000 3 0 0\n0 0 0 0\n", 1, "number of nodes is 4000000000, but the rest");
    refused_nodes("-4 3 0 0\n", 1, "'-4' is not a whole number");
    refused_nodes("0 3 0 0\n", 1, "the number of nodes is 0");
    refused_nodes("4 2 0 0\n0 0 0\n", 1, "2 coordinates");
    refused_nodes("4 3 0 0\n0 0 0 0\n1 1 0 0\n3 0 1 0\n2 0 0 1\n", 4, "3 stands where 2 is due");
    refused_nodes("4 3 0 0\n5 0 0 0\n6 1 0 0\n7 0 1 0\n8 0 0 1\n", 2, "0 or 1 is needed");
    refused_nodes("4 3 1 0\n0 0 0 0 1\n1 1 0 0\n", 3, "attribute is missing");
    refused_nodes("4 3 0 0\n0 0 0 0 1\n", 2, "'1' is more than belongs");
    refused_nodes("4 3 0 1\n0 0 0 0 x\n", 2, "'x' is not a finite decimal");
    refused_nodes("4 3 0 0\n0 0 0 nan\n", 2, "'nan'");
    refused_nodes("# only this\n", 1, "the file ends before the number of nodes");
}

static void test_F12_tetgen_broken_tets(void **state)
{
    (void)state;
    refused_tets("2 4 0\n0 0 1 2 3\n", 2, "ends after 1 of 2 rows");
    refused_tets("1 4 0\n0 0 1 2\n", 2, "corner is missing");
    refused_tets("1 4 0\n0 0 1 2 3\n1 0 1 2 3\n", 3, "more than the 1 rows");
    refused_tets("1 4 0\n0 0 1 2 -1\n", 2, "'-1' is not a whole number");
    refused_tets("1 4 0\n0 0 1 2 4294967296\n", 2, "corner 4294967296 is out of range");
    refused_tets("1 8 0\n0 0 1 2 3 0 1 2 3\n", 1, "the elements have 8 nodes");
    refused_tets("99999999999999999999 4 0\n", 1, "but the rest of the file is only");
    assert_int_equal(remove(kit_temporary("pair.ele")), 0);
    kit_refused_file(kit_temporary("pair.node"), kit_temporary("pair.ele"), 0, "no such file");
}

static void test_A14_tet_with_a_repeated_corner_is_refused(void **state)
{
    (void)state;
    refused_tets("1 4 0\n0 0 1 2 1\n", 2, "corners 2 and 4 of a tetrahedron are the same node");
}

static void test_N07_inverted_tets_are_counted(void **state)
{
    (void)state;
    xpbd_mesh mesh = kit_mesh_read(pair(corner_nodes, "2 4 0\n0 0 1 3 2\n1 0 1 2 3\n"));
    assert_int_equal(mesh.n_tets, 2);
    assert_int_equal(mesh.n_inverted, 1);
    assert_int_equal(mesh.n_edges, 6);
    xpbd_mesh_free(&mesh);
}

/* Flat is a matter of shape: a sound tetrahedron may have any volume. */
static void test_N08_flat_tets_are_counted(void **state)
{
    (void)state;
    xpbd_mesh mesh =
        kit_mesh_read(pair("6 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 1 1 0\n4 0 0 1\n5 0 0 6e-30\n",
                           "3 4 0\n0 0 1 2 3\n1 0 1 2 4\n2 0 1 2 5\n"));
    assert_int_equal(mesh.n_tets, 1);
    assert_int_equal(mesh.n_zero_volume, 2);
    assert_int_equal(mesh.n_edges, 6);
    assert_int_equal(mesh.n_unused, 2);
    xpbd_mesh_free(&mesh);
    mesh =
        kit_mesh_read(pair("4 3\n0 0 0 0\n1 2e-10 0 0\n2 0 2e-10 0\n3 0 0 2e-10\n", corner_tets));
    assert_int_equal(mesh.n_tets, 1);
    xpbd_mesh_free(&mesh);
    refused_tets("1 4 0\n0 0 1 2 2\n", 2, "same node");
    kit_refused_file(pair("4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 1 1 0\n", corner_tets),
                     kit_temporary("pair.node"), 0, "1 without volume");
}

static void test_F10_gmsh_tags_out_of_order(void **state)
{
    (void)state;
    static const float want[4][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    xpbd_mesh mesh =
        kit_mesh("f10.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n3\n"
                            "2\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n"
                            "3 1 4 1\n1 1 2 3 4\n$EndElements\n");
    assert_int_equal(mesh.n_tets, 1);
    for (size_t k = 0; k < 4; k++)
        assert_same_floats(mesh.points + 3 * (size_t)mesh.tets[k], want[k], 3);
    assert_near(volume(&mesh, 0), -1.0 / 6.0, 1e-15);
    assert_int_equal(mesh.n_inverted, 1);
    xpbd_mesh_free(&mesh);
}

/* The same two tetrahedra in all three formats, with sparse tags in Gmsh's. */
static void test_F10_formats_agree(void **state)
{
    (void)state;
    xpbd_mesh want = kit_mesh_read("tests/data/mesh/two_tets.ele");
    assert_int_equal(want.n_points, 5);
    assert_int_equal(want.n_tets, 2);
    assert_int_equal(want.n_edges, 9);
    xpbd_mesh old = kit_mesh_read("tests/data/mesh/two_tets_22.msh");
    assert_int_equal(old.n_triangles, 1);
    assert_same_floats(old.points, want.points, 15);
    kit_same_indices(old.tets, want.tets, 8);
    assert_int_equal(old.n_edges, 9);
    xpbd_mesh blocks = kit_mesh_read("tests/data/mesh/two_tets_41.msh");
    /* Both list the nodes in one order and tags 20 and 30 in another. */
    assert_int_equal(blocks.n_edges, 9);
    kit_same_mesh(&blocks, &old);
    xpbd_mesh_free(&want);
    xpbd_mesh_free(&old);
    xpbd_mesh_free(&blocks);
}

static void refused_gmsh(const char *version, const char *rest, uint32_t line, const char *part)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "$MeshFormat\n%s\n$EndMeshFormat\n%s", version, rest);
    kit_refused("bad.msh", text, line, part);
}

#define NODES_2    "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES_GAP  "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes\n"
#define ELEMENTS_2 "$Elements\n1\n1 4 2 0 0 1 2 3 4\n$EndElements\n"

static void test_gmsh_versions_that_are_refused(void **state)
{
    (void)state;
    refused_gmsh("2.2 1 8", NODES_2, 2, "binary Gmsh files are not supported");
    refused_gmsh("4.0 0 8", NODES_2, 2, "format '4.0' is not supported; 2.2 and 4.1 are");
    refused_gmsh("1 0 8", NODES_2, 2, "format '1' is not supported");
    refused_gmsh("4.11 0 8", NODES_2, 2, "'4.11'");
    kit_refused("bad.msh", "$NOD\n1\n1 0 0 0\n$ENDNOD\n", 1, "does not begin with $MeshFormat");
    kit_refused("bad.msh", "solid x\n", 1, "does not begin with $MeshFormat");
}

static void test_gmsh_2_that_is_broken(void **state)
{
    (void)state;
    const char *version = "2.2 0 8";
    refused_gmsh(version, NODES_2, 10, "the file ends without $Elements");
    refused_gmsh(version, ELEMENTS_2, 4, "$Elements comes before $Nodes");
    refused_gmsh(version, NODES_2 NODES_2, 11, "a second section $Nodes");
    refused_gmsh(version, "$Nodes\n5\n1 0 0 0\n$EndNodes\n", 7, "section ends after 1 of 5 rows");
    refused_gmsh(version, "$Nodes\n1\n1 0 0 0\n2 1 0 0\n$EndNodes\n", 7, "where $EndNodes is due");
    refused_gmsh(version, "$Nodes\n4000000000\n1 0 0 0\n", 5, "nodes is 4000000000, but the rest");
    refused_gmsh(version, "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", 7, "also that of line 6");
    refused_gmsh(version, "$Nodes\n0\n$EndNodes\n" ELEMENTS_2, 5, "no nodes");
    refused_gmsh(version, "$Nodes\n1\n-1 0 0 0\n$EndNodes\n", 6, "'-1' is not a whole number");
    refused_gmsh(version, NODES_2 "$Elements\n1\n1 4 2 0 0 1 2 3 5\n$EndElements\n", 13,
                 "names node 5, which is not there");
    refused_gmsh(version, NODES_GAP ELEMENTS_2, 13, "names node 4, which is not there");
    refused_gmsh(version, NODES_2 "$Elements\n1\n1 4 2 0 0 1 2 3 3\n$EndElements\n", 13,
                 "same node");
    refused_gmsh(version, NODES_2 "$Elements\n1\n1 4 9 0 0 1 2 3 4\n$EndElements\n", 13,
                 "is missing");
    refused_gmsh(version, NODES_2 "$Elements\n1\n1 4 2 0 0 1 2 3 4 4\n$EndElements\n", 13,
                 "more than");
    refused_gmsh(version, NODES_2 "$Elements\n2\n1 4 2 0 0 1 2 3 4\n", 13,
                 "file ends after 1 of 2");
    refused_gmsh(version, NODES_2 "$Elements\n1\n1 5 0 1 2 3 4 1 2 3 4\n", 13, "5 (hexahedron)");
    refused_gmsh(version, NODES_2 "$Elements\n1\n1 0 0 1\n", 13, "element type 0 is not known");
    refused_gmsh(version, NODES_2 "$Elements\n1\n1 999 0 1\n", 13, "element type 999 is not known");
    refused_gmsh(version, NODES_2 "$Elements\n1\n1 15 0 1\n$EndElements\n", 0, "holds no edge");
    refused_gmsh(version, "$Periodic\n1\n2\n", 4, "section '$Periodic' has no end");
    refused_gmsh(version, "nodes\n", 4, "'nodes' stands where a section is due");
}

static void test_gmsh_4_that_is_broken(void **state)
{
    (void)state;
    const char *version = "4.1 0 8";
    refused_gmsh(version, "$Nodes\n1 9 1 4\n3 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n", 10,
                 "9 nodes are announced, 2 are there");
    refused_gmsh(version, "$Nodes\n2 2 1 4\n3 1 0 2\n1\n2\n0 0 0\n1 0 0\n3 1 0 1\n3\n1 1 1\n", 11,
                 "more than the 2 nodes announced");
    refused_gmsh(version, "$Nodes\n1 2 1 2\n3 1 0 99999\n1\n2\n", 6, "but the rest of the file");
    refused_gmsh(version, "$Nodes\n18446744073709551615 2 1 2\n", 5, "but the rest of the file");
    refused_gmsh(version, "$Nodes\n1 2 1 2\n3 1 0 2\n1\n2\n0 0 0\n1 0 1e99\n", 10, "too large");
    refused_gmsh(version,
                 "$Nodes\n1 2 1 2\n3 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n"
                 "$Elements\n1 2 1 2\n1 1 1 1\n1 1 2\n$EndElements\n",
                 15, "2 elements are announced, 1 are there");
}

/* Without tetrahedra the edges are those of faces and lines; curved ones give their corners. */
static void test_gmsh_surfaces_and_curves(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 1, 0, 2, 0, 3, 1, 2, 2, 3, 3, 4};
    xpbd_mesh mesh =
        kit_mesh("faces.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n"
                              "3 1 1 0\n4 0 1 0\n5 0 2 0\n6 0 1.5 0\n$EndNodes\n$Elements\n2\n"
                              "1 3 0 1 2 3 4\n2 8 0 4 5 6\n$EndElements\n");
    assert_int_equal(mesh.n_triangles, 2);
    assert_int_equal(mesh.n_edges, 6);
    kit_same_indices(mesh.edges, want, 12);
    assert_int_equal(mesh.n_curved, 1);
    assert_int_equal(mesh.n_unused, 1);
    xpbd_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_F12_tetgen_both_bases),
        cmocka_unit_test(test_F12_tetgen_second_order),
        cmocka_unit_test(test_F12_tetgen_mixed_bases_are_refused),
        cmocka_unit_test(test_F12_tetgen_broken_nodes),
        cmocka_unit_test(test_F12_tetgen_broken_tets),
        cmocka_unit_test(test_A14_tet_with_a_repeated_corner_is_refused),
        cmocka_unit_test(test_N07_inverted_tets_are_counted),
        cmocka_unit_test(test_N08_flat_tets_are_counted),
        cmocka_unit_test(test_F10_gmsh_tags_out_of_order),
        cmocka_unit_test(test_F10_formats_agree),
        cmocka_unit_test(test_gmsh_versions_that_are_refused),
        cmocka_unit_test(test_gmsh_2_that_is_broken),
        cmocka_unit_test(test_gmsh_4_that_is_broken),
        cmocka_unit_test(test_gmsh_surfaces_and_curves),
    };
    return RUN_GROUP("mesh_tets", tests);
}
