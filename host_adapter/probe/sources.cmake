target_sources(vedette_internal PRIVATE probe/child.cc probe/parameters.cc)
