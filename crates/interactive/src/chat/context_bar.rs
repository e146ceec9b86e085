//! How full the model's window is, as a bar with its parts.

use silcrow_session::context::ContextShare;
use silcrow_term::fit::shortened;
use silcrow_term::{Line, Style, TextRole};

/// Returns the bar, and a row for each part. Without a known window the bar is as long as the request.
pub(super) fn context_bar(shares: &[ContextShare], window: Option<u64>, ascii: bool) -> Vec<Line> {
    let total: u64 = shares.iter().map(|share| share.tokens).sum();
    let whole = window.unwrap_or(total).max(total).max(1);
    let (full, free) = if ascii { ('#', '.') } else { ('\u{2588}', '\u{2591}') };
    let cells = |tokens: u64| {
        let cells = tokens.saturating_mul(COLUMNS as u64).div_ceil(whole);
        usize::try_from(cells).unwrap_or(COLUMNS).min(COLUMNS)
    };
    let taken = cells(total);
    let mut bar = Line::new();
    let mut done = 0;
    let mut so_far = 0;
    for (share, role) in shares.iter().zip(ROLES.into_iter().cycle()) {
        so_far += share.tokens;
        let until = cells(so_far).min(taken);
        bar.push(&full.to_string().repeat(until - done), Style::new(role));
        done = until;
    }
    bar.push(&free.to_string().repeat(COLUMNS - done), Style::PLAIN.dim());
    let mut lines = vec![bar];
    for (share, role) in shares.iter().zip(ROLES.into_iter().cycle()) {
        let name = shortened(&share.name, NAME);
        let mut line = Line::styled(&full.to_string(), Style::new(role));
        line.push(&format!(" {name:<NAME$} {:>8}", share.tokens), Style::PLAIN);
        let part = share.tokens.saturating_mul(100) / whole;
        line.push(&format!("  {part:>3} %"), Style::PLAIN.dim());
        lines.push(line);
    }
    lines
}

/// The colours of neighbouring parts.
const ROLES: [TextRole; 4] =
    [TextRole::Accent, TextRole::Success, TextRole::Warning, TextRole::Heading];

/// The length of the bar.
const COLUMNS: usize = 50;

/// The number of columns of a name.
const NAME: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_bar_has_a_constant_length() {
        let share = |name: &str, tokens| ContextShare { name: name.to_owned(), tokens };
        for (tokens, window) in [
            (&[1_u64, 2, 3][..], Some(1_000)),
            (&[400, 500, 200], Some(1_000)),
            (&[1, 1, 1, 1, 1], None),
            (&[], None),
            (&[u64::MAX / 100], Some(3)),
        ] {
            let shares: Vec<_> = tokens.iter().map(|tokens| share("a part", *tokens)).collect();
            let lines = context_bar(&shares, window, true);
            assert_eq!(lines[0].width(), COLUMNS, "{tokens:?}");
            assert_eq!(lines.len(), shares.len() + 1);
        }
        let half = context_bar(&[share("x", 500)], Some(1_000), true);
        let expected = format!("{}{}", "#".repeat(25), ".".repeat(25));
        assert_eq!(half[0].text(), expected);
        assert!(half[1].text().ends_with("     500   50 %"), "{}", half[1].text());
    }
}
