#include "format/pickle.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

typedef struct Machine {
    const unsigned char *bytes;
    size_t n, at;
    const char *name;
    Arena *arena;
    PickleValue **stack;
    size_t n_stack, stack_capacity;
    size_t *marks; /* heights of the stack */
    size_t n_marks, mark_capacity;
    PickleValue **memo;
    size_t memo_capacity, n_memo;
    int64_t n_values;
    Error *error;
} Machine;

#define CONVERT                                                                                    \
    "Convert the file in Python: a = torch.load(\"file\"); numpy.savez(\"new.npz\", "              \
    "*[x.float().numpy() for x in a])"

static bool refuse(Machine *machine, const char *what)
{
    return error_set(machine->error, ERROR_UNSUPPORTED,
                     "%s: byte %zu of the pickle: %s; only "
                     "tensors in lists and dictionaries are read. " CONVERT,
                     machine->name, machine->at, what);
}

static bool cut_off(Machine *machine)
{
    return error_set(machine->error, ERROR_FORMAT, "%s: the pickle ends too early, at byte %zu",
                     machine->name, machine->at);
}

/* ---- bytes ---- */

static bool take(Machine *machine, size_t n, const unsigned char **out)
{
    if (n > machine->n - machine->at)
        return cut_off(machine);
    *out = machine->bytes + machine->at;
    machine->at += n;
    return true;
}

static bool take_number(Machine *machine, int n, uint64_t *out)
{
    const unsigned char *p = NULL;
    if (!take(machine, (size_t)n, &p))
        return false;
    *out = 0;
    for (int i = 0; i < n; i++)
        *out |= (uint64_t)p[i] << 8 * i;
    return true;
}

/* Up to the end of the line, which is taken, too. */
static bool take_line(Machine *machine, const char **text, size_t *n)
{
    const char *start = (const char *)machine->bytes + machine->at;
    const char *end = memchr(start, '\n', machine->n - machine->at);
    if (!end)
        return cut_off(machine);
    *text = start;
    *n = (size_t)(end - start);
    machine->at += *n + 1;
    return true;
}

/* ---- values ---- */

static PickleValue *new_value(Machine *machine, PickleKind kind)
{
    if (++machine->n_values > PICKLE_MAX_VALUES) {
        error_set(machine->error, ERROR_LIMIT, "%s: more than %d values in the pickle",
                  machine->name, PICKLE_MAX_VALUES);
        return NULL;
    }
    PickleValue *value = arena_try_get(machine->arena, 1, sizeof *value);
    if (!value) {
        error_set(machine->error, ERROR_MEMORY, "%s: no memory for the pickle", machine->name);
        return NULL;
    }
    value->kind = kind;
    return value;
}

static bool push(Machine *machine, PickleValue *value)
{
    if (!value)
        return false;
    machine->stack = memory_grow(machine->stack, &machine->stack_capacity, machine->n_stack + 1,
                                 sizeof *machine->stack);
    machine->stack[machine->n_stack++] = value;
    return true;
}

/* Values above the last mark: nothing reaches below it. */
static size_t n_free(const Machine *machine)
{
    return machine->n_stack - (machine->n_marks ? machine->marks[machine->n_marks - 1] : 0);
}

static PickleValue *pop(Machine *machine)
{
    if (n_free(machine) > 0)
        return machine->stack[--machine->n_stack];
    error_set(machine->error, ERROR_FORMAT, "%s: byte %zu of the pickle takes what is not there",
              machine->name, machine->at);
    return NULL;
}

static bool append(Machine *machine, PickleValue *list, PickleValue *item)
{
    if (list->n == list->capacity) {
        int64_t wanted = list->capacity ? 2 * list->capacity : 4;
        PickleValue **items = arena_try_get(machine->arena, (size_t)wanted, sizeof *items);
        if (!items)
            return error_set(machine->error, ERROR_MEMORY, "%s: no memory for the pickle",
                             machine->name);
        if (list->n)
            memcpy(items, list->items, (size_t)list->n * sizeof *items);
        list->items = items;
        list->capacity = wanted;
    }
    list->items[list->n++] = item;
    return true;
}

