//! Servers and databases that cannot be used, and what the errors say.
