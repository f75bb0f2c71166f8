/* SPDX-License-Identifier: MIT
 *
 * Every iteration of a shape_match and of a mesh_volume, in all variants: damped, relaxed, of
 * Jacobi, compliant, with pinned particles, near the origin and far from it. What is expected is
 * computed here in double precision, from the formulas that their kernels open with.
 */
#include "tests/support_clusters.h"

#include <math.h>

/* One more group of lanes than is full. */
enum { MEMBERS = 21, MOST = 32 };

/** How a world is, and what of it the formulas know. */
typedef struct scene {
    const char *scheduler;
    uint32_t iterations;
    float relaxation, compliance, damping_time, stretch, pressure;
    bool pinned, far;
    uint32_t n, n_triangles;
    uint32_t (*triangle)[3];
    float start[MOST][3], v[MOST][3], rest[MOST][3], w[MOST];
    double x[MOST][3], before[MOST][3], lambda[MOST][3]; /* of mesh_volume: lambda[0][0] */
} scene;

static const double dt = 0x1p-6;

typedef double vector[3];
typedef double matrix[3][3];

static void multiply(const matrix a, const matrix b, matrix out)
{
    for (int k = 0; k < 9; k++) {
        out[k / 3][k % 3] =
            a[k / 3][0] * b[0][k % 3] + a[k / 3][1] * b[1][k % 3] + a[k / 3][2] * b[2][k % 3];
    }
}

/** Adjugate, and the determinant. */
static double adjugate(const matrix m, matrix out)
{
    for (int k = 0; k < 9; k++) {
        const int i = (k % 3 + 1) % 3, j = (k % 3 + 2) % 3;
        const int a = (k / 3 + 1) % 3, b = (k / 3 + 2) % 3;
        out[k / 3][k % 3] = m[i][a] * m[j][b] - m[i][b] * m[j][a];
    }
    return m[0][0] * out[0][0] + m[0][1] * out[1][0] + m[0][2] * out[2][0];
}

/** The rotation of m = R S with a positive S: the mean of a matrix and its inverse transposed has
 * the same R, and an S that is closer to 1. */
static void polar(const matrix m, matrix R)
{
    memcpy(R, m, sizeof(matrix));
    for (int time = 0; time < 60; time++) {
        matrix a;
        const double det = adjugate((const double(*)[3])R, a);
        assert_true(det > 0.0);
        for (int k = 0; k < 9; k++) {
            R[k / 3][k % 3] = 0.5 * (R[k / 3][k % 3] + a[k % 3][k / 3] / det);
        }
    }
}

/** Centre of points with weights; what they are from there goes to out. */
static void center(uint32_t n, double (*x)[3], const double *u, double (*out)[3])
{
    double sum = 0.0;
    vector c = {0};
    for (uint32_t i = 0; i < n; i++) {
        sum += u[i];
        for (int k = 0; k < 3; k++) {
            c[k] += u[i] * x[i][k];
        }
    }
    for (uint32_t k = 0; k < 3 * n; k++) {
        out[k / 3][k % 3] = x[k / 3][k % 3] - c[k % 3] / sum;
    }
}

static void moments(uint32_t n, double (*a)[3], double (*b)[3], const double *u, matrix out)
{
    memset(out, 0, sizeof(matrix));
    for (uint32_t i = 0; i < n; i++) {
        for (int k = 0; k < 9; k++) {
            out[k / 3][k % 3] += u[i] * a[i][k / 3] * b[i][k % 3];
        }
    }
}

/** T for members at a and the shape b, both around their centres. */
static void best_map(const scene *s, double (*a)[3], double (*b)[3], const double *u, matrix T)
{
    const double beta = (double)s->stretch;
    matrix M, Q, inverse, A, unused;
    moments(s->n, a, b, u, M);
    moments(s->n, b, b, u, Q);
    polar((const double(*)[3])M, T);
    const double det = adjugate((const double(*)[3])Q, inverse);
    multiply((const double(*)[3])M, (const double(*)[3])inverse, A);
    const double root = cbrt(adjugate((const double(*)[3])A, unused)); /* of det A det^3 */
    for (int k = 0; k < 9; k++) {
        T[k / 3][k % 3] = (1.0 - beta) * T[k / 3][k % 3] + beta * A[k / 3][k % 3] / root;
    }
    assert_true(det > 0.0);
}