static const char *copy_text(Machine *machine, const char *text, size_t n)
{
    char *out = arena_try_get(machine->arena, n + 1, 1);
    if (!out) {
        error_set(machine->error, ERROR_MEMORY, "%s: no memory for the pickle", machine->name);
        return NULL;
    }
    memcpy(out, text, n);
    return out;
}

static bool push_text(Machine *machine, const char *text, size_t n)
{
    if (!utf8_is_valid(text, n) || memchr(text, '\0', n))
        return refuse(machine, "a text that is not UTF-8");
    PickleValue *value = new_value(machine, PICKLE_TEXT);
    if (!value)
        return false;
    value->text = copy_text(machine, text, n);
    return value->text && push(machine, value);
}

static bool push_integer(Machine *machine, int64_t integer)
{
    PickleValue *value = new_value(machine, PICKLE_INTEGER);
    if (!value)
        return false;
    value->integer = integer;
    return push(machine, value);
}

/* A list of the `n` values on top. */
static bool push_list(Machine *machine, size_t n, PickleKind kind)
{
    if (n > n_free(machine))
        return refuse(machine, "a tuple of more than there is");
    PickleValue *list = new_value(machine, kind);
    if (!list)
        return false;
    for (size_t i = machine->n_stack - n; i < machine->n_stack; i++)
        if (!append(machine, list, machine->stack[i]))
            return false;
    machine->n_stack -= n;
    return push(machine, list);
}

/* ---- marks ---- */

static bool push_mark(Machine *machine)
{
    machine->marks = memory_grow(machine->marks, &machine->mark_capacity, machine->n_marks + 1,
                                 sizeof *machine->marks);
    machine->marks[machine->n_marks++] = machine->n_stack;
    return true;
}

/* How many values lie above the last mark, which goes. */
static bool take_mark(Machine *machine, size_t *n)
{
    if (machine->n_marks == 0)
        return refuse(machine, "a mark that is not there");
    *n = machine->n_stack - machine->marks[--machine->n_marks];
    return true;
}

/* Everything above the mark is added to the container below it. */
static bool add_items(Machine *machine, PickleKind kind)
{
    size_t n = 0;
    if (!take_mark(machine, &n))
        return false;
    if (n_free(machine) <= n || machine->stack[machine->n_stack - n - 1]->kind != kind ||
        (kind == PICKLE_DICT && n % 2))
        return refuse(machine, "items for what is no container");
    PickleValue *container = machine->stack[machine->n_stack - n - 1];
    for (size_t i = machine->n_stack - n; i < machine->n_stack; i++)
        if (!append(machine, container, machine->stack[i]))
            return false;
    machine->n_stack -= n;
    return true;
}

static bool add_item(Machine *machine, PickleKind kind)
{
    PickleValue *value = pop(machine);
    PickleValue *key = value && kind == PICKLE_DICT ? pop(machine) : NULL;
    PickleValue *container = value && (key || kind == PICKLE_LIST) ? pop(machine) : NULL;
    if (!container)
        return false;
    if (container->kind != kind)
        return refuse(machine, "an item for what is no container");
    if (key && !append(machine, container, key))
        return false;
    return append(machine, container, value) && push(machine, container);
}

/* ---- memory ---- */

static bool put(Machine *machine, uint64_t index)
{
    if (n_free(machine) == 0 || index > PICKLE_MAX_VALUES)
        return refuse(machine, "a memo that cannot be");
    if (index >= machine->memo_capacity) {
        size_t wanted = (size_t)index * 2 + 64;
        machine->memo = memory_resize(machine->memo, wanted, sizeof *machine->memo);
        memset(machine->memo + machine->memo_capacity, 0,
               (wanted - machine->memo_capacity) * sizeof *machine->memo);
        machine->memo_capacity = wanted;
    }
    machine->n_memo += machine->memo[index] == NULL;
    machine->memo[index] = machine->stack[machine->n_stack - 1];
    return true;
}

