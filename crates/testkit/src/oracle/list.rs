//! The lists of calls of `phase`: P-8, P-17.

use super::body::Body;
use super::*;

/// The place between two elements.
#[derive(Default)]
struct Gap {
    /// Whether there is an element before it in the same list.
    follows: bool,
    comma: bool,
    /// The position of its stray text.
    stray: Option<usize>,
    /// The stray text, without the end of the fence around the list.
    text: String,
}

impl<'a> Turn<'a> {
    /// Reads everything from the first bracket to the closing delimiter.
    pub(super) fn items(&mut self, mut at: usize, mut fenced: bool) -> Option<Found<'a>> {
        let mut open = false;
        let mut begun = false;
        let mut gap = Gap::default();
        loop {
            let Some(next) = self.wire[at..].chars().next() else {
                self.end_gap(&gap);
                return None;
            };
            if let Some((1, delimiter)) = self.run(at, Section::Calls) {
                self.end_gap(&gap);
                if open {
                    self.report(DiagnosticKind::Repaired, at + delimiter.len());
                }
                return Some((delimiter, at));
            }
            let is_item =
                next == '{' || open && (next == '[' || next == '"' && gap.stray.is_none());
            if is_item {
                let is_stray = self.end_gap(&gap);
                if gap.follows && !gap.comma && !is_stray {
                    self.report(DiagnosticKind::Repaired, at);
                }
                let item = self.follow(at);
                self.close(at, &item);
                let (Body::Closed(end) | Body::Malformed(end) | Body::Truncated(end)) = item;
                at = end;
                gap = Gap { follows: true, ..Gap::default() };
                begun = true;
                continue;
            }
            match next {
                '[' if !open => {
                    self.end_gap(&gap);
                    if begun {
                        self.report(DiagnosticKind::Repaired, at);
                    }
                    (open, begun) = (true, true);
                    gap = Gap::default();
                }
                ']' if open => {
                    let is_stray = self.end_gap(&gap);
                    if gap.comma && !is_stray {
                        self.report(DiagnosticKind::Repaired, at);
                    }
                    open = false;
                    gap = Gap { follows: gap.follows, ..Gap::default() };
                }
                // It closes the fence around the list, and the list.
                '`' | '~' if fenced => {
                    self.end_gap(&gap);
                    if open {
                        self.report(DiagnosticKind::Repaired, at);
                    }
                    (open, fenced) = (false, false);
                    gap = Gap { follows: gap.follows, stray: Some(at), ..Gap::default() };
                    let rest = &self.wire[at..];
                    let length = text::fence_run(rest).map_or(0, |(_, length)| length);
                    at += length;
                    if length > 0 {
                        continue;
                    }
                    gap.text.push(next);
                }
                _ if gap.stray.is_some() => gap.text.push(next),
                ',' => {
                    if gap.comma || !gap.follows {
                        self.report(DiagnosticKind::Repaired, at);
                    }
                    gap.comma = true;
                }
                _ if is_white(next) => {}
                _ => {
                    gap.stray = Some(at);
                    gap.text.push(next);
                }
            }
            at += next.len_utf8();
        }
    }

    /// Reports the stray text of a gap. Returns whether there is any.
    fn end_gap(&mut self, gap: &Gap) -> bool {
        let stray = gap.stray.filter(|_| !gap.text.trim_matches(is_white).is_empty());
        if let Some(at) = stray {
            self.report(DiagnosticKind::StrayText, at);
        }
        stray.is_some()
    }
}
