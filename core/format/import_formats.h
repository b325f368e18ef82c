/* import_formats.h - the importers, one line each; listed in import.c. */
#ifndef FOVEA_FORMAT_IMPORT_FORMATS_H
#define FOVEA_FORMAT_IMPORT_FORMATS_H
#include "format/import_set.h"

extern const ImportFormat IMPORT_NPY;         /* import_numpy.c       */
extern const ImportFormat IMPORT_NPZ;         /* import_numpy.c       */
extern const ImportFormat IMPORT_SAFETENSORS; /* import_safetensors.c */
extern const ImportFormat IMPORT_TORCH;       /* import_torch.c       */
extern const ImportFormat IMPORT_JSON;        /* import_json.c        */
extern const ImportFormat IMPORT_BLOCKS;      /* import_blocks.c      */
extern const ImportFormat IMPORT_MARIAN;      /* import_marian.c      */
extern const ImportFormat IMPORT_FAIRSEQ;     /* import_fairseq.c     */
extern const ImportFormat IMPORT_ONMT_TABLE;  /* import_onmt.c        */
extern const ImportFormat IMPORT_LINKS;       /* import_links.c       */

#endif
