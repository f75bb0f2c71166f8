/* SPDX-License-Identifier: MIT
 *
 * Proves that mesh files are read as they are meant in every flavour that occurs, and that others
 * are refused with one line that names the place: OBJ and what all formats share. Numbers are in
 * test_mesh_numbers.c, tetrahedra in test_mesh_tets.c, damaged files in test_mesh_faults.c.
 */
#include "support_mesh.h"

#include <math.h>

static const char three_points[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

static const char *with_points(const char *rest)
{
    static char text[1024];
    (void)snprintf(text, sizeof text, "%s%s", three_points, rest);
    return text;
}

static double area(const xpbd_mesh *mesh, size_t triangle, double normal[3])
{
    const float *p[3];
    double a[3], b[3];
    for (size_t k = 0; k < 3; k++)
        p[k] = mesh->points + 3 * (size_t)mesh->triangles[3 * triangle + k];
    for (size_t k = 0; k < 3; k++) {
        a[k] = (double)p[1][k] - (double)p[0][k];
        b[k] = (double)p[2][k] - (double)p[0][k];
    }
    normal[0] = a[1] * b[2] - a[2] * b[1];
    normal[1] = a[2] * b[0] - a[0] * b[2];
    normal[2] = a[0] * b[1] - a[1] * b[0];
    return 0.5 * sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
}

/* Total area; each triangle must face along the axis. */
static double facing_area(const xpbd_mesh *mesh, size_t axis)
{
    double sum = 0.0, normal[3];
    for (size_t k = 0; k < mesh->n_triangles; k++) {
        sum += area(mesh, k, normal);
        assert_true(normal[axis] > 0.0);
    }
    return sum;
}

static void test_F01_obj_negative_indices(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 1, 2, 3, 4, 5};
    xpbd_mesh mesh = kit_mesh("f01.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n"
                                         "v 0 0 1\nv 1 0 1\nv 0 1 1\nf -3 -2 -1\n");
    assert_int_equal(mesh.n_triangles, 2);
    kit_same_indices(mesh.triangles, want, 6);
    assert_int_equal(mesh.n_edges, 6);
    xpbd_mesh_free(&mesh);
    mesh = kit_mesh("f01.obj", with_points("vn 0 0 1\nf -3//-1 -2//-1 -1//-1\nl -1 -2\n"));
    assert_int_equal(mesh.n_triangles, 1);
    kit_same_indices(mesh.triangles, want, 3);
    xpbd_mesh_free(&mesh);
}

static void test_F02_obj_index_before_first_vertex(void **state)
{
    (void)state;
    kit_refused("f02.obj", with_points("f -4 -2 -1\n"), 4, "'-4' reaches before the first vertex");
    kit_refused("f02.obj", with_points("f -2147483648 1 2\n"), 4, "before the first vertex");
    kit_refused("f02.obj", with_points("f -99999999999999999999999 1 2\n"), 4, "before the first");
    kit_refused("f02.obj", with_points("l 1 -9223372036854775808\n"), 4, "before the first");
    /* Relative to what has been read, not to what the file has. */
    kit_refused("f02.obj", "v 0 0 0\nv 1 0 0\nf -3 -2 -1\nv 0 1 0\n", 3, "(2 read so far)");
}

static void test_F03_obj_indices_start_at_1(void **state)
{
    (void)state;
    kit_refused("f03.obj", with_points("f 0 1 2\n"), 4, "indices start at 1");
    kit_refused("f03.obj", with_points("f 1 2 4\n"), 4, "indices start at 1");
    kit_refused("f03.obj", with_points("f 1 2 4294967297\n"), 4, "the file has 3 vertices");
    kit_refused("f03.obj", with_points("l 1 18446744073709551617\n"), 4, "out of range");
    kit_refused("f03.obj", with_points("\n\nf 1 2 -0\n"), 6, "indices start at 1");
}

