#include <string.h>

#include "models/family.h"

extern const Family family_sentence;
extern const Family family_lstmn;
extern const Family family_seq2seq;
extern const Family family_transformer;
extern const Family family_ram;
extern const Family family_reader;
extern const Family family_caption;
extern const Family family_han;

static const Family *const families[] = {
    &family_seq2seq,  &family_transformer, &family_ram, &family_caption,
    &family_sentence, &family_lstmn,       &family_han, &family_reader,
};

const Family *family_at(int i)
{
    return i >= 0 && (size_t)i < sizeof families / sizeof families[0] ? families[i] : NULL;
}

const Family *family_find(const char *name)
{
    for (int i = 0; family_at(i); i++)
        if (strcmp(family_at(i)->name, name) == 0)
            return family_at(i);
    return NULL;
}
