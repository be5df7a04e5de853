# Finds libzip as the target LibZip::LibZip.
#
# Debian's own libzip-config.cmake demands the zipcmp tools of other packages.
include(FindPackageHandleStandardArgs)

find_path(LIBZIP_INCLUDE_DIR zip.h)
find_library(LIBZIP_LIBRARY zip)
mark_as_advanced(LIBZIP_INCLUDE_DIR LIBZIP_LIBRARY)
find_package_handle_standard_args(LibZip
  REQUIRED_VARS LIBZIP_LIBRARY LIBZIP_INCLUDE_DIR)

if(LibZip_FOUND AND NOT TARGET LibZip::LibZip)
  add_library(LibZip::LibZip UNKNOWN IMPORTED)
  set_target_properties(LibZip::LibZip PROPERTIES
    IMPORTED_LOCATION ${LIBZIP_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LIBZIP_INCLUDE_DIR})
endif()
