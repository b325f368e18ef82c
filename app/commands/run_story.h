/* run_story.h - a story and a question about it, from words of the command line: the story as
 * a text or a file, or by its number from a file in bAbI's format. */
#ifndef FOVEA_COMMANDS_RUN_STORY_H
#define FOVEA_COMMANDS_RUN_STORY_H
#include "format/babi.h"
#include "models/model.h"

typedef struct StorySpec {
    const char *text;     /* the story; NULL: in the file             */
    const char *path;     /* or NULL                                  */
    const char *question; /* NULL: the file's, by number              */
    const char *number;   /* "3" or "3:2": story 3, its question 2; NULL */
} StorySpec;

typedef struct Story {
    RunInput input; /* points into what follows */
    char *text, *question;
    Babi babi;
} Story;

/* ERROR_INPUT says what is missing or does not fit; deinit also after a failure. */
bool story_read(const StorySpec *spec, Story *out, Error *error) FOVEA_MUST_USE;
void story_deinit(Story *story);

#endif
