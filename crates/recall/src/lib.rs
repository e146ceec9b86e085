//! The tool `recall`, which searches the other conversations of a user.
