/* SPDX-License-Identifier: MIT
 *
 * The integrators of textbooks, and spectral radii of sweeps.
 */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ref_integrator_name(ref_integrator integrator)
{
    static const char *const name[REF_INTEGRATOR_COUNT] = {"forward Euler", "backward Euler",
                                                           "symplectic Euler", "Störmer–Verlet"};
    return name[integrator];
}

void ref_integrate(ref_system *s, ref_integrator integrator, double dt)
{
    if (integrator == REF_BACKWARD_EULER) {
        ref_step(s, dt);
        return;
    }
    double(*a)[3] = ref_zeroed(s->n_particles, sizeof *a);
    ref_acceleration(s, a);
    for (uint32_t i = 0; i < 3 * s->n_particles; i++) {
        double *x = &s->x[i / 3][i % 3], *v = &s->v[i / 3][i % 3], before = *x;
        if (!(s->w[i / 3] > 0.0) || (s->plane && i % 3 == 2)) {
            continue;
        }
        switch (integrator) {
        case REF_FORWARD_EULER:
            *x += dt * *v;
            *v += dt * a[i / 3][i % 3];
            break;
        case REF_SYMPLECTIC_EULER:
            *v += dt * a[i / 3][i % 3];
            *x += dt * *v;
            break;
        default: /* x_(n-1) is x - dt v */
            *x = 2.0 * before - (before - dt * *v) + dt * dt * a[i / 3][i % 3];
            *v = (*x - before) / dt;
            break;
        }
    }
    free(a);
}

static void relax(uint32_t n, const double *A, uint32_t row, double omega, double *x)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        sum += A[row * n + j] * x[j];
    }
    x[row] -= omega * sum / A[row * n + row];
}

static void sweep_once(ref_sweep sweep, uint32_t n, const double *A, const double *diagonal,
                       double omega, double *x, double *next)
{
    if (sweep == REF_SWEEP_JACOBI) {
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (uint32_t j = 0; j < n; j++) {
                sum += A[i * n + j] * x[j];
            }
            next[i] = x[i] - omega * sum / (diagonal ? diagonal[i] : A[i * n + i]);
        }
        memcpy(x, next, n * sizeof *x);
        return;
    }
    const uint32_t stride = sweep == REF_SWEEP_TWO_COLORS ? 2 : 1;
    for (uint32_t color = 0; color < stride; color++) {
        for (uint32_t i = color; i < n; i += stride) {
            relax(n, A, i, omega, x);
        }
    }
}

/* The mean growth over many sweeps: eigenvalues of SOR come in pairs of equal size, of Jacobi with
 * both signs, so that single ratios do not settle. */
double ref_spectral_radius(ref_sweep sweep, uint32_t n, const double *A, const double *diagonal,
                           double omega)
{
    enum { BEFORE = 20000, COUNTED = 20000 };
    double *x = ref_zeroed(n, sizeof *x), *next = ref_zeroed(n, sizeof *next), growth = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        x[i] = 1.0 + 0.37 * i / n;
    }
    for (int k = 0; k < BEFORE + COUNTED; k++) {
        double size = 0.0;
        sweep_once(sweep, n, A, diagonal, omega, x, next);
        for (uint32_t i = 0; i < n; i++) {
            size += x[i] * x[i];
        }
        size = sqrt(size);
        growth += k >= BEFORE ? log(size) : 0.0;
        for (uint32_t i = 0; i < n; i++) {
            x[i] /= size;
        }
    }
    free(x);
    free(next);
    return exp(growth / COUNTED);
}
