# Filled in below: install tree, find_package, pkg-config, packages.
