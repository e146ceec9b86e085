//! Pictures as files: how they are read, and how they are changed.

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
