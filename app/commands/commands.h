/* commands.h - the table of commands. Those that draw live in fovea-window. */
#ifndef FOVEA_COMMANDS_COMMANDS_H
#define FOVEA_COMMANDS_COMMANDS_H
#include "commands/command.h"

extern const Command command_models;
extern const Command command_run;
extern const Command command_train;
extern const Command command_eval;

/* In fovea-window only. */
extern const Command command_export;
extern const Command command_script;

#endif
