//! The list below a line that is typed, with possible replacements of its last word.

use silcrow_term::{Line, Style, TextRole};

/// Suggestions that may replace part of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "who helps with a line writes all of it")]
pub struct LineOffers {
    /// The position in the line, in bytes, from which up to the cursor an offer takes its place.
    pub start: usize,
    /// The offers, the best first.
    pub list: Vec<LineOffer>,
}

/// A text that may take the place of a part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "who helps with a line writes all of it")]
pub struct LineOffer {
    /// The name in the list.
    pub shown: String,
    /// A few words about it.
    pub about: String,
    /// The text that takes the place.
    pub replacement: String,
}

/// The list while it is open.
#[derive(Debug)]
pub(super) struct OfferMenu {
    pub(super) offers: LineOffers,
    at: usize,
    /// Whether the person has moved to an offer, which Enter then takes.
    pub(super) is_chosen: bool,
}

impl OfferMenu {
    /// Opens the list, unless it is empty.
    pub(super) fn open(offers: LineOffers) -> Option<Self> {
        (!offers.list.is_empty()).then_some(Self { offers, at: 0, is_chosen: false })
    }

    /// Returns the offer that is chosen.
    pub(super) fn chosen(&self) -> &LineOffer {
        &self.offers.list[self.at]
    }

    /// Moves to the next offer, or to the one before, around the ends.
    pub(super) fn go(&mut self, is_down: bool) {
        let count = self.offers.list.len();
        self.at = match (self.is_chosen, is_down) {
            (false, true) => 0,
            (true, true) => (self.at + 1) % count,
            (_, false) => (self.at + count - 1) % count,
        };
        self.is_chosen = true;
    }

    /// Returns the beginning that all offers share.
    pub(super) fn common(&self) -> &str {
        let mut texts = self.offers.list.iter().map(|offer| &*offer.replacement);
        let first = texts.next().unwrap_or_default();
        texts.fold(first, |common, text| {
            let same = common.char_indices().zip(text.chars());
            let end = same.take_while(|((_, a), b)| a == b).last();
            &common[..end.map_or(0, |((at, char), _)| at + char.len_utf8())]
        })
    }

    /// Returns the rows of the list.
    pub(super) fn rows(&self, sign: &str, columns: usize, most: usize) -> Vec<Line> {
        let shown = most.clamp(1, MOST_ROWS);
        let first = (self.at + 1).saturating_sub(shown);
        let list = &self.offers.list;
        let names = list.iter().skip(first).take(shown).map(|offer| offer.shown.chars().count());
        let width = names.max().unwrap_or(0).min(columns / 2);
        let mut rows = Vec::new();
        for (index, offer) in list.iter().enumerate().skip(first).take(shown) {
            let is_here = index == self.at;
            let sign = if is_here { sign } else { " " };
            let style = if is_here { Style::PLAIN.bold() } else { Style::PLAIN };
            let mut row = Line::styled(&format!("  {sign} "), Style::new(TextRole::Accent));
            row.push(&format!("{:<width$}", offer.shown), style);
            if !offer.about.is_empty() {
                row.push(&format!("  {}", offer.about), Style::PLAIN.dim());
            }
            rows.push(row.shortened(columns));
        }
        let more = list.len().saturating_sub(first + shown);
        if more > 0 {
            rows.push(
                Line::styled(&format!("    … {more} more"), Style::PLAIN.dim()).shortened(columns),
            );
        }
        rows
    }
}

/// The number of offers that are shown at once.
const MOST_ROWS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn menu(names: &[&str]) -> Option<OfferMenu> {
        let offer = |name: &&str| LineOffer {
            shown: (*name).to_owned(),
            about: format!("about {name}"),
            replacement: (*name).to_owned(),
        };
        OfferMenu::open(LineOffers { start: 0, list: names.iter().map(offer).collect() })
    }

    #[test]
    fn first_offer_is_taken_by_default() {
        assert!(menu(&[]).is_none());
        let mut menu = menu(&["/context", "/compact", "/copy"]).unwrap();
        assert_eq!((menu.chosen().shown.as_str(), menu.common()), ("/context", "/co"));
        menu.go(true);
        assert_eq!(menu.chosen().shown, "/context");
        menu.go(false);
        assert_eq!(menu.chosen().shown, "/copy");
        menu.go(true);
        assert_eq!(menu.chosen().shown, "/context");
    }

    #[test]
    fn chosen_row_is_visible_at_every_size() {
        let names: Vec<_> = (0..30).map(|number| format!("name-{number}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let mut menu = menu(&names).unwrap();
        for _ in 0..20 {
            menu.go(true);
        }
        for (columns, most) in [(10, 1), (20, 5), (80, 40)] {
            let rows = menu.rows(">", columns, most);
            assert!(rows.iter().all(|row| row.width() <= columns));
            let here = rows.iter().filter(|row| row.text().contains('>'));
            assert_eq!(here.count(), 1, "{columns} {most}");
        }
    }
}
