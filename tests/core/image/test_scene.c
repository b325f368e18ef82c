/* Scenes, their sentences, and what a person may write. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "image/scene.h"

static char *sentence_of(const Scene *scene)
{
    SceneSpec spec;
    StrBuf out = {0};
    if (scene_describe(scene, &spec))
        scene_write(&spec, &out);
    return strbuf_take(&out);
}

static void assert_says(const Scene *scene, const char *want)
{
    char *text = sentence_of(scene);
    assert_string_equal(text, want);
    free(text);
}

static SceneObject object(const char *name, double x, double y)
{
    int kind = scene_find_kind(name);
    assert_true(kind >= 0);
    return (SceneObject){kind, x, y, 0.2};
}

static void a_moved_object_changes_its_relation_and_nothing_else(void **state)
{
    (void)state;
    Scene scene = {2, {object("dog", 0.2, 0.5), object("apple", 0.6, 0.5)}, {0}, {0}};
    assert_says(&scene, "a green apple to the right of a dog");
    scene.objects[1].x = 0.1;
    assert_says(&scene, "a green apple to the left of a dog");
    scene.objects[1] = object("green apple", 0.25, 0.1);
    assert_says(&scene, "a green apple above a dog");
    scene.objects[1].y = 0.9;
    assert_says(&scene, "a green apple below a dog");
}

static void groups_count_and_are_named_in_the_order_of_the_table(void **state)
{
    (void)state;
    Scene scene = {
        3, {object("car", 0.5, 0.8), object("cat", 0.3, 0.2), object("cat", 0.6, 0.2)}, {0}, {0}};
    assert_says(&scene, "two cats above a car");
    scene.objects[scene.n++] = object("umbrella", 0.95, 0.15);
    assert_says(&scene, "two cats above a car and to the left of an umbrella");
    Scene four = {
        4,
        {object("fox", 0, 0), object("fox", 0, 1), object("fox", 1, 0), object("fox", 1, 1)},
        {0},
        {0}};
    assert_says(&four, ""); /* more than the grammar counts */
    Scene empty = {0};
    assert_says(&empty, "");
}

/* Every invented sentence can be laid out, and the layout says exactly that sentence. */
static void a_layout_says_its_sentence_and_hides_nothing(void **state)
{
    (void)state;
    Random random = random_seed(8, RANDOM_EXPLORE);
    int failed = 0;
    for (int i = 0; i < 2000; i++) {
        SceneSpec spec;
        Scene scene;
        scene_invent(&random, i % 2 == 1, &spec);
        assert_int_equal(scene_is_held_out(&spec), i % 2 == 1);
        if (!scene_lay_out(&spec, &random, &scene)) {
            failed++;
            continue;
        }
        StrBuf want = {0};
        scene_write(&spec, &want);
        assert_says(&scene, want.text);
        strbuf_free(&want);
        for (int k = 0; k < scene.n; k++) {
            const SceneObject *o = &scene.objects[k];
            assert_true(o->x >= o->size / 2 && o->x <= 1 - o->size / 2);
            assert_true(o->y >= o->size / 2 && o->y <= 1 - o->size / 2);
        }
    }
    assert_true(failed < 20);
}

/* The split depends on combinations alone, takes about an eighth of them, and leaves every
 * object and every relation in training. */
static void an_eighth_of_the_combinations_is_held_out(void **state)
{
    (void)state;
    int n = 0, held_out = 0;
    for (int a = 0; a < scene_n_kinds(); a++) {
        int known[SCENE_N_RELATIONS] = {0};
        for (int b = a + 1; b < scene_n_kinds(); b++)
            for (int r = 0; r < SCENE_N_RELATIONS; r++) {
                SceneSpec spec = {2, {{a, 1}, {b, 1}}, {(SceneRelation)r}};
                bool is_out = scene_is_held_out(&spec);
                n++;
                held_out += is_out;
                known[r] += !is_out;
            }
        for (int r = 0; r < SCENE_N_RELATIONS && a + 4 < scene_n_kinds(); r++)
            assert_true(known[r] > 0);
        const SceneSpec alone = {1, {{a, 1}}, {SCENE_LEFT_OF}};
        assert_false(scene_is_held_out(&alone));
    }
    assert_in_range(1000 * held_out / n, 100, 150);
}

