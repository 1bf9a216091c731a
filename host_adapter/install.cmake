# What an installation holds, included last from the top. It has the shape of the build tree (bin, lib, lib/vedette/plugins),
# and everything in it finds the rest relative to itself, so that the whole folder can be moved.
include(CMakePackageConfigHelpers)

# What a find takes, and no test: the library, the command, the backends and the helpers they start.
add_custom_target(vedette-runtime DEPENDS vedette vedette-cli vedette-probe-plugin vedette-cpu)
if(TARGET vedette-opencv)
    add_dependencies(vedette-runtime vedette-opencv)
endif()

# The programs, the backends and the configuration are installed where they are made.
install(TARGETS vedette vedette_plugin_api EXPORT VedetteTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/host_adapter/include/vedette DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Vedette)
install(EXPORT VedetteTargets NAMESPACE Vedette:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/package/VedetteConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/VedetteConfig.cmake INSTALL_DESTINATION ${package_folder}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/VedetteConfigVersion.cmake
    COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/VedetteConfig.cmake ${PROJECT_BINARY_DIR}/package/VedetteConfigVersion.cmake
    DESTINATION ${package_folder})
# vedette_add_plugin with the version script, side by side as in plugin_api/.
install(FILES ${PROJECT_SOURCE_DIR}/plugin_api/cmake/VedettePlugin.cmake DESTINATION ${package_folder}/cmake)
install(FILES ${PROJECT_SOURCE_DIR}/plugin_api/abi/plugin.map DESTINATION ${package_folder}/abi)

file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/vedette.pc.in ${PROJECT_BINARY_DIR}/package/vedette.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/vedette.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
