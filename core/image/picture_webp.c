#include <webp/decode.h>

#include "base/library.h"
#include "image/picture_internal.h"

static const char *reason(VP8StatusCode status)
{
    switch (status) {
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED: return "it ends early";
    case VP8_STATUS_UNSUPPORTED_FEATURE: return "a feature that is not supported";
    case VP8_STATUS_OUT_OF_MEMORY: return "out of memory";
    default: return "its data are wrong";
    }
}

/* WebPInitDecoderConfig and WebPGetFeatures are macros of these with the header's version. */
typedef struct WebP {
    __typeof__(WebPInitDecoderConfigInternal) *init;
    __typeof__(WebPGetFeaturesInternal) *get_features;
    __typeof__(WebPDecode) *decode;
    __typeof__(WebPFreeDecBuffer) *free;
} WebP;

static bool load_webp(WebP *webp, Error *error)
{
    const LibraryFunction functions[] = {{"WebPInitDecoderConfigInternal", &webp->init},
                                         {"WebPGetFeaturesInternal", &webp->get_features},
                                         {"WebPDecode", &webp->decode},
                                         {"WebPFreeDecBuffer", &webp->free}};
    return library_load("libwebp.so.7", "libwebp7", 4, functions, error);
}

bool picture_decode_webp(Picture *picture, const uint8_t *data, size_t n, Error *error)
{
    WebP webp;
    WebPDecoderConfig config;
    if (!load_webp(&webp, error))
        return false;
    if (!webp.init(&config, WEBP_DECODER_ABI_VERSION))
        return error_set(error, ERROR_UNSUPPORTED, "this system's libwebp is of another version");
    VP8StatusCode status = webp.get_features(data, n, &config.input, WEBP_DECODER_ABI_VERSION);
    if (status != VP8_STATUS_OK)
        return error_set(error, ERROR_FORMAT, "damaged WebP: %s", reason(status));
    if (config.input.has_animation)
        return error_set(error, ERROR_UNSUPPORTED, "an animated WebP; a still one was expected");
    if (!picture_new(picture, config.input.width, config.input.height, error))
        return false;
    size_t stride = (size_t)picture->width * 4;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = picture->rgba;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = stride * (size_t)picture->height;
    status = webp.decode(data, n, &config);
    webp.free(&config.output);
    return status == VP8_STATUS_OK ||
           error_set(error, ERROR_FORMAT, "damaged WebP: %s", reason(status));
}