static void test_F05_obj_polygons(void **state)
{
    (void)state;
    char text[4096];
    size_t at = 0;
    for (int k = 0; k <= 14; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "v %d 0 9605\nv %d 1 9605\n", 14678 + k,
                               14678 + k);
    for (int k = 0; k < 14; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "f %d %d %d %d\n", 2 * k + 1, 2 * k + 3,
                               2 * k + 4, 2 * k + 2);
    xpbd_mesh mesh = kit_mesh("f05.obj", text);
    assert_int_equal(mesh.n_triangles, 28);
    assert_near(facing_area(&mesh, 2), 14.0, 1e-12);
    assert_int_equal(mesh.n_edges, 15 + 28 + 14);
    xpbd_mesh_free(&mesh);

    mesh = kit_mesh("f05.obj", "v 0 0 0\nv 2 0 0\nv 3 2 0\nv 1 3 0\nv -1 2 0\nf 1 2 3 4 5\n");
    assert_int_equal(mesh.n_triangles, 3);
    assert_near(facing_area(&mesh, 2), 8.0, 1e-12);
    assert_int_equal(mesh.n_edges, 7);
    xpbd_mesh_free(&mesh);
}

/* Concave, and begun at each of its corners: a fan would be flipped from some of them. */
static void test_F05_obj_arrow_head(void **state)
{
    (void)state;
    static const char *const corners[] = {"0 0", "2 0", "2 2", "1 0.5", "0 2"};
    for (size_t first = 0; first < 5; first++) {
        char text[256];
        size_t at = 0;
        for (size_t k = 0; k < 5; k++)
            at +=
                (size_t)snprintf(text + at, sizeof text - at, "v 7 %s\n", corners[(first + k) % 5]);
        (void)snprintf(text + at, sizeof text - at, "f 1 2 3 4 5\n");
        xpbd_mesh mesh = kit_mesh("f05.obj", text);
        assert_int_equal(mesh.n_triangles, 3);
        assert_near(facing_area(&mesh, 0), 2.5, 1e-12);
        xpbd_mesh_free(&mesh);
    }
}

/* A star, a comb and a ring that is joined to its outline: all turned and moved away. */
static void test_F05_obj_concave_polygons(void **state)
{
    (void)state;
    char text[8192];
    size_t at = 0;
    for (int k = 0; k < 40; k++) {
        double r = k % 2 ? 1.0 : 3.0, angle = 3.14159265358979323846 * k / 20.0;
        at += (size_t)snprintf(text + at, sizeof text - at, "v %.9g %.9g 5\n",
                               1000.0 + r * cos(angle), r * sin(angle));
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "f");
    for (int k = 0; k < 40; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, " %d", k + 1);
    xpbd_mesh mesh = kit_mesh("f05.obj", text);
    assert_int_equal(mesh.n_triangles, 38);
    assert_near(facing_area(&mesh, 2), 20.0 * 3.0 * sin(3.14159265358979323846 / 20.0), 1e-3);
    xpbd_mesh_free(&mesh);

    mesh = kit_mesh("f05.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 1 0\nv 1 3 0\nv 3 3 0\n"
                               "v 3 1 0\nf 1 2 3 4 1 5 6 7 8 5\n");
    assert_int_equal(mesh.n_triangles, 8);
    assert_near(facing_area(&mesh, 2), 12.0, 1e-12);
    xpbd_mesh_free(&mesh);

    /* A corner in the middle of a side: the side stays two edges, no triangle is flat. */
    mesh = kit_mesh("f05.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n");
    assert_int_equal(mesh.n_triangles, 3);
    assert_int_equal(mesh.n_zero_area, 0);
    assert_near(facing_area(&mesh, 2), 4.0, 1e-12);
    xpbd_mesh_free(&mesh);
}

static void test_F20_flavours_of_text(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
        "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3",
        "\tv\t0\t0\t0\n  v 1 0 0  \n\n\n\tv 0 1 0\t\nf\t1\t2\t3",
        "# f 9 9 9\nv 0 0 0 # one\nv 1 0 0#two\n#\nv 0 1 0\nf 1 2 3# f\n#",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1 \\\n2/2/2 3/3/3\n",
        "v 0 0 0\nv 1 0 \\\r\n0\nv 0 1 0\nf 1// 2/ \\\r\n \\\r\n3//7",
        "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n",
        "# C:\\meshes\\\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        ("mtllib a b.mtl\no x\nv 0 0 0\nvt 0 nan\nv 1 0 0\ng a \\\n b\nv 0 1 0\nvn 0 0 1\ns off\n"
         "usemtl 7 # x\nx_my-own 9\np 1 2\nf 1/1/1 2/1/1 3/1/1\n")};
    xpbd_mesh want = kit_mesh("f20.obj", with_points("f 1 2 3\n"));
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        xpbd_mesh mesh = kit_mesh("f20.obj", texts[k]);
        kit_same_mesh(&mesh, &want);
        xpbd_mesh_free(&mesh);
    }
    xpbd_mesh_free(&want);
    /* Lines are counted alike in all of them. */
    kit_refused("f20.obj", "v 0 0 0\r\n\r\nv 1 x 0\r\n", 3, "'x'");
    kit_refused("f20.obj", "v 0 0 0\r\rv 1 x 0\r", 3, "'x'");
    kit_refused("f20.obj", "v 0 0 0\n\\\n\\\nv 1 \\\n x 0\n", 5, "'x'");
}

