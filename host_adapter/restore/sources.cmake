target_sources(vedette_internal PRIVATE
    restore/api_restore.cc
    restore/point_spread.cc
    restore/restore_image.cc
    restore/tiling.cc)
