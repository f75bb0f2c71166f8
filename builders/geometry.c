/* SPDX-License-Identifier: MIT
 *
 * Size and shape of one element, in double and from differences, so that nothing is lost far from
 * the origin.
 */
#include "builders/builder.h"

#include <float.h>
#include <math.h>

/* Twice the area over the square of the longest edge, or six times the volume over its cube. The
 * element types refuse 1e-6 of the edges from one corner: this finds a little more, so that they
 * refuse nothing when it is too late. */
#define FLATNESS 2e-6

void xpbd_builder_difference(const float a[3], const float b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (double)a[k] - (double)b[k];
}

double xpbd_builder_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double xpbd_builder_distance(const float a[3], const float b[3])
{
    double d[3];
    xpbd_builder_difference(a, b, d);
    return sqrt(xpbd_builder_dot(d, d));
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

double xpbd_builder_measure(const float (*x)[3], const uint32_t *corners, uint32_t n)
{
    double edge[3][3] = {{0.0}}, normal[3];
    for (uint32_t k = 1; k < n; k++)
        xpbd_builder_difference(x[corners[k]], x[corners[0]], edge[k - 1]);
    if (n == 2)
        return sqrt(xpbd_builder_dot(edge[0], edge[0]));
    cross(edge[0], edge[1], normal);
    if (n == 3)
        return sqrt(xpbd_builder_dot(normal, normal)) / 2.0;
    return xpbd_builder_dot(normal, edge[2]) / 6.0;
}

/* The largest face of a tetrahedron, twice its area: the height above it is the smallest. */
static double largest_face(const float (*x)[3], const uint32_t *corners)
{
    double most = 0.0;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t face[3] = {corners[k], corners[(k + 1) % 4], corners[(k + 2) % 4]};
        const double twice = 2.0 * xpbd_builder_measure(x, face, 3);
        most = twice > most ? twice : most;
    }
    return most;
}

bool xpbd_builder_is_flat(const float (*x)[3], const uint32_t *corners, uint32_t n, double measure)
{
    double longest = 0.0, far = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t l = 0; l < k; l++)
            longest = fmax(longest, xpbd_builder_distance(x[corners[k]], x[corners[l]]));
        for (int c = 0; c < 3; c++)
            far = fmax(far, fabs((double)x[corners[k]][c]));
    }
    const double rounding = (double)FLT_EPSILON * far;
    if (n == 2)
        return !(measure > rounding);
    const double size = (n == 3 ? 2.0 : 6.0) * fabs(measure);
    const double base = n == 3 ? longest : largest_face(x, corners);
    const double whole = n == 3 ? longest * longest : longest * longest * longest;
    return !(size > FLATNESS * whole && size > rounding * base && size > (double)FLT_MIN);
}
