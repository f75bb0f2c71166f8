/* SPDX-License-Identifier: MIT
 *
 * One scene for the library and for the reference.
 */
#include "bench/validation/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(xpbd_status status, const char *what)
{
    if (status != XPBD_OK) {
        fprintf(stderr, "validation: %s: %s\n", what, xpbd_status_text(status));
        abort();
    }
}

val_model *val_model_make(void)
{
    return ref_zeroed(1, sizeof(val_model));
}

void val_model_free(val_model *m)
{
    free(m->x);
    free(m->v);
    free(m->w);
    free(m->item);
    free(m->triangle);
    free(m);
}

uint32_t val_particle(val_model *m, double x, double y, double z, double w)
{
    if (m->n == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        m->x = ref_grown(m->x, m->room, sizeof *m->x);
        m->v = ref_grown(m->v, m->room, sizeof *m->v);
        m->w = ref_grown(m->w, m->room, sizeof *m->w);
    }
    m->x[m->n][0] = (float)x, m->x[m->n][1] = (float)y, m->x[m->n][2] = (float)z;
    memset(m->v[m->n], 0, sizeof m->v[m->n]);
    m->w[m->n] = (float)w;
    return m->n++;
}

void val_join(val_model *m, xpbd_constraint_type type, const uint32_t *corner, const float *rest,
              double compliance)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    if (m->n_items == m->item_room) {
        m->item_room = m->item_room ? 2 * m->item_room : 64;
        m->item = ref_grown(m->item, m->item_room, sizeof *m->item);
    }
    struct val_item *item = &m->item[m->n_items++];
    *item = (struct val_item){.type = type, .compliance = (float)compliance};
    memcpy(item->corner, corner, info->n_particles * sizeof *corner);
    memcpy(item->rest, rest, info->n_rest * sizeof *rest);
}

void val_spring(val_model *m, uint32_t a, uint32_t b, double length, double compliance)
{
    const float rest = (float)length;
    val_join(m, XPBD_DISTANCE, (const uint32_t[]){a, b}, &rest, compliance);
}

void val_enclose(val_model *m, uint32_t n, uint32_t (*triangle)[3], double volume, double factor,
                 double compliance)
{
    m->n_triangles = n;
    m->triangle = triangle;
    m->volume[0] = (float)volume;
    m->volume[1] = (float)factor;
    m->volume_compliance = (float)compliance;
}

static void add_triangle(val_model *m, uint32_t a, uint32_t b, uint32_t c, double Eh, double nu)
{
    const float *x = m->x[a], *y = m->x[b], *z = m->x[c];
    const float rest[7] = {y[0] - x[0],
                           y[1] - x[1],
                           z[0] - x[0],
                           z[1] - x[1],
                           1.0f,
                           (float)nu,
                           (float)(0.5 / (1.0 + nu))};
    val_join(m, XPBD_TRI_FEM, (const uint32_t[]){a, b, c}, rest, 1.0 / Eh);
}

void val_strip(val_model *m, uint32_t columns, uint32_t rows, double length, double height,
               double Eh, double nu, double density)
{
    const uint32_t line = columns + 1;
    double *mass = ref_zeroed((size_t)line * (rows + 1), sizeof *mass);
    for (uint32_t j = 0; j <= rows; j++) {
        for (uint32_t i = 0; i <= columns; i++) {
            val_particle(m, length * i / columns, height * j / rows, 0.0, 0.0);
        }
    }
    for (uint32_t cell = 0; cell < columns * rows; cell++) {
        const uint32_t i = cell % columns, j = cell / columns;
        const uint32_t a = j * line + i, b = a + 1, c = a + line + 1, d = a + line;
        const bool falling = (i + j) % 2;
        const uint32_t triangle[2][3] = {{a, b, falling ? d : c}, {falling ? b : a, c, d}};
        for (int t = 0; t < 2; t++) {
            add_triangle(m, triangle[t][0], triangle[t][1], triangle[t][2], Eh, nu);
            for (int k = 0; k < 3; k++) {
                mass[triangle[t][k]] += density * length * height / (6.0 * columns * rows);
            }
        }
    }
    for (uint32_t i = 0; i < m->n; i++) {
        m->w[i] = i % line ? (float)(1.0 / mass[i]) : 0.0f;
    }
    m->plane = true;
    free(mass);
}

static void add_items(const val_model *m, xpbd_world *w, uint32_t first, uint32_t count)
{
    const struct val_item *i = &m->item[first];
    check(xpbd_world_add_constraints(
              w, i->type, count,
              &(xpbd_constraints){.particles = i->corner,
                                  .particles_stride = sizeof *i,
                                  .rest = i->rest,
                                  .rest_stride = sizeof *i,
                                  .compliance = m->stiffness > 0.0f ? NULL : &i->compliance,
                                  .compliance_stride = sizeof *i,
                                  .stiffness = m->stiffness > 0.0f ? &m->stiffness : NULL,
                                  .stiffness_stride = XPBD_SAME,
                                  .damping = m->damping > 0.0f ? &m->damping : NULL,
                                  .damping_stride = XPBD_SAME,
                                  .damping_time = m->damping_time > 0.0f ? &m->damping_time : NULL,
                                  .damping_time_stride = XPBD_SAME},
              NULL),
          "constraints");
}

