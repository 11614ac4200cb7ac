"""Text as shells and utilities read and print it: quoting, escapes, locales, widths, names."""
