#include "testing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/strbuf.h"
#include "base/strmap.h"
#include "base/thread.h"

static void an_error_keeps_the_first_message_and_cleans_it(void **state)
{
    (void)state;
    Error error = {0};
    assert_false(error_set(&error, ERROR_FORMAT, "token \"%s\" is bad", "a\x1b[31m\xFF"));
    error_set(&error, ERROR_IO, "second");
    assert_int_equal(error.kind, ERROR_FORMAT);
    assert_string_equal(error.message, "token \"a [31m\xEF\xBF\xBD\" is bad");
    error_prefix(&error, "file.%s", "json");
    assert_string_equal(error.message, "file.json: token \"a [31m\xEF\xBF\xBD\" is bad");
}

static void an_arena_reuses_its_blocks_after_a_reset(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    size_t reserved = 0;
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 1; i < 200; i++) {
            unsigned char *p = arena_get(arena, i * 37, 13);
            assert_int_equal((uintptr_t)p % MEMORY_ALIGNMENT, 0);
            memset(p, turn, i * 37 * 13);
        }
        if (turn == 0)
            reserved = arena_reserved_bytes(arena);
        assert_int_equal(arena_reserved_bytes(arena), reserved);
        arena_reset(arena);
        assert_int_equal(arena_used_bytes(arena), 0);
    }
    arena_free(arena);
}

static void what_an_arena_has_reserved_is_not_allocated_again(void **state)
{
    (void)state;
    for (size_t used = 0; used < 3; used++) {
        Arena *arena = arena_new();
        for (size_t i = 0; i < used; i++)
            arena_get(arena, 50000, 1);
        arena_reserve(arena, 1 << 20);
        size_t reserved = arena_reserved_bytes(arena);
        assert_true(reserved >= 1 << 20);
        arena_reserve(arena, 1000); /* is there already */
        for (int i = 0; i < 16; i++)
            memset(arena_get(arena, 1 << 16, 1), i, 1 << 16);
        assert_int_equal(arena_reserved_bytes(arena), reserved);
        arena_free(arena);
    }
}

static void polite_allocation_refuses_sizes_that_overflow(void **state)
{
    (void)state;
    assert_null(memory_try_new(SIZE_MAX / 4, 8));
    assert_null(memory_try_resize(NULL, SIZE_MAX / 4, 8));
    size_t product;
    assert_false(memory_multiply(SIZE_MAX, 2, &product));
    assert_true(memory_multiply(3, 5, &product) && product == 15);
}

/* Of the heap or mapped: zeroed to the last byte, at a border, and refused politely. */
static void blocks_are_zeroed_and_begin_at_a_border(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 4096, (4 << 20) - 1, 4 << 20, (9 << 20) + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        MemoryBlock block;
        assert_true(memory_block_get(&block, sizes[i], 1));
        size_t border = sizes[i] >= 4 << 20 ? MEMORY_LARGE_PAGE_BYTES : MEMORY_ALIGNMENT;
        assert_int_equal((uintptr_t)block.start % border, 0);
        unsigned char *bytes = block.start;
        for (size_t at = 0; at < sizes[i]; at++)
            assert_int_equal(bytes[at]++, 0);
        memory_block_free(&block);
        assert_null(block.start);
        memory_block_free(&block); /* nothing is left to free */
    }
    MemoryBlock none;
    assert_false(memory_block_get(&none, SIZE_MAX / 4, 8));
    assert_false(memory_block_get(&none, SIZE_MAX / 2, 1));
    assert_null(none.start);
}

static void writing_replaces_the_whole_file_or_nothing(void **state)
{
    (void)state;
    Error error = {0};
    const char *path = "test_base.tmp";
    assert_ok(file_write(path, "first", 5, &error));
    FileWriter writer;
    assert_ok(file_begin_write(path, &writer, &error));
    fputs("half", writer.stream);
    file_cancel_write(&writer);
    Bytes bytes;
    assert_ok(file_read(path, 100, &bytes, &error));
    assert_string_equal(bytes.data, "first");
    bytes_free(&bytes);
    assert_refused(file_read(path, 4, &bytes, &error), "above the limit of 4");
    assert_int_equal(unlink(path), 0);
    assert_refused(file_read(".", 100, &bytes, &error), "a directory");
    assert_refused(file_read("/dev/zero", 100, &bytes, &error), "not a regular file");
    assert_refused(file_write("/nonexistent/x", "", 0, &error), "cannot write");
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    Error error = {0};
    /* /dev/full is not a regular file, so stand in for a full disk with a stream that is. */
    FileWriter writer;
    const char *path = "test_full.tmp";
    assert_ok(file_write(path, "old", 3, &error));
    assert_ok(file_begin_write(path, &writer, &error));
    assert_non_null(freopen("/dev/full", "wb", writer.stream));
    fputs("new content", writer.stream);
    assert_refused(file_end_write(&writer, &error), "nothing was changed");
    Bytes bytes;
    assert_ok(file_read(path, 100, &bytes, &error));
    assert_string_equal(bytes.data, "old");
    bytes_free(&bytes);
    unlink(path);
}