xpbd_world *val_world(const val_model *m, const char *scheduler, uint32_t substeps,
                      uint32_t iterations)
{
    xpbd_world *w;
    xpbd_world_def def = xpbd_default_world_def();
    def.scheduler = scheduler;
    def.threads = 1;
    def.substeps = substeps;
    def.iterations = iterations;
    def.plain_stiffness = true;
    memcpy(def.acceleration, m->gravity, sizeof def.acceleration);
    check(xpbd_world_create(&def, &w, NULL), "world");
    check(xpbd_world_add_particles(
              w, m->n,
              &(xpbd_particles){.position = m->x[0], .velocity = m->v[0], .inverse_mass = m->w},
              NULL),
          "particles");
    for (uint32_t i = 0; i < m->n_items;) {
        uint32_t end = i + 1;
        while (end < m->n_items && m->item[end].type == m->item[i].type) {
            end++;
        }
        add_items(m, w, i, end - i);
        i = end;
    }
    if (m->n_triangles) {
        check(xpbd_world_add_constraints(w, XPBD_MESH_VOLUME, 1,
                                         &(xpbd_constraints){.particles = m->triangle[0],
                                                             .sizes = &m->n_triangles,
                                                             .rest = m->volume,
                                                             .compliance = &m->volume_compliance,
                                                             .compliance_stride = XPBD_SAME},
                                         NULL),
              "volume");
    }
    return w;
}

ref_system *val_reference(const val_model *m)
{
    ref_system *s = ref_make();
    for (uint32_t i = 0; i < m->n; i++) {
        const double x[3] = {(double)m->x[i][0], (double)m->x[i][1], (double)m->x[i][2]};
        const double v[3] = {(double)m->v[i][0], (double)m->v[i][1], (double)m->v[i][2]};
        ref_add_particle(s, x, v, (double)m->w[i]);
    }
    for (uint32_t i = 0; i < m->n_items; i++) {
        double rest[REF_REST];
        for (int k = 0; k < REF_REST; k++) {
            rest[k] = (double)m->item[i].rest[k];
        }
        ref_add_constraint(s, m->item[i].type, m->item[i].corner, rest,
                           (double)m->item[i].compliance);
    }
    if (m->n_triangles) {
        ref_add_mesh_volume(s, m->n_triangles, (const uint32_t(*)[3])m->triangle,
                            (double)m->volume[0] * (double)m->volume[1],
                            (double)m->volume_compliance);
    }
    for (int k = 0; k < 3; k++) {
        s->gravity[k] = (double)m->gravity[k];
    }
    s->plane = m->plane;
    return s;
}

void val_steps(xpbd_world *w, uint32_t n, double dt)
{
    for (uint32_t i = 0; i < n; i++) {
        check(xpbd_world_step(w, dt), "step");
    }
}

void val_settle(xpbd_world *w, uint32_t n_particles, uint32_t n, double dt, double keep)
{
    float(*v)[3] = ref_zeroed(n_particles, sizeof *v);
    for (uint32_t i = 0; i < n; i++) {
        val_steps(w, 1, dt);
        check(xpbd_world_read_velocities(w, 0, n_particles, v[0], 0), "velocities");
        for (uint32_t k = 0; k < 3 * n_particles; k++) {
            v[k / 3][k % 3] *= (float)keep;
        }
        check(xpbd_world_set_velocities(w, 0, n_particles, v[0], 0), "velocities");
    }
    free(v);
}

float (*val_positions(const xpbd_world *w, uint32_t n))[3]
{
    float(*x)[3] = ref_zeroed(n, sizeof *x);
    check(xpbd_world_read_positions(w, 0, n, x[0], 0), "positions");
    return x;
}

void val_copy_state(xpbd_world *w, const ref_system *s)
{
    float(*x)[3] = ref_zeroed(s->n_particles, sizeof *x);
    float(*v)[3] = ref_zeroed(s->n_particles, sizeof *v);
    for (uint32_t i = 0; i < 3 * s->n_particles; i++) {
        x[i / 3][i % 3] = (float)s->x[i / 3][i % 3];
        v[i / 3][i % 3] = (float)s->v[i / 3][i % 3];
    }
    check(xpbd_world_set_positions(w, 0, s->n_particles, x[0], 0), "positions");
    check(xpbd_world_set_velocities(w, 0, s->n_particles, v[0], 0), "velocities");
    free(x);
    free(v);
}

double val_distance(const xpbd_world *w, const ref_system *s)
{
    float(*x)[3] = val_positions(w, s->n_particles);
    double most = 0.0;
    for (uint32_t i = 0; i < s->n_particles; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const double d = (double)x[i][k] - s->x[i][k];
            square += d * d;
        }
        most = fmax(most, sqrt(square));
    }
    free(x);
    return most;
}

double val_lambda(const xpbd_world *w, xpbd_constraint_type type, uint32_t index)
{
    float lambda[REF_ROWS];
    check(xpbd_world_read_lambdas(w, type, index, 1, lambda, 0), "lambdas");
    return (double)lambda[0];
}

void val_fit_oscillation(const double *y, uint32_t n, double *trace, double *det)
{
    double aa = 0, ab = 0, bb = 0, ac = 0, bc = 0;
    for (uint32_t i = 1; i + 1 < n; i++) {
        const double a = y[i], b = -y[i - 1], c = y[i + 1];
        aa += a * a, ab += a * b, bb += b * b, ac += a * c, bc += b * c;
    }
    const double d = aa * bb - ab * ab;
    *trace = (ac * bb - bc * ab) / d;
    *det = (bc * aa - ac * ab) / d;
}
