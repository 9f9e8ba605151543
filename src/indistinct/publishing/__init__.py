"""Tables for areas from beginning to end: asked for, weighed, protected, attacked, published."""
