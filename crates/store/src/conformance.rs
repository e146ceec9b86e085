//! What every store promises, as checks that any store can be put through.
