//! For tests only: every way of cutting a text, and generators of wire text.
