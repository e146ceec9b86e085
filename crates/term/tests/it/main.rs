//! The crate through its public interface.

mod difference;
mod direction;
mod document;
mod hostile;
mod laws;
mod line;
mod surface;
#[cfg(feature = "syntax")]
mod syntax;
mod theme;
