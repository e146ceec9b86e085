//! The colours of roles.
//!
//! This module has SGR, the escape sequences of terminals for colours and attributes. Its caller
//! chooses a theme for the terminal.

use crate::{Style, TextRole};

/// A map from styles to SGR parameters.
///
/// The colours are the 16 that a person's terminal defines, so that they fit its background.
///
/// ```
/// use silcrow_term::{Line, Style, TextRole, Theme};
///
/// let theme = Theme::DARK.with_role(TextRole::Heading, &[38, 5, 208]);
/// let line = Line::styled("Title", Style::new(TextRole::Heading));
/// assert_eq!(line.to_ansi(&theme), "\x1b[38;5;208mTitle\x1b[0m");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// The SGR parameters of each role.
    roles: [&'static [u8]; TextRole::COUNT],
    /// Whether bold, dim, italic and struck text is displayed with these attributes.
    has_attributes: bool,
}

impl Theme {
    /// Has bright colours, for a dark background.
    pub const DARK: Self = Self::PLAIN
        .with_attributes()
        .with_role(TextRole::Heading, &[1, 96])
        .with_role(TextRole::Code, &[93])
        .with_role(TextRole::Link, &[4, 94])
        .with_role(TextRole::Sign, &[90])
        .with_role(TextRole::Keyword, &[95])
        .with_role(TextRole::Literal, &[92])
        .with_role(TextRole::Number, &[93])
        .with_role(TextRole::Comment, &[90])
        .with_role(TextRole::Function, &[94])
        .with_role(TextRole::Type, &[96])
        .with_role(TextRole::Added, &[32])
        .with_role(TextRole::Removed, &[31])
        .with_role(TextRole::Accent, &[96])
        .with_role(TextRole::Success, &[92])
        .with_role(TextRole::Warning, &[93])
        .with_role(TextRole::Failure, &[91]);

    /// Has dark colours, for a light background.
    pub const LIGHT: Self = Self::PLAIN
        .with_attributes()
        .with_role(TextRole::Heading, &[1, 34])
        .with_role(TextRole::Code, &[35])
        .with_role(TextRole::Link, &[4, 34])
        .with_role(TextRole::Sign, &[90])
        .with_role(TextRole::Keyword, &[35])
        .with_role(TextRole::Literal, &[32])
        .with_role(TextRole::Number, &[31])
        .with_role(TextRole::Comment, &[90])
        .with_role(TextRole::Function, &[34])
        .with_role(TextRole::Type, &[36])
        .with_role(TextRole::Added, &[32])
        .with_role(TextRole::Removed, &[31])
        .with_role(TextRole::Accent, &[34])
        .with_role(TextRole::Success, &[32])
        .with_role(TextRole::Warning, &[33])
        .with_role(TextRole::Failure, &[31]);

    /// Has no escape sequences at all, for pipes, for terminals without colours, and if the
    /// variable `NO_COLOR` is set. Structure stays visible by characters.
    pub const PLAIN: Self = Self { roles: [&[]; TextRole::COUNT], has_attributes: false };

    /// Returns the theme of a name: `dark`, `light` or `plain`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "dark" => Some(Self::DARK),
            "light" => Some(Self::LIGHT),
            "plain" => Some(Self::PLAIN),
            _ => None,
        }
    }

    /// Returns the theme with other SGR parameters for a role, such as `[38, 5, 208]`.
    #[must_use]
    pub const fn with_role(mut self, role: TextRole, sgr: &'static [u8]) -> Self {
        self.roles[role as usize] = sgr;
        self
    }

    const fn with_attributes(mut self) -> Self {
        self.has_attributes = true;
        self
    }

    /// Returns whether the theme never writes an escape sequence.
    pub fn is_plain(&self) -> bool {
        *self == Self::PLAIN
    }

    /// Appends the text in the style to `out`.
    pub(crate) fn write(&self, text: &str, style: Style, out: &mut String) {
        let mut is_first = true;
        let mut push = |parameter: u8| {
            out.push_str(if std::mem::take(&mut is_first) { "\x1b[" } else { ";" });
            if parameter >= 100 {
                out.push(char::from(b'0' + parameter / 100));
            }
            if parameter >= 10 {
                out.push(char::from(b'0' + parameter / 10 % 10));
            }
            out.push(char::from(b'0' + parameter % 10));
        };
        if self.has_attributes {
            let attributes = [
                (style.is_bold(), 1),
                (style.is_dim(), 2),
                (style.is_italic(), 3),
                (style.is_strikethrough(), 9),
            ];
            attributes.iter().filter(|(has, _)| *has).for_each(|(_, parameter)| push(*parameter));
        }
        self.roles[style.role() as usize].iter().for_each(|parameter| push(*parameter));
        if is_first {
            out.push_str(text);
        } else {
            out.push('m');
            out.push_str(text);
            out.push_str("\x1b[0m");
        }
    }
}
