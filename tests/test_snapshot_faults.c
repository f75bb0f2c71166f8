/* SPDX-License-Identifier: MIT
 *
 * Proves that a snapshot that is not as it was written is refused, with a reason, and leaves the
 * world as it was: every byte changed, every length cut, sections that say what cannot be although
 * their sums are right, and no memory. And that its bytes are those of the format, on every
 * machine.
 */
#include "support_bytes.h"
#include "support_heap.h"
#include "support_zoo.h"

#include "solver/codec_sum.h"
#include "solver/world.h"

/* A ball, a rope, something that can break, and what was removed; stepped. */
static xpbd_world *make_small(const xpbd_world_def *def)
{
    static const float x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}};
    static const float w[5] = {0, 1, 1, 1, 2}, strong = 1e6f, force[3] = {0, 1, 0};
    static const uint32_t pairs[3][2] = {{1, 4}, {2, 3}, {0, 4}}, members[4] = {0, 1, 2, 3};
    static const uint32_t four = 4;
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, 5, x, w);
    const xpbd_constraints c = {
        .particles = pairs[0], .break_force = &strong, .break_force_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(world, XPBD_ROPE, 3, &c, NULL));
    const xpbd_constraints ball = {.particles = members, .sizes = &four};
    assert_ok(xpbd_world_add_constraints(world, XPBD_SHAPE_MATCH, 1, &ball, NULL));
    assert_ok(xpbd_world_set_forces(world, 2, 1, force, 0));
    kit_steps(world, 2, 1.0 / 64);
    assert_ok(xpbd_world_remove_particles(world, 4, 1, NULL));
    assert_ok(xpbd_world_move_particles(world, 0, 1, force, 0));
    return world;
}

/* A world that loads must be what it was before a refusal. */
typedef struct victim {
    xpbd_world *world;
    kit_bytes before;
} victim;

static victim make_victim(const xpbd_world_def *def)
{
    victim v = {.world = kit_spring(def, 2, 1e-3f, 0)};
    kit_steps(v.world, 1, 0.01);
    v.before = kit_bytes_of(v.world, xpbd_world_save);
    return v;
}

static void check_unharmed(const victim *v)
{
    kit_bytes now = kit_bytes_of(v->world, xpbd_world_save);
    assert_int_equal(now.size, v->before.size);
    assert_memory_equal(now.bytes, v->before.bytes, now.size);
    free(now.bytes);
}

static void free_victim(victim *v)
{
    free(v->before.bytes);
    xpbd_world_destroy(v->world);
}

static void check_refused(const victim *v, size_t size, const void *bytes, const char *text)
{
    assert_status(xpbd_world_load(v->world, size, bytes), XPBD_ERROR_SNAPSHOT);
    if (!strstr(xpbd_world_error(v->world)->text, text))
        fail_msg("expected \"%s\" in \"%s\"", text, xpbd_world_error(v->world)->text);
    check_unharmed(v);
}

static void test_every_byte_counts(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = make_small(&def);
    victim v = make_victim(&def);
    kit_bytes s = kit_bytes_of(w, xpbd_world_save);
    uint64_t seed = 1;
    (void)state;
    for (size_t at = 0; at < s.size; at++) {
        /* In memory of exactly that size: asan sees who reads further. */
        unsigned char *copy = malloc(at + 1);
        memcpy(copy, s.bytes, at + 1);
        assert_status(xpbd_world_load(v.world, at, copy), XPBD_ERROR_SNAPSHOT);
        free(copy);
        const unsigned char bit = (unsigned char)(1u << kit_random(&seed) % 8);
        s.bytes[at] ^= bit;
        assert_status(xpbd_world_load(v.world, s.size, s.bytes), XPBD_ERROR_SNAPSHOT);
        assert_true(xpbd_world_error(v.world)->text[0]);
        s.bytes[at] ^= 0xff;
        assert_status(xpbd_world_load(v.world, s.size, s.bytes), XPBD_ERROR_SNAPSHOT);
        s.bytes[at] ^= (unsigned char)(0xff ^ bit);
    }
    check_unharmed(&v);
    assert_ok(xpbd_world_load(v.world, s.size, s.bytes));
    kit_same_worlds(v.world, w, "after all refusals");
    free(s.bytes);
    free_victim(&v);
    xpbd_world_destroy(w);
}

static void put_word(unsigned char *to, uint32_t word)
{
    for (int k = 0; k < 4; k++)
        to[k] = (unsigned char)(word >> (8 * k));
}

static void put_sum(unsigned char *to, uint64_t sum)
{
    put_word(to, (uint32_t)sum);
    put_word(to + 4, (uint32_t)(sum >> 32));
}

/* Make all sums right again: a forger has read the source. */
static void forge_sums(kit_bytes *s)
{
    put_sum(s->bytes + 24, xpbd_sum_of(s->bytes, 24));
    for (size_t at = 32; at + 40 <= s->size;) {
        const uint64_t words = xpbd_word_at(s->bytes + at + XPBD_SECTION_NAME);
        const size_t n = XPBD_SECTION_NAME + 8 + 4 * (size_t)words;
        if (words > s->size || at + n + 8 > s->size)
            return;
        put_sum(s->bytes + at + n, xpbd_sum_of(s->bytes + at, n));
        at += n + 8;
    }
}

