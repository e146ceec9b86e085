//! Pictures as files: what is read of them, and what they become.

#[cfg(feature = "pdf")]
mod documents;
#[cfg(feature = "decode")]
mod fitted;
mod formats;
#[cfg(feature = "decode")]
mod hostile;
#[cfg(feature = "pdf-pages")]
mod pages;
mod sizes;
mod tokens;
