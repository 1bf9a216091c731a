find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_path(VEDETTE_WEBP_INCLUDE_DIR webp/decode.h)
find_library(VEDETTE_WEBP_LIBRARY webp)
mark_as_advanced(VEDETTE_WEBP_INCLUDE_DIR VEDETTE_WEBP_LIBRARY)

target_sources(vedette_internal PRIVATE
    imageio/api_pixels.cc
    imageio/bmp_header.cc
    imageio/encoded_image.cc
    imageio/read_bmp.cc
    imageio/read_file.cc
    imageio/read_image.cc
    imageio/read_jpeg.cc
    imageio/read_png.cc
    imageio/read_pnm.cc
    imageio/read_webp.cc
    imageio/write_png.cc)
target_link_libraries(vedette_internal PRIVATE PNG::PNG JPEG::JPEG)
if(VEDETTE_WEBP_INCLUDE_DIR AND VEDETTE_WEBP_LIBRARY)
    target_include_directories(vedette_internal SYSTEM PRIVATE ${VEDETTE_WEBP_INCLUDE_DIR})
    target_compile_definitions(vedette_internal PRIVATE VEDETTE_HAS_WEBP)
    target_link_libraries(vedette_internal PRIVATE ${VEDETTE_WEBP_LIBRARY})
else()
    message(STATUS "libwebp was not found: WebP files cannot be read")
endif()
