# cmake -DFOLDER=... -DOUTPUT=... -P embed.cmake: writes a C++ file with the text of every .cl file of FOLDER. Lines
# `#include "other.cl"` are replaced by that file, once each, since a compiler inside a driver finds no files.
cmake_policy(VERSION 3.25)
function(expand name seen_name text_name)
    set(seen ${${seen_name}})
    if(name IN_LIST seen)
        set(${text_name} "" PARENT_SCOPE)
        return()
    endif()
    list(APPEND seen ${name})
    # Lists of CMake split at semicolons and take brackets together, so the text is cut by hand.
    file(READ ${FOLDER}/${name} rest)
    set(text "")
    while(rest MATCHES "#include \"([a-z0-9_]+\\.cl)\"\n")
        set(line ${CMAKE_MATCH_0})
        set(included ${CMAKE_MATCH_1})
        string(FIND "${rest}" "${line}" place)
        string(SUBSTRING "${rest}" 0 ${place} before)
        string(LENGTH "${line}" length)
        math(EXPR place "${place} + ${length}")
        string(SUBSTRING "${rest}" ${place} -1 rest)
        expand(${included} seen inner)
        string(APPEND text "${before}${inner}")
    endwhile()
    set(${text_name} "${text}${rest}" PARENT_SCOPE)
    set(${seen_name} ${seen} PARENT_SCOPE)
endfunction()

file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*.cl)
set(entries "")
foreach(file IN LISTS files)
    set(seen)
    expand(${file} seen text)
    string(REGEX REPLACE "\\.cl$" "" stem ${file})
    string(APPEND entries "    {\"${stem}\", R\"kernels(${text})kernels\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by plugins/opencl/kernels/embed.cmake.
#include \"runtime/program.h\"

namespace vedette::opencl {

namespace {

struct Source {
    std::string_view name;
    const char* text;
};

constexpr Source sources[] = {
${entries}};

}  // namespace

const char* kernel_source(std::string_view name) noexcept {
    for (const Source& source : sources)
        if (source.name == name) return source.text;
    return nullptr;
}

}  // namespace vedette::opencl
")
