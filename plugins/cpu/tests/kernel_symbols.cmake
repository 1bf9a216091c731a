# Fails when an object file of one instruction set (ISA) defines a symbol that the linker could pick for another set's code:
# anything that is visible outside the file and does not lie in a namespace named after the set.
string(REPLACE "," ";" objects "${OBJECTS}")
if(NOT objects)
    message(FATAL_ERROR "no object files to look at")
endif()
foreach(object IN LISTS objects)
    execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^[0-9a-f]* +" "" line "${line}")
        if(line MATCHES "^[a-z] " AND NOT line MATCHES "^[uvw] ")
            continue() # local to the file
        endif()
        if(NOT line MATCHES "^. ([^(]* )?vedette::cpu::([a-z_]+::)*${ISA}::")
            message(SEND_ERROR "${object}: \"${line}\" may replace, or be replaced by, another set's")
        endif()
    endforeach()
endforeach()