static void test_F20_names_of_files(void **state)
{
    (void)state;
    xpbd_mesh mesh = kit_mesh("f20 \xc3\xa4 b.OBJ", with_points("f 1 2 3"));
    xpbd_mesh_free(&mesh);
    kit_refused("f20.txt", "v 0 0 0\n", 0, "known are .obj .node .ele .msh");
    kit_refused("f20obj", "v 0 0 0\n", 0, "is not a mesh by its name");
    const char *path = kit_temporary("f20\nline.obj");
    kit_write(path, "v\n", 2);
    kit_refused_file(path, kit_temporary("f20?line.obj"), 1, "missing");
}

static void test_obj_statements_that_are_refused(void **state)
{
    (void)state;
    kit_refused("bad.obj", with_points("f 1 2\n"), 4, "a face has 2 corners");
    kit_refused("bad.obj", with_points("f\n"), 4, "a face has 0 corners");
    kit_refused("bad.obj", with_points("l 1\n"), 4, "a line has 1 vertices");
    kit_refused("bad.obj", with_points("f 1 2 x\n"), 4, "'x' is not a vertex index");
    kit_refused("bad.obj", with_points("f 1 2 3.5\n"), 4, "'3.5' is not a vertex index");
    kit_refused("bad.obj", with_points("f 1 2 3/a\n"), 4, "is not a vertex index");
    kit_refused("bad.obj", with_points("f 1 2 3/1/1/1\n"), 4, "is not a vertex index");
    kit_refused("bad.obj", with_points("f 1 2 /3\n"), 4, "is not a vertex index");
    kit_refused("bad.obj", with_points("1 2 3\n"), 4, "'1' is not an OBJ statement");
    kit_refused("bad.obj", "\x89PNG\r\n\x1a\n", 1, "'?PNG' is not an OBJ statement");
}

static void test_A03_degenerate_faces_are_counted(void **state)
{
    (void)state;
    xpbd_mesh mesh = kit_mesh("a03.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 2\n"
                                         "f 4 4 4\nf 1 2 4\nl 3 3\n");
    static const uint32_t want[] = {0, 1, 2};
    assert_int_equal(mesh.n_triangles, 1);
    kit_same_indices(mesh.triangles, want, 3);
    assert_int_equal(mesh.n_repeated, 3);
    assert_int_equal(mesh.n_zero_area, 1);
    assert_int_equal(mesh.n_edges, 3);
    xpbd_mesh_free(&mesh);

    /* A quad with a corner twice is the triangle that is left; one in a line is nothing. Zero is
     * relative: a triangle of a nanometre has an area. */
    mesh = kit_mesh("a03.obj", "v 0 0 0\nv 1e-9 0 0\nv 0 1e-9 0\nv 2e-9 0 0\nv 3e-9 0 0\n"
                               "v 0 0 0\nf 1 2 3 3\nf 1 2 4 5\nf 2 1 2 1\nl 1 6\n");
    assert_int_equal(mesh.n_triangles, 1);
    assert_int_equal(mesh.n_zero_area, 2);
    assert_int_equal(mesh.n_zero_length, 1);
    assert_int_equal(mesh.n_edges, 3);
    xpbd_mesh_free(&mesh);
}

