//! Bodies that are not valid calls, each with the reason for the model.
//!
//! This module has the kinds of reasons. Other modules read bodies.

use std::fmt;

use crate::blocks::ElementAround;

/// A body that is not a call that can run, with the reason.
#[derive(Debug)]
pub(crate) struct RejectedCall {
    /// The reason, for the model.
    pub(crate) why: String,
    /// The id that the model wrote, or an empty string.
    pub(crate) id: String,
    pub(crate) kind: RejectionKind,
}

/// The kind of a rejection, which decides whether the body is content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RejectionKind {
    /// The body was cut off, and is not content.
    Truncated,
    /// The body is not a call, but content (P-9).
    Malformed,
    /// The body is a call with invalid attributes (P-20), and not content.
    InvalidCall,
    /// The body is a call inside an element in which nothing runs (P-43), and not content.
    InBlock,
}

impl RejectedCall {
    pub(crate) fn malformed(why: &dyn fmt::Display, id: String) -> Self {
        Self { why: why.to_string(), id, kind: RejectionKind::Malformed }
    }

    pub(crate) fn call(why: String, id: String) -> Self {
        Self { why, id, kind: RejectionKind::InvalidCall }
    }

    pub(crate) fn in_block(around: ElementAround<'_>, id: &str) -> Self {
        let ElementAround { name, why } = around;
        let why = match why {
            Some(why) => format!("not run: {why}. Write the block again, whole"),
            None => format!(
                "not run: it is inside `<{name}>`, and nothing runs in that. Blocks are \
                 `<if test=\"…\">` with `<else>`, `<foreach in=\"…\" as=\"…\">` and `<parallel>`; \
                 write other actions outside of other tags"
            ),
        };
        Self { why, id: id.to_owned(), kind: RejectionKind::InBlock }
    }
}
