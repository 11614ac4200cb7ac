"""Programs for the development of sandhook; the package does not contain them."""