/** The shape that damping wants: drawn by kappa to what it was, turned back. */
static void blend(const scene *s, double kappa, const double *u, double (*b)[3])
{
    vector before[MOST];
    matrix M, R;
    memcpy(before, s->before, sizeof before);
    center(s->n, before, u, before);
    moments(s->n, before, b, u, M);
    polar((const double(*)[3])M, R);
    for (uint32_t i = 0; i < s->n; i++) {
        for (int k = 0; k < 3; k++) {
            const double back =
                R[0][k] * before[i][0] + R[1][k] * before[i][1] + R[2][k] * before[i][2];
            b[i][k] += kappa * (back - b[i][k]);
        }
    }
}

/** What a correction and its lambda are multiplied with. */
static double part_of(const scene *s)
{
    return (double)s->relaxation;
}

static void iterate_shape(scene *s, double *u)
{
    const double gamma = (double)s->damping_time / dt;
    const double alpha = (double)s->compliance / (dt * dt) / (1.0 + gamma);
    double most = 0.0;
    vector z[MOST], b[MOST];
    matrix T;
    for (uint32_t i = 0; i < s->n; i++) {
        most = fmax(most, (double)s->w[i]);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        u[i] = 1.0 / fmax((double)s->w[i] + alpha, 1e-4 * (most + alpha));
        for (int k = 0; k < 3; k++) {
            z[i][k] = s->x[i][k] - (double)s->w[i] * s->lambda[i][k];
            b[i][k] = (double)s->rest[i][k];
        }
    }
    center(s->n, z, u, z);
    center(s->n, b, u, b);
    if (s->damping_time > 0.0f) {
        blend(s, gamma / (1.0 + gamma), u, b);
    }
    best_map(s, z, b, u, T);
    for (uint32_t i = 0; i < s->n; i++) {
        for (int k = 0; k < 3; k++) {
            const double goal = T[k][0] * b[i][0] + T[k][1] * b[i][1] + T[k][2] * b[i][2];
            const double d = part_of(s) * (u[i] * (goal - z[i][k]) - s->lambda[i][k]);
            s->lambda[i][k] += d;
            s->x[i][k] += (double)s->w[i] * d;
        }
    }
}

/** V, and its gradient. */
static double volume_of(const scene *s, double (*g)[3])
{
    double volume = 0.0;
    memset(g, 0, s->n * sizeof *g);
    for (uint32_t e = 0; e < s->n_triangles; e++) {
        const uint32_t *t = s->triangle[e];
        const double *o = s->x[0];
        for (int corner = 0; corner < 3; corner++) {
            const double *p = s->x[t[(corner + 1) % 3]], *q = s->x[t[(corner + 2) % 3]];
            for (int k = 0; k < 3; k++) {
                const int l = (k + 1) % 3, m = (k + 2) % 3;
                const double cross = (p[l] - o[l]) * (q[m] - o[m]) - (p[m] - o[m]) * (q[l] - o[l]);
                g[t[corner]][k] += cross / 6.0;
                volume += corner ? 0.0 : (s->x[t[0]][k] - o[k]) * cross / 6.0;
            }
        }
    }
    return volume;
}

static void iterate_volume(scene *s, double *u)
{
    const double gamma = (double)s->damping_time / dt, alpha = (double)s->compliance / (dt * dt);
    vector g[MOST];
    double weight = 0.0, rate = 0.0;
    const double V = volume_of(s, g);
    for (uint32_t k = 0; k < 3 * s->n; k++) {
        const double slope = g[k / 3][k % 3];
        weight += (double)s->w[k / 3] * slope * slope;
        rate += slope * (s->x[k / 3][k % 3] - s->before[k / 3][k % 3]);
    }
    const double C = V - (double)s->pressure * (double)s->rest[0][0];
    const double d = part_of(s) * (-C - alpha * s->lambda[0][0] - gamma * rate) /
                     ((1.0 + gamma) * weight + alpha);
    s->lambda[0][0] += d;
    for (uint32_t k = 0; k < 3 * s->n; k++) {
        s->x[k / 3][k % 3] += (double)s->w[k / 3] * g[k / 3][k % 3] * d;
    }
    u[0] = 1.0 / ((1.0 + gamma) * weight + alpha);
}

