//! The style of text, by its meaning.
//!
//! This module has meanings. A theme gives them colours.

/// The look of a piece of text: a role and attributes, which combine freely.
///
/// ```
/// use silcrow_term::{Style, TextRole};
///
/// let style = Style::new(TextRole::Link).bold().italic();
/// assert_eq!(style.role(), TextRole::Link);
/// assert!(style.is_bold() && !style.is_dim());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Style {
    role: TextRole,
    attributes: u8,
}

/// The meaning of a piece of text, for which a theme has a colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextRole {
    /// Text without a special meaning.
    #[default]
    Plain,
    /// A heading.
    Heading,
    /// Code, within a line or as a block, if its syntax gives it no other role.
    Code,
    /// A link's text or its address.
    Link,
    /// A sign that shows structure, such as a bullet, a bar beside a quote or a rule.
    Sign,
    /// A keyword or an operator of a programming language.
    Keyword,
    /// A string or another literal.
    Literal,
    /// A number or a constant.
    Number,
    /// A comment.
    Comment,
    /// The name of a function or a macro.
    Function,
    /// The name of a type, a module or a tag.
    Type,
    /// A line that a diff adds.
    Added,
    /// A line that a diff removes.
    Removed,
    /// A name or a sign that the eye shall find, such as the name of a call.
    Accent,
    /// Something that ended well.
    Success,
    /// Something that a person should look at.
    Warning,
    /// Something that failed.
    Failure,
}

impl TextRole {
    /// The number of roles.
    pub(crate) const COUNT: usize = Self::Failure as usize + 1;
}

impl Style {
    /// The look of text without a special meaning.
    pub const PLAIN: Self = Self::new(TextRole::Plain);

    /// Returns the look of a role, without attributes.
    pub const fn new(role: TextRole) -> Self {
        Self { role, attributes: 0 }
    }

    /// Returns the style in another role, with the same attributes.
    #[must_use]
    pub const fn with_role(self, role: TextRole) -> Self {
        Self { role, ..self }
    }

    /// Returns the style in bold.
    #[must_use]
    pub const fn bold(self) -> Self {
        self.with(BOLD)
    }

    /// Returns the style dimmed.
    #[must_use]
    pub const fn dim(self) -> Self {
        self.with(DIM)
    }

    /// Returns the style in italics.
    #[must_use]
    pub const fn italic(self) -> Self {
        self.with(ITALIC)
    }

    /// Returns the style with a line through the text.
    #[must_use]
    pub const fn strikethrough(self) -> Self {
        self.with(STRIKETHROUGH)
    }

    /// Returns the role.
    pub const fn role(self) -> TextRole {
        self.role
    }

    /// Returns whether the style is bold.
    pub const fn is_bold(self) -> bool {
        self.attributes & BOLD != 0
    }

    /// Returns whether the style is dimmed.
    pub const fn is_dim(self) -> bool {
        self.attributes & DIM != 0
    }

    /// Returns whether the style is italic.
    pub const fn is_italic(self) -> bool {
        self.attributes & ITALIC != 0
    }

    /// Returns whether a line goes through the text.
    pub const fn is_strikethrough(self) -> bool {
        self.attributes & STRIKETHROUGH != 0
    }

    const fn with(self, attribute: u8) -> Self {
        Self { attributes: self.attributes | attribute, ..self }
    }
}

const BOLD: u8 = 1;
const DIM: u8 = 2;
const ITALIC: u8 = 4;
const STRIKETHROUGH: u8 = 8;
