//! The agent's loop: ask, parse, store, run, go on.
