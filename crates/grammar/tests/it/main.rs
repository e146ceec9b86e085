//! The names of the formats, and how the grammars look.
//!
//! The folder `engine`, a separate workspace, tests which texts the grammars accept.

mod format;
mod looks;
