# Installs the libraries, their headers and the package that find_package reads.
include(CMakePackageConfigHelpers)

# One target to link: an interface over all libraries, Hilo::hilo.
add_library(hilo_all INTERFACE)
add_library(Hilo::hilo ALIAS hilo_all)
set_target_properties(hilo_all PROPERTIES EXPORT_NAME hilo)
get_property(HILO_LIBRARIES GLOBAL PROPERTY HILO_LIBRARIES)
target_link_libraries(hilo_all INTERFACE ${HILO_LIBRARIES})
install(TARGETS hilo_all EXPORT HiloTargets)

install(DIRECTORY runtime hlo passes backends jit
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hilo
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

set(HILO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Hilo)
install(EXPORT HiloTargets NAMESPACE Hilo:: DESTINATION ${HILO_PACKAGE_DIR})
configure_package_config_file(
  cmake/HiloConfig.cmake.in ${PROJECT_BINARY_DIR}/HiloConfig.cmake
  INSTALL_DESTINATION ${HILO_PACKAGE_DIR})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/HiloConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/HiloConfig.cmake
  ${PROJECT_BINARY_DIR}/HiloConfigVersion.cmake
  cmake/FindLAPACKE.cmake
  cmake/FindLibZip.cmake
  DESTINATION ${HILO_PACKAGE_DIR})
