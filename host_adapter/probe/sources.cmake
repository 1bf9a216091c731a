target_sources(vedette_internal PRIVATE probe/parameters.cc)
