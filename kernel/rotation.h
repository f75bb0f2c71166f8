/* SPDX-License-Identifier: MIT
 *
 * The rotation R that is nearest to a 3 x 3 matrix A: the one with the greatest tr(R^T A). In
 * double precision and, sqrt apart, in additions, multiplications and divisions only, so that it
 * rounds the same everywhere.
 *
 * [ROT16] iterates omega = (sum r x a) / |sum r . a| from the last rotation. That converges by a
 * factor of the largest share of one direction in A per step, and stands still on a half turn. Here
 * the same gradient is used with its own second derivative, H = tr(S) I - S where S = A R^T, as
 * Newton's method: two or three steps instead of twenty. Where H is not positive (far away, half a
 * turn, inverted) the rotation is the eigenvector of the greatest eigenvalue of Horn's matrix
 * [HORN87], found by Jacobi rotations. Nothing else than the best rotation is a local maximum, so
 * what Newton's method converges to with a positive H is that one.
 *
 * Points on a line, in one place or mirrored have several best rotations: the one closest to the
 * given one is taken. A that is symmetric and positive gives the identity exactly.
 */
#ifndef XPBD_KERNEL_ROTATION_H
#define XPBD_KERNEL_ROTATION_H

#include <math.h>
#include <stdbool.h>

enum { XPBD_ROTATION_STEPS = 8, XPBD_ROTATION_SWEEPS = 16 };

/** The matrix of a unit quaternion (w, x, y, z). */
static inline void xpbd_rotation_matrix(const double q[4], double R[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0][0] = 1.0 - 2.0 * (y * y + z * z);
    R[0][1] = 2.0 * (x * y - w * z);
    R[0][2] = 2.0 * (x * z + w * y);
    R[1][0] = 2.0 * (x * y + w * z);
    R[1][1] = 1.0 - 2.0 * (x * x + z * z);
    R[1][2] = 2.0 * (y * z - w * x);
    R[2][0] = 2.0 * (x * z - w * y);
    R[2][1] = 2.0 * (y * z + w * x);
    R[2][2] = 1.0 - 2.0 * (x * x + y * y);
}

static inline void xpbd_rotation_normalize(double q[4])
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) {
        q[k] = q[k] / length;
    }
}

static inline double xpbd_rotation_greater(double most, double value)
{
    return fabs(value) > most ? fabs(value) : most;
}

/* One Jacobi rotation of the symmetric matrix N, gathered in V: makes N[p][q] zero. */
static inline void xpbd_rotation_annihilate(double N[4][4], double V[4][4], int p, int q)
{
    if (!(fabs(N[p][q]) > 0.0)) {
        return;
    }
    const double theta = (N[q][q] - N[p][p]) / (2.0 * N[p][q]);
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 4; k++) {
        const double a = N[k][p], b = N[k][q];
        N[k][p] = c * a - s * b;
        N[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 4; k++) {
        const double a = N[p][k], b = N[q][k];
        N[p][k] = c * a - s * b;
        N[q][k] = s * a + c * b;
        const double v = V[k][p], u = V[k][q];
        V[k][p] = c * v - s * u;
        V[k][q] = s * v + c * u;
    }
    N[p][q] = 0.0;
    N[q][p] = 0.0;
}

