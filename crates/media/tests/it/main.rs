//! Pictures as files: what is read of them, and what they become.

#[cfg(feature = "pdf")]
mod documents;
#[cfg(feature = "decode")]
mod fitted;
mod formats;
#[cfg(feature = "decode")]
mod hostile;
mod sizes;
mod tokens;