/* Far from the origin, floats are so: a rest shape keeps 2^-13 m, and a position 2^-17 m. */
static const float far_rest[3] = {1024, -1040, 1056}, far_at[3] = {80, -96, 112};

static void make_random(scene *s)
{
    uint64_t seed = 17;
    const float c = 0.6f, d = 0.8f;
    for (uint32_t i = 0; i < s->n; i++) {
        s->w[i] =
            s->pinned && i % 5 == 3 ? 0.0f : kit_uniform(&seed, 0.1f, s->pinned ? 0.6f : 3.0f);
        float r[3];
        for (int k = 0; k < 3; k++) {
            r[k] = s->n_triangles ? s->start[i][k]
                                  : roundf(0x1p13f * kit_uniform(&seed, -1, 1)) / 0x1p13f;
            s->v[i][k] = kit_uniform(&seed, -2, 2);
        }
        const float turned[3] = {c * r[0] - d * r[1], d * r[0] + c * r[1], r[2]};
        for (int k = 0; k < 3; k++) {
            s->rest[i][k] = r[k] + (s->far ? far_rest[k] : 0.0f);
            s->start[i][k] =
                turned[k] + kit_uniform(&seed, -0.1f, 0.1f) + (s->far ? far_at[k] : 0.0f);
        }
    }
}

/* What is checked is not the first of its type: a tetrahedron at rest is. */
static void add_other(xpbd_world *world, xpbd_constraint_type type)
{
    static const float x[4][3] = {{9, 0, 0}, {10, 0, 0}, {9, 1, 0}, {9, 0, 1}}, stretch = 0;
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, four = 4;
    const bool mesh = type == XPBD_MESH_VOLUME;
    uint32_t first, corner[12];
    assert_ok(xpbd_world_add_particles(world, 4, &(xpbd_particles){.position = x[0]}, &first));
    for (uint32_t k = 0; k < 12; k++) {
        corner[k] = first + (mesh ? faces[k / 3][k % 3] : k);
    }
    const xpbd_constraints c = {
        .particles = corner, .sizes = &four, .rest = mesh ? NULL : &stretch};
    assert_ok(xpbd_world_add_constraints(world, type, 1, &c, NULL));
}

static xpbd_world *make_world(scene *s)
{
    xpbd_world_def def = kit_def(s->scheduler);
    def.iterations = s->iterations;
    def.relaxation = s->relaxation;
    xpbd_world *world = kit_create(&def);
    const xpbd_particles p = {.position = s->start[0], .inverse_mass = s->w};
    assert_ok(xpbd_world_add_particles(world, s->n, &p, NULL));
    add_other(world, s->n_triangles ? XPBD_MESH_VOLUME : XPBD_SHAPE_MATCH);
    const float volume[2] = {0.5f, s->pressure};
    const xpbd_constraints c = {.rest = s->n_triangles ? volume : NULL,
                                .element_rest = s->n_triangles ? NULL : s->rest[0],
                                .compliance = &s->compliance,
                                .damping_time = s->damping_time > 0.0f ? &s->damping_time : NULL};
    if (s->n_triangles) {
        const kit_surface mesh = {
            .n = s->n, .n_triangles = s->n_triangles, .triangle = s->triangle};
        s->rest[0][0] = volume[0];
        kit_add_volume(world, &mesh, &c);
    } else {
        kit_add_cluster(world, s->n, NULL, s->stretch, &c);
    }
    return world;
}

/* Two steps, each from where the library's last one ended: the second starts with a rotation. Three
 * iterations near the origin, of some 10 roundings each; far away one, whose lambda may be no less
 * exact, but whose positions are rounded to 2^-18. */
