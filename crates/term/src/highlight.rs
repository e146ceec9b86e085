//! Syntax colours, or none without the feature `syntax`.

#[cfg(not(feature = "syntax"))]
mod none;
#[cfg(feature = "syntax")]
mod syntax;

#[cfg(not(feature = "syntax"))]
pub(crate) use none::NoHighlighter as Highlighter;
#[cfg(feature = "syntax")]
pub(crate) use syntax::Highlighter;