static void every_sentence_consists_of_the_listed_words(void **state)
{
    (void)state;
    Random random = random_seed(9, RANDOM_EXPLORE);
    for (int i = 0; i < 500; i++) {
        SceneSpec spec;
        StrBuf text = {0};
        scene_invent(&random, false, &spec);
        scene_write(&spec, &text);
        for (char *p = text.text; *p;) {
            size_t n = strcspn(p, " ");
            char word[SCENE_WORD_BYTES];
            int k = 0;
            while (scene_word_copy(k, word) && (strlen(word) != n || strncmp(word, p, n) != 0))
                k++;
            assert_true(scene_word_copy(k, word));
            p += n + (p[n] == ' ');
        }
        strbuf_free(&text);
    }
    char word[SCENE_WORD_BYTES], other[SCENE_WORD_BYTES];
    for (int i = 0; scene_word_copy(i, word); i++)
        for (int k = 0; k < i && scene_word_copy(k, other); k++)
            assert_string_not_equal(word, other);
}

/* ---- what a person writes ---- */

static void many_ways_to_write_a_scene(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a green apple to the left of a dog", "a green apple to the left of a dog"},
        {"apple left-of dog", "a green apple to the left of a dog"},
        {"dog right of APPLE", "a green apple to the left of a dog"},
        {"2 cats above car", "two cats above a car"},
        {"two cats above a car and to the left of a star",
         "two cats above a car and to the left of a star"},
        {"red heart", "a red heart"},
        {"\U0001F98A under \U0001F333", "a fox below a tree"},
        {"three bees", "three bees"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            Error error = {0};
            Scene scene;
            assert_ok(scene_parse(cases[i][0], seed, &scene, &error));
            assert_says(&scene, cases[i][1]);
        }
}

static void json_places_every_object(void **state)
{
    (void)state;
    Error error = {0};
    Scene scene;
    assert_ok(scene_parse("{\"objects\": [{\"object\": \"dog\", \"x\": 0.25, \"y\": 0.5,"
                          " \"size\": 0.4}, {\"object\": \"key\"}],"
                          " \"ground\": [\"#ff0000\", \"#0000ff\"]}",
                          0, &scene, &error));
    assert_int_equal(scene.n, 2);
    assert_close(scene.objects[0].x, 0.25, 0);
    assert_close(scene.objects[0].size, 0.4, 0);
    assert_close(scene.objects[1].x, 0.5, 0);
    assert_close(scene.top[0], 1, 0);
    assert_close(scene.bottom[2], 1, 0);
}

static void a_scene_written_as_json_is_the_same_when_it_is_read(void **state)
{
    (void)state;
    Error error = {0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        Scene scene, again;
        StrBuf text = {0};
        assert_ok(scene_parse("two cats above a red heart and below a bus", seed, &scene, &error));
        scene_write_json(&scene, &text);
        assert_ok(scene_parse(text.text, 0, &again, &error));
        strbuf_free(&text);
        assert_int_equal(again.n, scene.n);
        for (int i = 0; i < scene.n; i++) {
            assert_int_equal(again.objects[i].kind, scene.objects[i].kind);
            assert_close(again.objects[i].x, scene.objects[i].x, 5.01e-4);
            assert_close(again.objects[i].y, scene.objects[i].y, 5.01e-4);
            assert_close(again.objects[i].size, scene.objects[i].size, 5.01e-4);
        }
        for (int c = 0; c < 3; c++) {
            assert_close(again.top[c], scene.top[c], 0.5 / 255 + 1e-6);
            assert_close(again.bottom[c], scene.bottom[c], 0.5 / 255 + 1e-6);
        }
    }
}

