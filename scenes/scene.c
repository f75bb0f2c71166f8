/* SPDX-License-Identifier: MIT
 *
 * Scenes by name: NAME-N or NAME-N-scrambled. Names are canonical (no sign, no leading zero), so
 * that results of the same scene have the same name.
 */
#include "scenes/scene.h"

#include <stdio.h>
#include <string.h>

#include "scenes/scene_parts.h"

typedef bool fill_function(uint32_t n, xpbd_scene *scene);

static const xpbd_scene_family families[] = {
#define XPBD_SCENE(name, smallest, largest, text) {#name, smallest, largest, text},
#include "scenes/scenes.def"
#undef XPBD_SCENE
};

static fill_function *const fills[] = {
#define XPBD_SCENE(name, smallest, largest, text) xpbd_scene_fill_##name,
#include "scenes/scenes.def"
#undef XPBD_SCENE
};

#define N_FAMILIES (sizeof families / sizeof *families)

typedef struct scene_name {
    size_t family;
    uint32_t n;
    bool scrambled;
} scene_name;

typedef struct line {
    char *text;
    size_t size;
} line;

const xpbd_scene_family *xpbd_scene_list(uint32_t index)
{
    return index < N_FAMILIES ? &families[index] : NULL;
}

static bool fail_unknown(line error, const char *name)
{
    char quote[48] = {0};
    for (size_t k = 0; name[k] && k + 1 < sizeof quote; k++)
        quote[k] = name[k] >= 0x20 && name[k] < 0x7f ? name[k] : '?';
    int n = snprintf(error.text, error.size, "no scene is named '%s'; there are", quote);
    size_t at = n > 0 ? (size_t)n : 0;
    for (size_t k = 0; k < N_FAMILIES && at < error.size; k++) {
        n = snprintf(error.text + at, error.size - at, " %s-N (N %u to %u),", families[k].name,
                     families[k].smallest, families[k].largest);
        at += n > 0 ? (size_t)n : 0;
    }
    if (at < error.size)
        (void)snprintf(error.text + at, error.size - at, " each also with -scrambled");
    return false;
}

static bool fail_range(line error, const xpbd_scene_family *family, const char *digits, size_t n)
{
    (void)snprintf(error.text, error.size, "scene %s-%.*s%s: N is out of its range, %u to %u",
                   family->name, n > 20 ? 20 : (int)n, digits, n > 20 ? "..." : "",
                   family->smallest, family->largest);
    return false;
}

static bool parse(const char *text, scene_name *name, line error)
{
    const char *dash = strchr(text, '-');
    size_t length = dash ? (size_t)(dash - text) : 0;
    size_t f = 0;
    while (f < N_FAMILIES && !(length && strlen(families[f].name) == length &&
                               !memcmp(families[f].name, text, length)))
        f++;
    if (f == N_FAMILIES)
        return fail_unknown(error, text);
    const char *digits = dash + 1;
    size_t n_digits = strspn(digits, "0123456789");
    const char *rest = digits + n_digits;
    name->scrambled = !strcmp(rest, "-scrambled");
    if (n_digits == 0 || (n_digits > 1 && digits[0] == '0') || (*rest && !name->scrambled))
        return fail_unknown(error, text);
    uint64_t n = 0;
    for (size_t k = 0; k < n_digits && n <= UINT32_MAX; k++)
        n = 10 * n + (uint64_t)(digits[k] - '0');
    if (n < families[f].smallest || n > families[f].largest)
        return fail_range(error, &families[f], digits, n_digits);
    name->family = f;
    name->n = (uint32_t)n;
    return true;
}

static bool fill(const scene_name *name, xpbd_scene *scene)
{
    scene->gravity[1] = -9.81f;
    if (!fills[name->family](name->n, scene) || !xpbd_scene_measure(scene))
        return false;
    return !name->scrambled || xpbd_scene_scramble(scene, name->n);
}

bool xpbd_scene_make(const char *name, xpbd_scene *scene, char *error, size_t error_size)
{
    line message = {error, error ? error_size : 0};
    scene_name parsed = {0};
    if (message.size)
        error[0] = 0;
    *scene = (xpbd_scene){0};
    if (!parse(name, &parsed, message))
        return false;
    if (!fill(&parsed, scene)) {
        xpbd_scene_free(scene);
        (void)snprintf(message.text, message.size, "scene %s: out of memory", name);
        return false;
    }
    (void)snprintf(scene->name, sizeof scene->name, "%s-%u%s", families[parsed.family].name,
                   parsed.n, parsed.scrambled ? "-scrambled" : "");
    return true;
}
