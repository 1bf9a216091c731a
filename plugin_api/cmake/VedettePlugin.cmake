# vedette_add_plugin(NAME SOURCES file... [MANIFEST file]): a loadable library vedette-NAME.so that exports the ABI's entry
# and nothing else (version script; hidden visibility alone leaks symbols of libstdc++), linked so that everything it needs
# is known when it loads. Installed with the package for authors of plugins of their own.
function(vedette_add_plugin name)
    set(version_script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../abi/plugin.map)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "MANIFEST" "SOURCES")
    add_library(vedette-${name} MODULE ${arg_SOURCES})
    target_link_libraries(vedette-${name} PRIVATE Vedette::plugin_api)
    target_link_options(vedette-${name} PRIVATE
        -Wl,--version-script=${version_script} -Wl,-z,now -Wl,--as-needed)
    set_target_properties(vedette-${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${version_script})
    if(VEDETTE_PLUGIN_DIRECTORY)
        set_target_properties(vedette-${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${VEDETTE_PLUGIN_DIRECTORY})
    endif()
    if(arg_MANIFEST AND VEDETTE_PLUGIN_DIRECTORY)
        configure_file(${arg_MANIFEST} ${VEDETTE_PLUGIN_DIRECTORY}/${name}.json COPYONLY)
    endif()
endfunction()
