"""Names of files: quoting, pathspecs, rules of .gitignore and .gitattributes."""