static void check_steps(scene *s, void (*iterate)(scene *, double *), xpbd_constraint_type type)
{
    xpbd_world *world = make_world(s);
    const uint32_t n_rows = s->n_triangles ? 1 : 3 * s->n;
    uint64_t seed = 29;
    for (int step = 0; step < 2; step++) {
        float now[MOST][3], lambda[3 * MOST];
        double u[MOST];
        for (uint32_t k = 0; k < 3 * s->n; k++) {
            float *v = &s->v[k / 3][k % 3], x = s->start[k / 3][k % 3];
            *v = s->w[k / 3] > 0.0f ? kit_uniform(&seed, -2, 2) : 0.0f;
            s->before[k / 3][k % 3] = (double)x;
            s->x[k / 3][k % 3] = (double)(x + (float)dt * *v);
        }
        assert_ok(xpbd_world_set_velocities(world, 0, s->n, s->v[0], 0));
        kit_steps(world, 1, dt);
        memset(s->lambda, 0, sizeof s->lambda);
        for (uint32_t time = 0; time < s->iterations; time++) {
            iterate(s, u);
        }
        assert_ok(xpbd_world_read_lambdas(world, type, 1, 1, lambda, 0));
        assert_ok(xpbd_world_read_positions(world, 0, s->n, now[0], 0));
        for (uint32_t k = 0; k < 3 * s->n; k++) {
            assert_near(now[k / 3][k % 3], s->x[k / 3][k % 3], s->far ? 6e-6 : 1e-6);
        }
        for (uint32_t k = 0; k < n_rows; k++) {
            assert_near(lambda[k], s->lambda[k / 3][k % 3], 1e-6 * u[k / 3]);
        }
        memcpy(s->start, now, sizeof now);
    }
    xpbd_world_destroy(world);
}

/* case: all of what there is, in bits. */
static void choose(scene *s, int kind)
{
    static const struct {
        const char *name;
        float relaxation;
    } ways[] = {{"serial-gs", 1}, {"serial-gs", 1.25f}, {"jacobi", 0.75f}};
    s->far = kind & 1;
    s->pinned = kind & 2;
    s->compliance = kind & 4 ? 1e-4f : 0.0f;
    s->damping_time = kind & 8 ? 0.01f : 0.0f;
    s->iterations = s->far ? 1 : 3;
    s->scheduler = ways[kind / 16].name;
    s->relaxation = ways[kind / 16].relaxation;
}

static void test_iterations_of_a_cluster_are_those_of_its_formulas(void **state)
{
    static const float stretches[] = {0.0f, 0.5f, 1.0f};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(stretches); i++) {
        for (int kind = 0; kind < 48; kind++) {
            scene s = {.n = MEMBERS, .stretch = stretches[i]};
            choose(&s, kind);
            make_random(&s);
            check_steps(&s, iterate_shape, XPBD_SHAPE_MATCH);
        }
    }
}

static void test_iterations_of_a_volume_are_those_of_its_formulas(void **state)
{
    (void)state;
    for (int kind = 0; kind < 48; kind++) {
        kit_surface mesh = kit_sphere(5, 5, 0.75f);
        scene s = {.n = mesh.n, .n_triangles = mesh.n_triangles, .triangle = mesh.triangle};
        assert_true(mesh.n <= MOST);
        s.pressure = 1.5f;
        for (uint32_t e = 0; e < mesh.n_triangles / 2; e++) { /* not particle 0 first */
            uint32_t last[3];
            memcpy(last, mesh.triangle[mesh.n_triangles - 1 - e], sizeof last);
            memcpy(mesh.triangle[mesh.n_triangles - 1 - e], mesh.triangle[e], sizeof last);
            memcpy(mesh.triangle[e], last, sizeof last);
        }
        memcpy(s.start, mesh.x, mesh.n * sizeof *mesh.x);
        choose(&s, kind);
        make_random(&s);
        check_steps(&s, iterate_volume, XPBD_MESH_VOLUME);
        kit_surface_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterations_of_a_cluster_are_those_of_its_formulas),
        cmocka_unit_test(test_iterations_of_a_volume_are_those_of_its_formulas),
    };
    return RUN_GROUP("cluster_variants", tests);
}