/* Every word in turn becomes others, with right sums: refused, or a snapshot of another scene,
 * which can be stepped. Whatever it says, no more memory is asked for than there are bytes to fill
 * it. */
static void test_no_word_is_believed(void **state)
{
    static const uint32_t values[] = {0, 5, 0x7fc00000, UINT32_MAX};
    xpbd_world_def def = kit_def(NULL);
    heap h = {0};
    const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
    xpbd_world *w = make_small(&def), *other;
    kit_bytes s = kit_bytes_of(w, xpbd_world_save);
    uint32_t n_loaded = 0;
    (void)state;
    def.allocator = &allocator;
    for (size_t at = 8; at + 4 <= s.size; at += 4) {
        for (uint32_t k = 0; k < COUNT_OF(values); k++) {
            kit_bytes forged = {s.size, malloc(s.size)};
            memcpy(forged.bytes, s.bytes, s.size);
            put_word(forged.bytes + at, values[k]);
            forge_sums(&forged);
            other = kit_create(&def);
            h.largest = 0;
            if (xpbd_world_load(other, forged.size, forged.bytes) == XPBD_OK) {
                n_loaded++;
                xpbd_world_set_solver(other, 1, 1);
                xpbd_world_step(other, 1.0 / 64);
                xpbd_world_step(other, 1.0 / 64);
            }
            assert_true(h.largest < 1 << 20);
            xpbd_world_destroy(other);
            assert_int_equal(h.n_live, 0);
            free(forged.bytes);
        }
    }
    assert_true(n_loaded > 60); /* positions and the like */
    free(s.bytes);
    xpbd_world_destroy(w);
}

/* Where something is: the n-th word of the section that comes as the k-th. */
static size_t word_of(const kit_bytes *s, uint32_t section, uint32_t word)
{
    size_t at = 32;
    for (uint32_t k = 0; k < section; k++)
        at += XPBD_SECTION_NAME + 16 + 4 * (size_t)xpbd_word_at(s->bytes + at + XPBD_SECTION_NAME);
    return at + XPBD_SECTION_NAME + 8 + 4 * (size_t)word;
}

static void test_refusals_say_what_and_where(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = make_small(&def);
    victim v = make_victim(&def);
    kit_bytes s = kit_bytes_of(w, xpbd_world_save);
    const struct {
        uint32_t section, word, value;
        const char *text;
    } cases[] = {
        {1, 0, 6, "section \"particles\": the section ends too early"},
        {1, 1, 0x10, "it has what this library does not know"},
        {1, 2 + 30 + 1, 0xbf800000, "inverse mass 1 is -1"},
        {1, 2 + 30 + 5 + 7, 0x7f800000, "y of force 2 is inf"},
        {2, 1, 0x70646f70, "no constraint type is called \"podp\""},
        {2, 2, 3, "of this library have other particles"},
        {2, 8, 4, "constraints of"},
        {2, 11, 7, "names particle 7, but there are 5"},
        {2, 17, 0xbf800000, "rest value 0"},
        {4, 2, 4, "batch 0 is of 4 constraints that are not there"},
        {4, 2, 2, "1 constraints of 3 are in no batch"},
        {4, 1, 9, "batch 0 is of 3 constraints that are not there"},
        {5, 2, 1, "particle 1 has an inverse mass of 1"},
    };
    (void)state;
    /* The numbers above are places in this very snapshot. */
    put_word(s.bytes + word_of(&s, 4, 1), 1);
    forge_sums(&s);
    check_refused(&v, s.size, s.bytes, "batch 0 is of 3 constraints that are not there");
    put_word(s.bytes + word_of(&s, 4, 1), 0);
    for (uint32_t k = 0; k < COUNT_OF(cases); k++) {
        const size_t at = word_of(&s, cases[k].section, cases[k].word);
        const uint32_t kept = xpbd_word_at(s.bytes + at);
        put_word(s.bytes + at, cases[k].value);
        forge_sums(&s);
        check_refused(&v, s.size, s.bytes, cases[k].text);
        put_word(s.bytes + at, kept);
    }
    size_t name = 0; /* of the column that breaking needs; of another that is as long */
    while (memcmp(s.bytes + name, "enabled", 7) != 0)
        name++;
    memcpy(s.bytes + name, "damping", 7);
    forge_sums(&s);
    check_refused(&v, s.size, s.bytes, "constraints that can break can not be switched off");
    memcpy(s.bytes + name, "enabled", 7);
    put_word(s.bytes + 8, 2);
    forge_sums(&s);
    check_refused(&v, s.size, s.bytes, "it is of version 2, this library reads 1");
    check_refused(&v, 8, "solid a\n", "does not begin with");
    check_refused(&v, 0, "", "does not begin with");
    put_word(s.bytes + 8, 1);
    forge_sums(&s);
    check_refused(&v, s.size - 1, s.bytes, "bytes, and");
    assert_ok(xpbd_world_load(v.world, s.size, s.bytes));
    free(s.bytes);
    free_victim(&v);
    xpbd_world_destroy(w);
}

