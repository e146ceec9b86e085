//! Themes.

use silcrow_term::{Line, Style, TextRole, Theme};

#[test]
fn the_plain_theme_writes_no_escapes() {
    let line = Line::styled("a", Style::new(TextRole::Failure).bold().dim().italic());
    assert_eq!(line.to_ansi(&Theme::PLAIN), "a");
    assert!(Theme::PLAIN.is_plain() && !Theme::DARK.is_plain());
}

#[test]
fn attributes_and_colours_combine() {
    let style = Style::new(TextRole::Link).bold().dim().italic().strikethrough();
    assert_eq!(Line::styled("a", style).to_ansi(&Theme::LIGHT), "\x1b[1;2;3;9;4;34ma\x1b[0m");
    let theme = Theme::DARK.with_role(TextRole::Link, &[38, 2, 1, 20, 255]);
    let link = Line::styled("a", Style::new(TextRole::Link));
    assert_eq!(link.to_ansi(&theme), "\x1b[38;2;1;20;255ma\x1b[0m");
}

#[test]
fn themes_have_names() {
    for (name, theme) in [("dark", Theme::DARK), ("light", Theme::LIGHT), ("plain", Theme::PLAIN)] {
        assert_eq!(Theme::named(name), Some(theme));
    }
    assert_eq!(Theme::named("blue"), None);
}