/* A spike leaves a triangle without area; the sides of the polygon must not go with it. */
static void test_A03_sides_of_a_spike_are_kept(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 1, 0, 2, 0, 3, 1, 2, 2, 3};
    xpbd_mesh mesh = kit_mesh("a03.obj", "v 0 0 0\nv 3 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3 4\n");
    assert_int_equal(mesh.n_triangles, 1);
    assert_int_equal(mesh.n_zero_area, 1);
    assert_int_equal(mesh.n_edges, 5);
    kit_same_indices(mesh.edges, want, 10);
    xpbd_mesh_free(&mesh);
}

static void test_A05_nothing_to_solve_is_refused(void **state)
{
    (void)state;
    kit_refused("a05.obj", three_points, 0, "holds no edge: 3 points");
    kit_refused("a05.obj", "# nothing\n", 0, "holds no edge: 0 points");
    kit_refused("a05.obj", with_points("f 1 2 2\nf 1 1 1\n"), 0, "2 elements repeat a point");
}

static void test_A06_doubled_faces_give_edges_once(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 1, 0, 2, 0, 3, 1, 2, 2, 3};
    xpbd_mesh mesh = kit_mesh("a06.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n"
                                         "f 1 3 4\nf 1 4 3\nl 1 2 3 4 1 3\n");
    assert_int_equal(mesh.n_triangles, 4);
    assert_int_equal(mesh.n_edges, 5);
    kit_same_indices(mesh.edges, want, 10);
    xpbd_mesh_free(&mesh);
}

/* A hub with more edges than are sorted by insertion, named from both ends and backwards. */
static void test_edges_of_a_hub_are_sorted(void **state)
{
    (void)state;
    char text[8192];
    size_t at = 0;
    for (int k = 0; k < 200; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "v %d 1 0\n", k);
    for (int k = 199; k > 0; k--)
        at += (size_t)snprintf(text + at, sizeof text - at, "l %d 1 %d\n", k + 1, k + 1);
    xpbd_mesh mesh = kit_mesh("hub.obj", text);
    assert_int_equal(mesh.n_edges, 199);
    for (uint32_t k = 0; k < 199; k++)
        assert_int_equal(mesh.edges[2 * k + 1], k + 1);
    xpbd_mesh_free(&mesh);
}

static void test_A07_edges_of_grids(void **state)
{
    (void)state;
    static char text[200000];
    size_t at = 0;
    for (int k = 0; k < 51 * 51; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "v %d 0 %d\n", k % 51, k / 51);
    for (int k = 0; k < 50 * 50; k++) {
        int corner = k / 50 * 51 + k % 50 + 1;
        at += (size_t)snprintf(text + at, sizeof text - at, "f %d %d %d %d\n", corner, corner + 51,
                               corner + 52, corner + 1);
    }
    xpbd_mesh mesh = kit_mesh("a07.obj", text);
    assert_int_equal(mesh.n_triangles, 5000);
    assert_int_equal(mesh.n_edges, 7600);
    for (size_t k = 0; k < mesh.n_edges; k++) {
        const float *a = mesh.points + 3 * (size_t)mesh.edges[2 * k];
        const float *b = mesh.points + 3 * (size_t)mesh.edges[2 * k + 1];
        assert_true(fabsf(a[0] - b[0]) <= 1.0f && fabsf(a[2] - b[2]) <= 1.0f);
    }
    xpbd_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_F01_obj_negative_indices),
        cmocka_unit_test(test_F02_obj_index_before_first_vertex),
        cmocka_unit_test(test_F03_obj_indices_start_at_1),
        cmocka_unit_test(test_F05_obj_polygons),
        cmocka_unit_test(test_F05_obj_arrow_head),
        cmocka_unit_test(test_F05_obj_concave_polygons),
        cmocka_unit_test(test_F20_flavours_of_text),
        cmocka_unit_test(test_F20_names_of_files),
        cmocka_unit_test(test_obj_statements_that_are_refused),
        cmocka_unit_test(test_A03_degenerate_faces_are_counted),
        cmocka_unit_test(test_A03_sides_of_a_spike_are_kept),
        cmocka_unit_test(test_A05_nothing_to_solve_is_refused),
        cmocka_unit_test(test_A06_doubled_faces_give_edges_once),
        cmocka_unit_test(test_edges_of_a_hub_are_sorted),
        cmocka_unit_test(test_A07_edges_of_grids),
    };
    return RUN_GROUP("mesh_reader", tests);
}
