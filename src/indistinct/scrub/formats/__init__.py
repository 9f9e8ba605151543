"""Kinds of letters that are more than text, one file each. A new file in this folder is a new kind.

A kind says which files are of it, takes the text out of one with a place for every character
(`sheet.Sheet`), and, where it can, writes the file again: built anew of what is known to be
harmless, never the given file with something taken out.
"""