/* The best of all rotations; of several alike the one closest to q. */
static inline void xpbd_rotation_search(const double A[3][3], double q[4])
{
    double N[4][4] = {
        {A[0][0] + A[1][1] + A[2][2], A[2][1] - A[1][2], A[0][2] - A[2][0], A[1][0] - A[0][1]},
        {A[2][1] - A[1][2], A[0][0] - A[1][1] - A[2][2], A[0][1] + A[1][0], A[0][2] + A[2][0]},
        {A[0][2] - A[2][0], A[0][1] + A[1][0], A[1][1] - A[0][0] - A[2][2], A[1][2] + A[2][1]},
        {A[1][0] - A[0][1], A[0][2] + A[2][0], A[1][2] + A[2][1], A[2][2] - A[0][0] - A[1][1]}};
    double V[4][4] = {
        {1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    double scale = 0.0;
    for (int k = 0; k < 16; k++) {
        scale = xpbd_rotation_greater(scale, N[k / 4][k % 4]);
    }
    double off = scale;
    for (int sweep = 0; sweep < XPBD_ROTATION_SWEEPS && off > 1e-15 * scale; sweep++) {
        off = 0.0;
        for (int p = 0; p < 4; p++) {
            for (int r = p + 1; r < 4; r++) {
                off = xpbd_rotation_greater(off, N[p][r]);
                xpbd_rotation_annihilate(N, V, p, r);
            }
        }
    }
    int best = 0;
    for (int k = 1; k < 4; k++) {
        best = N[k][k] > N[best][best] ? k : best;
    }
    double sum[4] = {0.0, 0.0, 0.0, 0.0}, length = 0.0;
    for (int k = 0; k < 4; k++) {
        const double along = V[0][k] * q[0] + V[1][k] * q[1] + V[2][k] * q[2] + V[3][k] * q[3];
        for (int c = 0; c < 4 && N[k][k] >= N[best][best] - 1e-6 * scale; c++) {
            sum[c] = sum[c] + along * V[c][k];
        }
    }
    for (int c = 0; c < 4; c++) {
        length += sum[c] * sum[c];
    }
    for (int c = 0; c < 4; c++) {
        q[c] = length > 1e-6 ? sum[c] : V[c][best];
    }
    xpbd_rotation_normalize(q);
}

/* H theta = t, H being symmetric; false where it is not positive. */
static inline bool xpbd_rotation_solve(const double H[3][3], const double t[3], double theta[3])
{
    const double d0 = H[0][0];
    const double l1 = H[1][0] / d0, l2 = H[2][0] / d0;
    const double d1 = H[1][1] - l1 * H[1][0], h = H[2][1] - l2 * H[1][0];
    const double l3 = h / d1, d2 = H[2][2] - l2 * H[2][0] - l3 * h;
    if (!(d0 > 0.0 && d1 > 0.0 && d2 > 0.0)) {
        return false;
    }
    const double y1 = t[1] - l1 * t[0], y2 = t[2] - l2 * t[0] - l3 * y1;
    theta[2] = y2 / d2;
    theta[1] = y1 / d1 - l3 * theta[2];
    theta[0] = t[0] / d0 - l1 * theta[1] - l2 * theta[2];
    return true;
}

/** Find the rotation nearest to A, starting from the unit quaternion q; all zeros start cold. */
static inline void xpbd_rotation_fit(const double A[3][3], double q[4])
{
    const bool cold = !(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0);
    double square = 0.0;
    for (int k = 0; k < 9; k++) {
        square += A[k / 3][k % 3] * A[k / 3][k % 3];
    }
    q[0] = cold ? 1.0 : q[0];
    if (!(square > 0.0 && square <= 1e300)) { /* no direction at all, or no numbers */
        return;
    }
    const double norm = sqrt(square);
    for (int step = 0; step < XPBD_ROTATION_STEPS && !cold; step++) {
        double R[3][3], S[3][3], H[3][3], theta[3];
        xpbd_rotation_matrix(q, R);
        for (int k = 0; k < 9; k++) {
            const double *a = A[k / 3], *r = R[k % 3];
            S[k / 3][k % 3] = a[0] * r[0] + a[1] * r[1] + a[2] * r[2];
        }
        const double t[3] = {S[2][1] - S[1][2], S[0][2] - S[2][0], S[1][0] - S[0][1]};
        /* What is all but flat in a direction (a line has one) may not turn far on noise. */
        const double trace = S[0][0] + S[1][1] + S[2][2] + 1e-5 * norm;
        for (int k = 0; k < 9; k++) {
            H[k / 3][k % 3] =
                (k / 3 == k % 3 ? trace : 0.0) - 0.5 * (S[k / 3][k % 3] + S[k % 3][k / 3]);
        }
        if (!xpbd_rotation_solve(H, t, theta)) {
            break;
        }
        const double gain = t[0] * theta[0] + t[1] * theta[1] + t[2] * theta[2];
        if (gain > 0.0) {
            const double x = 0.5 * theta[0], y = 0.5 * theta[1], z = 0.5 * theta[2];
            const double next[4] = {
                q[0] - x * q[1] - y * q[2] - z * q[3], q[1] + x * q[0] + y * q[3] - z * q[2],
                q[2] + y * q[0] + z * q[1] - x * q[3], q[3] + z * q[0] + x * q[2] - y * q[1]};
            for (int k = 0; k < 4; k++) {
                q[k] = next[k];
            }
            xpbd_rotation_normalize(q);
        }
        if (gain <= 1e-15 * norm) {
            return;
        }
    }
    xpbd_rotation_search(A, q);
}

static inline double xpbd_rotation_determinant(const double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* The cube root of a positive number, by Newton's method from above: the C library's may round
 * otherwise. */
static inline double xpbd_rotation_cube_root(double d)
{
    double x = d > 1.0 ? d : 1.0;
    for (int k = 0; k < 200; k++) {
        const double next = x - (x - d / (x * x)) / 3.0;
        if (!(next < x)) {
            break;
        }
        x = next;
    }
    return x;
}

/** Blend a rotation T with the best linear map, at constant volume ([SHAPE05]):
 *  T = (1 - beta) T + beta A / det(A)^(1/3), A = M Q^-1 with M = sum u a b^T and Q = sum u b b^T,
 *  computed as 1 + (M - Q) Q^-1, which is exactly 1 at rest. False, and T as it was, where the
 *  points b lie in a plane or A turns them inside out. */
static inline bool xpbd_rotation_blend(const double M[3][3], const double Q[3][3], double beta,
                                       double T[3][3])
{
    const double trace = (Q[0][0] + Q[1][1] + Q[2][2]) / 3.0, det = xpbd_rotation_determinant(Q);
    double A[3][3];
    if (!(det > 1e-9 * trace * trace * trace)) {
        return false;
    }
    for (int k = 0; k < 9; k++) {
        const int i = k / 3, j = k % 3;
        A[i][j] = i == j ? 1.0 : 0.0;
        for (int l = 0; l < 3; l++) {
            const int l1 = (l + 1) % 3, l2 = (l + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double inverse = (Q[l1][j1] * Q[l2][j2] - Q[l1][j2] * Q[l2][j1]) / det;
            A[i][j] += (M[i][l] - Q[i][l]) * inverse;
        }
    }
    const double stretch = xpbd_rotation_determinant((const double(*)[3])A);
    if (!(stretch > 1e-9 && stretch < 1e9)) {
        return false;
    }
    const double scale = beta / xpbd_rotation_cube_root(stretch);
    for (int k = 0; k < 9; k++) {
        T[k / 3][k % 3] = (1.0 - beta) * T[k / 3][k % 3] + scale * A[k / 3][k % 3];
    }
    return true;
}

#endif
