"""Systems built of the techniques: methods that decide how to change a file until k holds."""