/* The bytes of a tiny snapshot, as this format has them for good: lowest byte first. */
static void test_the_format_is_that_of_version_1(void **state)
{
    static const char golden[] =
        "58504244736e617001000000040000005401000000000000f12ac8922acea18a776f726c64000000"
        "0000000000000000000000000000000018000000000000000900000073657269616c2d6773000000"
        "00000000070000006e61747572616c00010000000a0000000000000000000000000000000000803f"
        "0000000000000000000000000800000000000000000000000000807f0000807f0000000000000000"
        "ef7545f3d5a97cc77061727469636c65730000000000000000000000000000000900000000000000"
        "01000000000000000000803f000000c00000003f00000000000000000000000000008040ad9aa2d6"
        "eb78126c626174636865730000000000000000000000000000000000010000000000000000000000"
        "9738cb22c2b960626576656e74730000000000000000000000000000000000000300000000000000"
        "000000000000000000000000564cf899f39baf96";
    static const float x[1][3] = {{1.0f, -2.0f, 0.5f}}, mass = 4.0f;
    xpbd_world_def def = kit_def("serial-gs");
    def.ordering = "natural";
    xpbd_world *w = kit_create(&def), *other = kit_create(&def);
    char hex[2000] = "";
    (void)state;
    kit_add_particles(w, 1, x, &mass);
    kit_bytes s = kit_bytes_of(w, xpbd_world_save);
    assert_true(2 * s.size < sizeof hex);
    for (size_t k = 0; k < s.size; k++)
        snprintf(hex + 2 * k, 3, "%02x", s.bytes[k]);
    if (strcmp(hex, golden) != 0) {
        print_error("expected %s\n", golden);
        print_error("got      %s\n", hex);
        fail();
    }
    assert_ok(xpbd_world_load(other, s.size, s.bytes));
    kit_same_worlds(other, w, "golden");
    free(s.bytes);
    xpbd_world_destroy(w);
    xpbd_world_destroy(other);
}

static void test_without_memory_nothing_is_loaded(void **state)
{
    heap h = {0};
    const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_zoo(&def, true, NULL);
    uint64_t n = 0;
    (void)state;
    kit_steps(w, 1, 0.01);
    assert_ok(xpbd_world_remove_particles(w, 9, 1, NULL));
    kit_bytes s = kit_bytes_of(w, xpbd_world_save);
    def.allocator = &allocator;
    victim v = make_victim(&def);
    xpbd_status status;
    do {
        const int64_t live = h.n_live;
        h.fail_at = h.n_requests + ++n;
        status = xpbd_world_load(v.world, s.size, s.bytes);
        if (status != XPBD_OK) {
            if (status != XPBD_ERROR_MEMORY)
                fail_msg("request %llu: %s", (unsigned long long)n,
                         xpbd_world_error(v.world)->text);
            assert_int_equal(h.n_live, live);
            h.fail_at = 0;
            if (n % 16 == 0)
                check_unharmed(&v);
        }
    } while (status != XPBD_OK);
    assert_true(n > 20);
    kit_same_worlds(v.world, w, "loaded at last");
    xpbd_world_summary a;
    assert_ok(xpbd_world_summarize(v.world, &a));
    free(s.bytes);
    free_victim(&v);
    xpbd_world_destroy(w);
    assert_int_equal(h.n_live, 0);
}

static void test_bad_input(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = make_small(&def);
    size_t size = 0;
    char small[64];
    (void)state;
    assert_status(xpbd_world_save(NULL, 0, NULL, &size), XPBD_ERROR_NULL);
    assert_status(xpbd_world_save(w, 0, NULL, NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_save(w, 1, NULL, &size), XPBD_ERROR_NULL);
    assert_status(xpbd_world_save(w, sizeof small, small, &size), XPBD_ERROR_CAPACITY);
    assert_true(size > sizeof small);
    assert_status(xpbd_world_load(NULL, 0, small), XPBD_ERROR_NULL);
    assert_status(xpbd_world_load(w, 0, NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_save_file(NULL, "x"), XPBD_ERROR_NULL);
    assert_status(xpbd_world_save_file(w, NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_save_file(w, ""), XPBD_ERROR_FILE);
    assert_status(xpbd_world_load_file(NULL, "x"), XPBD_ERROR_NULL);
    assert_status(xpbd_world_load_file(w, NULL), XPBD_ERROR_NULL);
    xpbd_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_counts),
        cmocka_unit_test(test_no_word_is_believed),
        cmocka_unit_test(test_refusals_say_what_and_where),
        cmocka_unit_test(test_the_format_is_that_of_version_1),
        cmocka_unit_test(test_without_memory_nothing_is_loaded),
        cmocka_unit_test(test_bad_input),
    };
    return RUN_GROUP("snapshot_faults", tests);
}
