//! Tools as a request declares them, for a vendor's own tool calling.
//!
//! This module checks names, which must be valid at every vendor. Each vendor encodes tools.

use std::borrow::Cow;

/// A tool that a request declares, so that the model calls it in the vendor's own way (P-45).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every vendor wants these three")]
pub struct ToolDeclaration {
    /// The name of the tool.
    pub name: String,
    /// The description of the tool, for the model.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: String,
}

impl ToolDeclaration {
    /// Creates a declaration.
    ///
    /// ```
    /// use silcrow_provider::ToolDeclaration;
    ///
    /// let tool = ToolDeclaration::new("docs.search", "Searches the docs.", r#"{"type":"object"}"#);
    /// let name = tool.vendor_name();
    /// assert!(name.starts_with("docs_search_") && name.len() <= 64);
    /// assert_eq!(ToolDeclaration::named(&[tool.clone()], &name), "docs.search");
    /// ```
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), description: description.into(), schema: schema.into() }
    }

    /// Returns a name of the tool that every vendor accepts.
    ///
    /// ```
    /// use silcrow_provider::vendor_name;
    ///
    /// assert_eq!(vendor_name("file_read"), "file_read");
    /// // Two names that differ only in what a vendor rejects stay different.
    /// assert_ne!(vendor_name("docs.search"), vendor_name("docs/search"));
    /// ```
    pub fn vendor_name(&self) -> Cow<'_, str> {
        vendor_name(&self.name)
    }

    /// Returns the name of the tool that a vendor calls `name`; a name that no tool has stays as it is.
    pub fn named<'a>(tools: &'a [Self], name: &'a str) -> &'a str {
        tools.iter().find(|tool| tool.vendor_name() == name).map_or(name, |tool| &tool.name)
    }
}

/// Returns a name for a tool that every vendor accepts: at most 64 characters of `A-Z`, `a-z`, `0-9`,
/// `_` and `-`, beginning with a letter or `_`. A name that has to be changed gets a hash at its end,
/// so that two tools never share one.
///
/// ```
/// use silcrow_provider::vendor_name;
///
/// assert_eq!(vendor_name("file_read"), "file_read");
/// assert!(vendor_name("docs.search").starts_with("docs_search_"));
/// ```
pub fn vendor_name(name: &str) -> Cow<'_, str> {
    let is_first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let is_later = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let is_valid = name.len() <= LONGEST
        && name.as_bytes().first().is_some_and(is_first)
        && name.bytes().all(is_later);
    if is_valid {
        return Cow::Borrowed(name);
    }
    // FNV-1a, which is the same in every process.
    let hash = name
        .bytes()
        .fold(0x811C_9DC5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let begins = name.as_bytes().first().is_some_and(is_first);
    let kept = name.chars().map(|char| match u8::try_from(char) {
        Ok(byte) if is_later(byte) => char,
        _ => '_',
    });
    let begin = if begins { "" } else { "_" };
    let kept: String = begin.chars().chain(kept).take(LONGEST - 9).collect();
    Cow::Owned(format!("{kept}_{hash:08x}"))
}

/// The length of the longest name.
const LONGEST: usize = 64;
