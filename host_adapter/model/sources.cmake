target_sources(vedette_internal PRIVATE
    model/caching.cc
    model/cascade_counts.cc
    model/correction.cc
    model/estimate.cc
    model/machine.cc
    model/parameters.cc
    model/profile.cc
    model/profile_store.cc
    model/properties.cc)