static void what_is_no_scene_is_refused_with_a_reason(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "no object"},
        {"to the left of", "no object"},
        {"a unicorn", "\"unicorn\" is no object"},
        {"dog cat", "where is the cat"},
        {"dog above dog", "there twice"},
        {"dog above cat above key above bell", "more than 3 kinds"},
        {"[", "JSON"},
        {"[]", "list of objects"},
        {"{\"objects\": 3}", "list of objects"},
        {"[{\"object\": \"unicorn\"}]", "not known"},
        {"[{\"object\": \"dog\", \"x\": \"left\"}]", "\"x\""},
        {"[{\"object\": \"dog\", \"size\": 9}]", "\"size\""},
        {"[{\"object\": \"dog\", \"size\": 0}]", "\"size\""},
        {"{\"objects\": [{\"object\": \"dog\"}], \"ground\": [\"red\", \"#000000\"]}", "ground"},
        {"{\"objects\": [{\"object\": \"dog\"}], \"ground\": [\"#-00001\", \"#000000\"]}",
         "ground"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Error error = {0};
        Scene scene;
        assert_refused(scene_parse(bad[i][0], 0, &scene, &error), bad[i][1]);
    }
}

static void the_number_of_objects_is_limited_on_both_sides(void **state)
{
    (void)state;
    for (int n = SCENE_MAX_OBJECTS; n <= SCENE_MAX_OBJECTS + 1; n++) {
        Error error = {0};
        StrBuf text = {0};
        for (int i = 0; i < n; i++)
            strbuf_addf(&text, "%s{\"object\": \"dog\"}", i == 0 ? "[" : ", ");
        strbuf_add(&text, "]");
        Scene scene;
        if (n == SCENE_MAX_OBJECTS)
            assert_ok(scene_parse(text.text, 0, &scene, &error));
        else
            assert_refused(scene_parse(text.text, 0, &scene, &error), "at most");
        strbuf_free(&text);
    }
}

/* ---- pictures ---- */

static void a_rendered_object_covers_its_box_and_nothing_else(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    Error error = {0};
    Scene scene = {1, {object("red heart", 0.5, 0.25)}, {1, 1, 1}, {1, 1, 1}};
    scene.objects[0].size = 0.25;
    EmojiSet *emoji = scene_load_emoji(&scene, &error);
    assert_ok(emoji != NULL);
    float rgb[SIDE * SIDE * 3];
    scene_render(&scene, emoji, SIDE, rgb);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int x = i % SIDE, y = i / SIDE;
        bool inside = x >= 24 && x < 40 && y >= 8 && y < 24;
        if (!inside)
            assert_close(rgb[3 * i + 1], 1, 1e-5);
    }
    const float *middle = rgb + 3 * (16 * SIDE + 32);
    assert_true(middle[0] > 0.6f && middle[1] < 0.5f && middle[2] < 0.5f);
    emoji_free(emoji);
}

static void without_a_colour_font_the_package_is_named(void **state)
{
    (void)state;
    Error error = {0};
    Scene scene = {1, {object("dog", 0.5, 0.5)}, {0}, {0}};
    static const char config[] =
        "<?xml version=\"1.0\"?><fontconfig><dir>/no/fonts</dir></fontconfig>";
    char path[] = "/tmp/fovea-fonts-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_ok(file_write(path, config, sizeof config - 1, &error));
    char *before = getenv("FONTCONFIG_FILE");
    setenv("FONTCONFIG_FILE", path, 1);
    EmojiSet *emoji = scene_load_emoji(&scene, &error);
    unlink(path);
    if (before)
        setenv("FONTCONFIG_FILE", before, 1);
    else
        unsetenv("FONTCONFIG_FILE");
    assert_refused(emoji != NULL, "fonts-noto-color-emoji");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moved_object_changes_its_relation_and_nothing_else),
        cmocka_unit_test(groups_count_and_are_named_in_the_order_of_the_table),
        cmocka_unit_test(a_layout_says_its_sentence_and_hides_nothing),
        cmocka_unit_test(an_eighth_of_the_combinations_is_held_out),
        cmocka_unit_test(every_sentence_consists_of_the_listed_words),
        cmocka_unit_test(many_ways_to_write_a_scene),
        cmocka_unit_test(json_places_every_object),
        cmocka_unit_test(a_scene_written_as_json_is_the_same_when_it_is_read),
        cmocka_unit_test(what_is_no_scene_is_refused_with_a_reason),
        cmocka_unit_test(the_number_of_objects_is_limited_on_both_sides),
        cmocka_unit_test(a_rendered_object_covers_its_box_and_nothing_else),
        cmocka_unit_test(without_a_colour_font_the_package_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
