//! Whether output on a terminal has colours, and which.

use std::env;
use std::io::{self, IsTerminal as _};

use silcrow_term::Theme;

use crate::asked_terminal::is_light;
use crate::options::ThemeName;

/// Returns whether lines for the terminal may have colours.
pub fn is_colored() -> bool {
    let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stderr().is_terminal() && !is_dumb && !is_plain
}

/// Returns the named theme, or by default the one for the terminal's background; without colours,
/// returns the plain theme.
pub fn theme(name: Option<ThemeName>) -> Theme {
    match is_colored() {
        true => match name {
            None | Some(ThemeName::Auto) if is_light() => Theme::LIGHT,
            None | Some(ThemeName::Auto) => Theme::DARK,
            Some(name) => Theme::named(name.as_str()).unwrap_or(Theme::DARK),
        },
        false => Theme::PLAIN,
    }
}
