#include <webp/decode.h>

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

bool picture_decode_webp(Picture *picture, const uint8_t *data, size_t n, Error *error)
{
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        return error_set(error, ERROR_UNSUPPORTED, "this system's libwebp is of another version");
    VP8StatusCode status = WebPGetFeatures(data, n, &config.input);
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
    status = WebPDecode(data, n, &config);
    WebPFreeDecBuffer(&config.output);
    return status == VP8_STATUS_OK ||
           error_set(error, ERROR_FORMAT, "damaged WebP: %s", reason(status));
}
