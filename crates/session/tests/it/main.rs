//! The tests of `silcrow-session`, by its public interface.

mod claims;
mod opening;
mod places;
mod runs;
mod support;