static bool get(Machine *machine, uint64_t index)
{
    if (index >= machine->memo_capacity || !machine->memo[index])
        return refuse(machine, "a memo that was never made");
    return push(machine, machine->memo[index]);
}

/* ---- torch ---- */

static const struct {
    const char *name;
    TraceType type;
} STORAGES[] = {
    {"torch FloatStorage", TRACE_F32}, {"torch DoubleStorage", TRACE_F64},
    {"torch HalfStorage", TRACE_F16},  {"torch BFloat16Storage", TRACE_BF16},
    {"torch LongStorage", TRACE_I64},  {"torch IntStorage", TRACE_I32},
    {"torch ShortStorage", TRACE_I16}, {"torch CharStorage", TRACE_I8},
    {"torch ByteStorage", TRACE_U8},   {"torch BoolStorage", TRACE_BOOL},
};

static bool is_global(const PickleValue *value, const char *name)
{
    return value->kind == PICKLE_GLOBAL && strcmp(value->text, name) == 0;
}

/* Only names that have a use here may even be mentioned. */
static bool push_global(Machine *machine, const char *module, size_t n, const char *name, size_t m)
{
    static const char *const KNOWN[] = {"torch._utils _rebuild_tensor_v2",
                                        "torch._utils _rebuild_parameter",
                                        "collections OrderedDict"};
    PickleValue *value = new_value(machine, PICKLE_GLOBAL);
    char *text = value ? arena_try_get(machine->arena, n + m + 2, 1) : NULL;
    if (!text)
        return false;
    memcpy(text, module, n);
    text[n] = ' ';
    memcpy(text + n + 1, name, m);
    value->text = text;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strcmp(KNOWN[i], text) == 0)
            return push(machine, value);
    for (size_t i = 0; i < sizeof STORAGES / sizeof *STORAGES; i++) {
        if (strcmp(STORAGES[i].name, text) == 0) {
            value->type = STORAGES[i].type;
            return push(machine, value);
        }
    }
    char shown[100];
    utf8_clean(text, strlen(text), shown, sizeof shown);
    return error_set(machine->error, ERROR_UNSUPPORTED,
                     "%s: the pickle wants \"%s\", which is not run; only tensors in lists and "
                     "dictionaries are read. " CONVERT,
                     machine->name, shown);
}

static const PickleValue *item(const PickleValue *list, int64_t i, PickleKind kind)
{
    bool there = list && list->kind == PICKLE_LIST && i < list->n;
    return there && list->items[i]->kind == kind ? list->items[i] : NULL;
}

/* ("storage", a storage class, key, device, number of elements) */
static bool push_storage(Machine *machine)
{
    const PickleValue *id = pop(machine);
    const PickleValue *class = item(id, 1, PICKLE_GLOBAL), *key = item(id, 2, PICKLE_TEXT);
    if (!class || !key || strncmp(class->text, "torch ", 6) != 0)
        return refuse(machine, "a storage that is not understood");
    PickleValue *value = new_value(machine, PICKLE_STORAGE);
    if (!value)
        return false;
    value->type = class->type;
    value->text = key->text;
    return push(machine, value);
}

static bool read_lengths(const PickleValue *list, int64_t *out, int32_t rank)
{
    if (!list || list->kind != PICKLE_LIST || list->n != rank)
        return false;
    for (int32_t i = 0; i < rank; i++) {
        if (list->items[i]->kind != PICKLE_INTEGER || list->items[i]->integer < 0)
            return false;
        out[i] = list->items[i]->integer;
    }
    return true;
}

