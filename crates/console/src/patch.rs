//! Shows changes of files, as a coloured patch or as a line for each file.
//!
//! The changes may come from any source.

use std::io::{self, Write};

use silcrow_event::FileDelta;
use silcrow_sanitize::sanitize_line;
use silcrow_term::{Line, Style, TextRole, Theme};

use crate::plural::count;

/// Writes a line for each file, and one for all of them.
///
/// ```
/// use silcrow_console::patch::write_stat;
/// use silcrow_event::{DeltaKind, FileDelta};
///
/// let mut out = Vec::new();
/// write_stat(&mut out, &[&FileDelta::new("a.txt", DeltaKind::Changed).with_lines(2, 1)])?;
/// assert_eq!(String::from_utf8_lossy(&out), "a.txt +2 −1\n1 file changed, +2 −1\n");
/// # std::io::Result::Ok(())
/// ```
///
/// # Errors
///
/// Fails if the output does.
pub fn write_stat(out: &mut impl Write, files: &[&FileDelta]) -> io::Result<()> {
    for file in files {
        writeln!(out, "{}", sanitize_line(&file.short()))?;
    }
    let sum = |lines: fn(&FileDelta) -> u64| files.iter().map(|file| lines(file)).sum::<u64>();
    let (added, removed) = (sum(|file| file.added), sum(|file| file.removed));
    writeln!(out, "{} changed, +{added} −{removed}", count(files.len() as u64, "file"))
}

/// Writes a patch as `git diff` shows one, in the colours of a theme and safe for a terminal.
///
/// ```
/// use silcrow_console::patch::write_patch;
/// use silcrow_term::Theme;
///
/// let mut out = Vec::new();
/// write_patch(&mut out, "-a\n+b\x1b[2J\n", &Theme::PLAIN)?;
/// assert_eq!(out, b"-a\n+b\\x1b[2J\n");
/// # std::io::Result::Ok(())
/// ```
///
/// # Errors
///
/// Fails if the output does.
pub fn write_patch(out: &mut impl Write, patch: &str, theme: &Theme) -> io::Result<()> {
    for line in patch.lines() {
        let style = match line.as_bytes() {
            [b'd', b'i', b'f', b'f', ..]
            | [b'-', b'-', b'-', b' ', ..]
            | [b'+', b'+', b'+', b' ', ..] => Style::PLAIN.bold(),
            [b'@', ..] => Style::new(TextRole::Accent),
            [b'+', ..] => Style::new(TextRole::Added),
            [b'-', ..] => Style::new(TextRole::Removed),
            _ => Style::PLAIN,
        };
        writeln!(out, "{}", Line::styled(line, style).to_ansi(theme))?;
    }
    Ok(())
}
