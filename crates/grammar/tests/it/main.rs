//! The names of the formats, and how the grammars look.
//!
//! What the grammars accept is tested in the folder `engine`, in a workspace of its own.

mod format;
mod looks;