/* _rebuild_tensor_v2(storage, offset, shape, strides, ...) */
static bool push_tensor(Machine *machine, const PickleValue *arguments)
{
    const PickleValue *storage = item(arguments, 0, PICKLE_STORAGE);
    const PickleValue *offset = item(arguments, 1, PICKLE_INTEGER);
    const PickleValue *shape = item(arguments, 2, PICKLE_LIST);
    const PickleValue *stride = item(arguments, 3, PICKLE_LIST);
    PickleValue *value = new_value(machine, PICKLE_TENSOR);
    PickleTensor *tensor = value ? arena_try_get(machine->arena, 1, sizeof *value->tensor) : NULL;
    if (!tensor)
        return error_set(machine->error, ERROR_MEMORY, "%s: no memory for the pickle",
                         machine->name);
    if (!storage || !offset || offset->integer < 0 || !shape || shape->n > ARRAY_MAX_RANK)
        return refuse(machine, "a tensor that is not understood");
    tensor->storage = storage;
    tensor->offset = offset->integer;
    tensor->rank = (int32_t)shape->n;
    if (!read_lengths(shape, tensor->shape, tensor->rank) ||
        !read_lengths(stride, tensor->stride, tensor->rank))
        return refuse(machine, "a tensor whose shape is not understood");
    value->tensor = tensor;
    return push(machine, value);
}

static bool reduce(Machine *machine)
{
    PickleValue *arguments = pop(machine), *function = arguments ? pop(machine) : NULL;
    if (!function)
        return false;
    if (is_global(function, "torch._utils _rebuild_tensor_v2"))
        return push_tensor(machine, arguments);
    if (is_global(function, "torch._utils _rebuild_parameter") && item(arguments, 0, PICKLE_TENSOR))
        return push(machine, arguments->items[0]);
    if (is_global(function, "collections OrderedDict"))
        return push(machine, new_value(machine, PICKLE_DICT));
    return refuse(machine, "a call of something else");
}

/* State for an OrderedDict (as a module's state_dict has) says nothing about tensors. */
static bool build_state(Machine *machine)
{
    PickleValue *state = pop(machine), *object = state ? pop(machine) : NULL;
    if (!object)
        return false;
    return object->kind == PICKLE_DICT ? push(machine, object)
                                       : refuse(machine, "an object of some class");
}

/* ---- instructions ---- */

static bool push_sized_text(Machine *machine, int width)
{
    uint64_t n = 0;
    const unsigned char *text = NULL;
    return take_number(machine, width, &n) && n <= machine->n && take(machine, (size_t)n, &text)
               ? push_text(machine, (const char *)text, (size_t)n)
               : cut_off(machine);
}

static bool push_long(Machine *machine)
{
    uint64_t n = 0, bits = 0;
    if (!take_number(machine, 1, &n))
        return false;
    if (n > 8)
        return refuse(machine, "a number of more than 64 bits");
    if (!take_number(machine, (int)n, &bits))
        return false;
    bool negative = n > 0 && n < 8 && (bits >> (8 * n - 1) & 1);
    return push_integer(machine, (int64_t)(negative ? bits | ~(uint64_t)0 << 8 * n : bits));
}

static bool push_float(Machine *machine)
{
    const unsigned char *p = NULL;
    PickleValue *value = new_value(machine, PICKLE_NUMBER);
    if (!value || !take(machine, 8, &p))
        return false;
    value->number = trace_element(TRACE_F64, true, p);
    return push(machine, value);
}

static bool take_global(Machine *machine)
{
    const char *module = NULL, *name = NULL;
    size_t n = 0, m = 0;
    return take_line(machine, &module, &n) && take_line(machine, &name, &m) &&
           push_global(machine, module, n, name, m);
}

static bool stack_global(Machine *machine)
{
    const PickleValue *name = pop(machine), *module = name ? pop(machine) : NULL;
    if (!module)
        return false;
    if (name->kind != PICKLE_TEXT || module->kind != PICKLE_TEXT)
        return refuse(machine, "a name that is no text");
    return push_global(machine, module->text, strlen(module->text), name->text, strlen(name->text));
}

static bool push_marked(Machine *machine, PickleKind kind)
{
    size_t n = 0;
    return take_mark(machine, &n) && push_list(machine, n, kind);
}

static bool take_and(Machine *machine, int width, bool (*use)(Machine *, uint64_t))
{
    uint64_t index = 0;
    return take_number(machine, width, &index) && use(machine, index);
}

static bool skip(Machine *machine, size_t n)
{
    const unsigned char *ignored = NULL;
    return take(machine, n, &ignored);
}

