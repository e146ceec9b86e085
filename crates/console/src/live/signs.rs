//! The signs that set the kinds of lines apart, for terminals with and without Unicode.

use std::env;

/// The signs before lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineSigns {
    pub(super) call: &'static str,
    pub(super) success: &'static str,
    pub(super) failure: &'static str,
    /// The call has succeeded, and the command that it ran has not.
    pub(super) warning: &'static str,
    pub(super) thought: &'static str,
    pub(super) output: &'static str,
    pub(super) prompt: &'static str,
    pub(super) note: &'static str,
    pub(super) more: &'static str,
    /// The separator of two facts on one line.
    pub(super) between: &'static str,
}

impl LineSigns {
    pub(super) const UNICODE: Self = Self {
        call: "→",
        success: "✓",
        failure: "✗",
        warning: "!",
        thought: "∴",
        output: "│",
        prompt: "›",
        note: "·",
        more: "…",
        between: " · ",
    };

    pub(super) const ASCII: Self = Self {
        call: "->",
        success: "ok",
        failure: "!!",
        warning: "!",
        thought: "~",
        output: "|",
        prompt: ">",
        note: "-",
        more: "...",
        between: ", ",
    };

    /// Returns whether the terminal is one without Unicode.
    pub(super) fn is_ascii(&self) -> bool {
        *self == Self::ASCII
    }

    /// Returns the signs for the terminal of this process.
    pub(super) fn of_locale() -> Self {
        let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        Self::for_locale(locale.as_deref())
    }

    /// A terminal without a locale is a modern one in a container, rather than one without Unicode.
    pub(super) fn for_locale(locale: Option<&str>) -> Self {
        let is_unicode = locale.is_none_or(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        if is_unicode { Self::UNICODE } else { Self::ASCII }
    }
}

#[test]
fn only_a_non_utf8_locale_disables_unicode() {
    for locale in [None, Some("C.UTF-8"), Some("de_DE.utf8"), Some("en_US.UTF-8")] {
        assert_eq!(LineSigns::for_locale(locale), LineSigns::UNICODE, "{locale:?}");
    }
    for locale in ["C", "POSIX", "de_DE.ISO-8859-1", "en_US"] {
        assert_eq!(LineSigns::for_locale(Some(locale)), LineSigns::ASCII, "{locale}");
    }
}
