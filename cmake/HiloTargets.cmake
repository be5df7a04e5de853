# What every Hilo target shares: language level, warnings, include root.

# Declares the static library `name` from `SOURCES`, exported as Hilo::name.
# `LINK` is seen by users of its headers, `LINK_PRIVATE` only by its sources.
function(hilo_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LINK_PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  add_library(Hilo::${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_LINK_PRIVATE})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/hilo>)
  hilo_compile_options(${name})
  set_property(GLOBAL APPEND PROPERTY HILO_LIBRARIES ${name})
  install(TARGETS ${name} EXPORT HiloTargets)
endfunction()

# Compiles headers that nearly every file of the target includes once: reading
# hlo/ir/module.h takes longer than compiling most files. Libraries that add the
# same headers share what the first of them compiled. What a file needs it
# includes all the same; the tidy preset builds without.
function(hilo_precompile name)
  string(MAKE_C_IDENTIFIER "HILO_PRECOMPILED_${ARGN}" key)
  get_property(first GLOBAL PROPERTY ${key})
  if(first)
    target_precompile_headers(${name} REUSE_FROM ${first})
  else()
    target_precompile_headers(${name} PRIVATE ${ARGN}
      <algorithm> <string> <vector>
      <absl/status/statusor.h> <absl/strings/str_cat.h>
      ${PROJECT_SOURCE_DIR}/hlo/ir/module.h
      ${PROJECT_SOURCE_DIR}/runtime/base/status.h)
    set_property(GLOBAL PROPERTY ${key} ${name})
  endif()
  # Lets ccache see the precompiled header.
  target_compile_options(${name} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# Applies the project's language level and warnings to any target.
function(hilo_compile_options name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES
    CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE
    -Wall -Wextra -Werror -Wnon-virtual-dtor
    # The standard library's stable algorithms use what it deprecates itself.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  if(CMAKE_UNITY_BUILD)
    # A file's own types are no danger where files are compiled together.
    target_compile_options(${name} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# LLVM's shared library and headers as one target. Its headers count as system
# headers: their warnings are not ours.
function(hilo_find_llvm)
  find_package(LLVM 22.1 REQUIRED CONFIG)
  add_library(hilo_llvm INTERFACE)
  target_link_libraries(hilo_llvm INTERFACE LLVM)
  target_include_directories(hilo_llvm SYSTEM INTERFACE
    $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>)
  install(TARGETS hilo_llvm EXPORT HiloTargets)
endfunction()