static bool push_unsigned(Machine *machine, uint64_t value)
{
    return push_integer(machine, (int64_t)value);
}

static bool push_signed(Machine *machine, uint64_t value)
{
    return push_integer(machine, (int32_t)value);
}

static bool step(Machine *machine, unsigned char code)
{
    switch (code) {
    case 0x80: return skip(machine, 1); /* PROTO   */
    case 0x95: return skip(machine, 8); /* FRAME   */
    case 'N': return push(machine, new_value(machine, PICKLE_NONE));
    case 0x88: return push_integer(machine, 1);           /* NEWTRUE */
    case 0x89: return push_integer(machine, 0);           /* NEWFALSE */
    case 'K': return take_and(machine, 1, push_unsigned); /* BININT1 */
    case 'M': return take_and(machine, 2, push_unsigned); /* BININT2 */
    case 'J': return take_and(machine, 4, push_signed);   /* BININT  */
    case 0x8a: return push_long(machine);                 /* LONG1   */
    case 'G': return push_float(machine);                 /* BINFLOAT */
    case 0x8c: return push_sized_text(machine, 1);        /* SHORT_BINUNICODE */
    case 'X': return push_sized_text(machine, 4);         /* BINUNICODE */
    case ')': return push_list(machine, 0, PICKLE_LIST);  /* EMPTY_TUPLE */
    case ']': return push_list(machine, 0, PICKLE_LIST);  /* EMPTY_LIST */
    case '}': return push_list(machine, 0, PICKLE_DICT);  /* EMPTY_DICT */
    case 0x85: return push_list(machine, 1, PICKLE_LIST); /* TUPLE1  */
    case 0x86: return push_list(machine, 2, PICKLE_LIST); /* TUPLE2  */
    case 0x87: return push_list(machine, 3, PICKLE_LIST); /* TUPLE3  */
    case '(': return push_mark(machine);                  /* MARK    */
    case 't': return push_marked(machine, PICKLE_LIST);   /* TUPLE   */
    case 'l': return push_marked(machine, PICKLE_LIST);   /* LIST    */
    case 'a': return add_item(machine, PICKLE_LIST);      /* APPEND  */
    case 'e': return add_items(machine, PICKLE_LIST);     /* APPENDS */
    case 's': return add_item(machine, PICKLE_DICT);      /* SETITEM */
    case 'u': return add_items(machine, PICKLE_DICT);     /* SETITEMS */
    case 'q': return take_and(machine, 1, put);           /* BINPUT  */
    case 'r': return take_and(machine, 4, put);           /* LONG_BINPUT */
    case 'h': return take_and(machine, 1, get);           /* BINGET  */
    case 'j': return take_and(machine, 4, get);           /* LONG_BINGET */
    case 0x94: return put(machine, machine->n_memo);      /* MEMOIZE */
    case 'c': return take_global(machine);                /* GLOBAL  */
    case 0x93: return stack_global(machine);              /* STACK_GLOBAL */
    case 'Q': return push_storage(machine);               /* BINPERSID */
    case 'R': return reduce(machine);                     /* REDUCE  */
    case 'b': return build_state(machine);                /* BUILD   */
    default: return refuse(machine, "an instruction that tensors do not need");
    }
}

const PickleValue *pickle_read(const void *bytes, size_t n, const char *name, Arena *arena,
                               Error *error)
{
    Machine machine = {.bytes = bytes, .n = n, .name = name, .arena = arena, .error = error};
    const PickleValue *result = NULL;
    bool ok = n <= PICKLE_MAX_BYTES ||
              error_set(error, ERROR_LIMIT, "%s: a pickle of %zu bytes; at most %zu are read", name,
                        n, PICKLE_MAX_BYTES);
    while (ok && !result) {
        const unsigned char *code = NULL;
        ok = take(&machine, 1, &code);
        if (ok && *code == '.')
            ok = (result = pop(&machine)) != NULL;
        else if (ok)
            ok = step(&machine, *code);
    }
    free(machine.stack);
    free(machine.marks);
    free(machine.memo);
    return ok ? result : NULL;
}
