target_sources(vedette_internal PRIVATE
    core/api_context.cc
    core/api_error.cc
    core/api_explain.cc
    core/api_operation.cc
    core/call_signature.cc
    core/child.cc
    core/chooser.cc
    core/codes.cc
    core/config.cc
    core/context.cc
    core/device.cc
    core/device_model.cc
    core/execution.cc
    core/explainer.cc
    core/handles.cc
    core/host_services.cc
    core/image.cc
    core/image_check.cc
    core/json_object.cc
    core/json_parse.cc
    core/library_place.cc
    core/log.cc
    core/manifest.cc
    core/operations.cc
    core/plan_cache.cc
    core/plugin_library.cc
    core/policy.cc
    core/policy_text.cc
    core/processors.cc
    core/quarantine.cc
    core/ranking.cc
    core/record.cc
    core/registry.cc
    core/result_check.cc
    core/text.cc
    core/thread_pool.cc
    core/trial.cc
    core/trial_program.cc
    core/views.cc)

# Loads a plugin on trial, in a process of its own; libvedette finds it in the folder vedette/ beside itself.
add_executable(vedette-probe-plugin core/probe_plugin.cc)
target_link_libraries(vedette-probe-plugin PRIVATE vedette_internal vedette_warnings)
target_link_options(vedette-probe-plugin PRIVATE -Wl,--as-needed)
set_target_properties(vedette-probe-plugin PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/vedette)
install(TARGETS vedette-probe-plugin DESTINATION ${CMAKE_INSTALL_LIBDIR}/vedette)
# libvedette is complete only with it.
cmake_language(DEFER CALL add_dependencies vedette vedette-probe-plugin)
