/* What is accepted has labels among the classes and texts inside the file. */
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "train/labelled.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    int how = size > 0 ? data[0] : 0;
    const LabelledSpec spec = {.column = 1 + how % 3,
                               .text = how / 3 % 4,
                               .pairs = how / 12 % 2 == 1,
                               .header = how / 24 % 2 == 1,
                               .end = ":"};
    ClassNames *classes = NULL;
    Labelled labelled;
    Bytes bytes = {memory_copy_bytes((const char *)data, size), size};
    if (labelled_parse("fuzz", bytes, &spec, &classes, &labelled, &error)) {
        const char *begin = labelled.bytes.data, *end = begin + labelled.bytes.size;
        for (int i = 0; i < labelled.n; i++) {
            const LabelledItem *item = &labelled.items[i];
            FOVEA_CHECK(item->label >= 0 && item->label < class_names_count(classes), "label %d",
                        item->label);
            FOVEA_CHECK(item->text >= begin && item->text + item->n <= end, "text %d outside", i);
            FOVEA_CHECK((item->second != NULL) == spec.pairs, "second text of %d", i);
            FOVEA_CHECK(!item->second ||
                            (item->second > item->text && item->second + item->n_second <= end),
                        "second text %d outside", i);
        }
    } else {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
    }
    labelled_free(&labelled);
    class_names_free(classes);
    return 0;
}
