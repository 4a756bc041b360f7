# SPDX-License-Identifier: Apache-2.0
# umrt_layer(NAME): one static library per layer, made of every source in runtime/NAME and linked to just what
# runtime/layers.txt allows. Each layer's headers are reached through a directory of its own, so an #include of a layer
# that is not linked does not compile.
file(STRINGS ${PROJECT_SOURCE_DIR}/runtime/layers.txt umrt_layer_lines REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/layers.txt)

function(umrt_layer_target out name)
  string(REPLACE "/" "_" flat ${name})
  set(${out} umrt_${flat} PARENT_SCOPE)
endfunction()

function(umrt_layer name)
  umrt_layer_target(target ${name})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/${name}/*.cpp)
  if(sources)
    add_library(${target} STATIC ${sources})
    set_target_properties(${target} PROPERTIES
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()

  set(root ${PROJECT_BINARY_DIR}/layers/${target})
  if(name STREQUAL "device")  # device.h alone: the folders beside it are layers of their own
    file(MAKE_DIRECTORY ${root}/device)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/runtime/device/device.h ${root}/device/device.h SYMBOLIC)
  else()
    get_filename_component(parent ${root}/${name} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/runtime/${name} ${root}/${name} SYMBOLIC)
  endif()
  target_include_directories(${target} ${scope} ${root} ${PROJECT_SOURCE_DIR}/include)

  foreach(line ${umrt_layer_lines})
    if(line MATCHES "^${name}:(.*)$")
      separate_arguments(edges UNIX_COMMAND "${CMAKE_MATCH_1}")
      foreach(edge ${edges})
        umrt_layer_target(edge_target ${edge})
        target_link_libraries(${target} ${scope} ${edge_target})
      endforeach()
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "layer ${name} has no row in runtime/layers.txt")
endfunction()