static void random_streams_are_reproducible_and_independent(void **state)
{
    (void)state;
    Random a = random_seed(7, RANDOM_INIT);
    Random b = random_seed(7, RANDOM_INIT);
    Random c = random_seed(7, RANDOM_DATA);
    int equal = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t x = random_bits(&a);
        assert_true(x == random_bits(&b));
        equal += x == random_bits(&c);
    }
    assert_int_equal(equal, 0);
}

static void random_numbers_have_the_right_moments(void **state)
{
    (void)state;
    Random random = random_seed(1, RANDOM_EXPLORE);
    enum { N = 100000 };
    double sum = 0, squares = 0, normal = 0, normal_squares = 0;
    int counts[5] = {0};
    for (int i = 0; i < N; i++) {
        double u = random_uniform(&random);
        double z = random_normal(&random);
        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
        normal += z;
        normal_squares += z * z;
        counts[random_below(&random, 5)]++;
    }
    assert_close(sum / N, 0.5, 4 * 0.289 / sqrt(N));
    assert_close(squares / N, 1.0 / 3, 0.005);
    assert_close(normal / N, 0, 4 / sqrt(N));
    assert_close(normal_squares / N, 1, 4 * sqrt(2.0 / N));
    for (int i = 0; i < 5; i++)
        assert_close(counts[i], N / 5.0, 4 * sqrt(N * 0.16));
}

static void a_string_map_finds_every_key_again(void **state)
{
    (void)state;
    StrMap *map = strmap_new();
    char key[32];
    for (int i = 0; i < 5000; i++) {
        int n = snprintf(key, sizeof key, "key%d", i * 7);
        strmap_put(map, key, (size_t)n, i);
    }
    strmap_put(map, "a\0b", 3, 42);
    for (int i = 0; i < 5000; i++) {
        int n = snprintf(key, sizeof key, "key%d", i * 7);
        assert_int_equal(strmap_get(map, key, (size_t)n), i);
    }
    assert_int_equal(strmap_get(map, "a\0b", 3), 42);
    assert_int_equal(strmap_get(map, "a\0c", 3), -1);
    assert_int_equal(strmap_count(map), 5001);
    strmap_free(map);
}

static void escapes_hold_for_markup_and_json(void **state)
{
    (void)state;
    StrBuf buffer = {0};
    strbuf_add_xml(&buffer, "<a b=\"c\">&'\x02");
    assert_string_equal(buffer.text, "&lt;a b=&quot;c&quot;&gt;&amp;&#39;\xEF\xBF\xBD");
    strbuf_clear(&buffer);
    strbuf_add_json(&buffer, "\"\\\n\x01\xFF", 5);
    assert_string_equal(buffer.text, "\\\"\\\\\\n\\u0001\xEF\xBF\xBD");
    strbuf_free(&buffer);
}

static void square(void *context, int i)
{
    ((int *)context)[i] += i * i;
}

static void workers_do_every_task_once(void **state)
{
    (void)state;
    for (int n_threads = 1; n_threads <= 4; n_threads++) {
        Workers *workers = workers_new(n_threads);
        for (int turn = 0; turn < 50; turn++) {
            int results[97] = {0};
            workers_run(workers, 97, square, results);
            for (int i = 0; i < 97; i++)
                assert_int_equal(results[i], i * i);
        }
        workers_free(workers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_keeps_the_first_message_and_cleans_it),
        cmocka_unit_test(an_arena_reuses_its_blocks_after_a_reset),
        cmocka_unit_test(what_an_arena_has_reserved_is_not_allocated_again),
        cmocka_unit_test(polite_allocation_refuses_sizes_that_overflow),
        cmocka_unit_test(blocks_are_zeroed_and_begin_at_a_border),
        cmocka_unit_test(writing_replaces_the_whole_file_or_nothing),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(random_streams_are_reproducible_and_independent),
        cmocka_unit_test(random_numbers_have_the_right_moments),
        cmocka_unit_test(a_string_map_finds_every_key_again),
        cmocka_unit_test(escapes_hold_for_markup_and_json),
        cmocka_unit_test(workers_do_every_task_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
