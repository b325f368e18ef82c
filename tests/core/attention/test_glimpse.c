/* What a retina sees. */
#include "testing.h"

#include <string.h>

#include "attention/glimpse.h"
#include "base/random.h"

enum { SIDE = 20, G = 4, K = 3 };
static const Retina retina = {G, K};

static void fill(Real *picture, Real value)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        picture[i] = value;
}

static void patches_double_from_scale_to_scale_around_one_place(void **state)
{
    (void)state;
    for (int j = 0; j < K; j++) {
        PatchBox box = retina_box(&retina, j, SIDE, 0, 0);
        assert_int_equal(box.side, G << j);
        assert_int_equal(box.x + box.side / 2, SIDE / 2);
        assert_int_equal(box.y + box.side / 2, SIDE / 2);
    }
    PatchBox corner = retina_box(&retina, 0, SIDE, -1, 1);
    assert_int_equal(corner.x, -G / 2);
    assert_int_equal(corner.y, SIDE - G / 2);
    assert_int_equal(retina_size(&retina), K * G * G);
}

static void an_even_picture_looks_even_at_every_scale(void **state)
{
    (void)state;
    Real picture[SIDE * SIDE], seen[K * G * G];
    fill(picture, (Real)0.5);
    retina_look(&retina, picture, SIDE, 0, 0, seen);
    for (int i = 0; i < K * G * G; i++)
        assert_close(seen[i], 0.5, 1e-6);
}

static void outside_the_picture_there_is_nothing(void **state)
{
    (void)state;
    Real picture[SIDE * SIDE], seen[K * G * G];
    fill(picture, 1);
    retina_look(&retina, picture, SIDE, -1, -1, seen);
    /* The finest patch begins two pixels to the left of and above the corner. */
    for (int y = 0; y < G; y++)
        for (int x = 0; x < G; x++)
            assert_close(seen[y * G + x], x >= G / 2 && y >= G / 2 ? 1 : 0, 0);
    PatchBox box = retina_box(&retina, 0, SIDE, -1, -1);
    assert_close(retina_overlap(&box, SIDE), 0.25, 1e-12);
    /* Far outside: nothing at all. */
    const Retina small = {2, 1};
    retina_look(&small, picture, SIDE, 2, 2, seen);
    for (int i = 0; i < 4; i++)
        assert_close(seen[i], 0, 0);
    box = retina_box(&small, 0, SIDE, 2, 2);
    assert_close(retina_overlap(&box, SIDE), 0, 0);
}

static void the_middle_of_a_symmetric_picture_is_symmetric(void **state)
{
    (void)state;
    Real picture[SIDE * SIDE], seen[K * G * G];
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            picture[y * SIDE + x] = (Real)(hypot(x - 9.5, y - 9.5) / 14);
    retina_look(&retina, picture, SIDE, 0, 0, seen);
    for (int j = 0; j < K; j++)
        for (int y = 0; y < G; y++)
            for (int x = 0; x < G; x++)
                assert_close(seen[(j * G + y) * G + x], seen[(j * G + y) * G + G - 1 - x], 1e-6);
}

/* One pixel at a time, as the definition says. */
static double direct(const Real *picture, double x, double y, int j, int row, int column)
{
    int f = 1 << j, side = G * f;
    int left = (int)floor((x + 1) / 2 * SIDE) - side / 2 + column * f;
    int top = (int)floor((y + 1) / 2 * SIDE) - side / 2 + row * f;
    double sum = 0;
    for (int v = top; v < top + f; v++)
        for (int u = left; u < left + f; u++)
            sum += u >= 0 && u < SIDE && v >= 0 && v < SIDE ? (double)picture[v * SIDE + u] : 0;
    return sum / (f * f);
}

static void every_cell_is_the_mean_of_its_pixels(void **state)
{
    (void)state;
    Random random = random_seed(2, RANDOM_EXPLORE);
    Real picture[SIDE * SIDE], seen[K * G * G];
    for (int i = 0; i < SIDE * SIDE; i++)
        picture[i] = (Real)random_uniform(&random);
    for (int trial = 0; trial < 200; trial++) {
        Real x = (Real)(3 * random_uniform(&random) - 1.5);
        Real y = (Real)(3 * random_uniform(&random) - 1.5);
        retina_look(&retina, picture, SIDE, x, y, seen);
        for (int i = 0; i < K * G * G; i++)
            assert_close(seen[i],
                         direct(picture, (double)x, (double)y, i / (G * G), i / G % G, i % G),
                         1e-6);
    }
}

static void the_density_is_that_of_a_gaussian_in_the_plane(void **state)
{
    (void)state;
    const Real mean[2] = {(Real)0.1, (Real)-0.2}, sample[2] = {(Real)0.4, (Real)0.2};
    /* |l - m|^2 = 0.25 */
    assert_close(gaussian_log_density(mean, sample, 0.5),
                 -0.25 / 0.5 - log(2 * 3.14159265358979 * 0.25), 1e-6);
    assert_close(gaussian_log_density(mean, mean, 1), -log(2 * 3.14159265358979), 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_double_from_scale_to_scale_around_one_place),
        cmocka_unit_test(an_even_picture_looks_even_at_every_scale),
        cmocka_unit_test(outside_the_picture_there_is_nothing),
        cmocka_unit_test(the_middle_of_a_symmetric_picture_is_symmetric),
        cmocka_unit_test(every_cell_is_the_mean_of_its_pixels),
        cmocka_unit_test(the_density_is_that_of_a_gaussian_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
