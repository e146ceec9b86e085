use crate::index::RuleSet;
use crate::lexer::{Lexer, Line, is_blank};
use crate::pending::{Pending, Stage};
use crate::table::{Ends, Mode};

/// A delimiter, a doubled one, or what may become one.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// Where the literal begins: at the last of a run of first characters.
    pub(crate) at: usize,
    /// What is held once the text before it is given out.
    pub(crate) held: Pending,
}

impl Lexer {
    /// The first place where a delimiter, a doubled one, or what may become one begins.
    pub(crate) fn search(&self, bytes: &[u8]) -> Option<Found> {
        let near = self.dialect.find_first(bytes)?;
        self.search_from(bytes, near)
    }

    /// As `search`, from the first character that may begin one.
    pub(crate) fn search_from(&self, bytes: &[u8], near: usize) -> Option<Found> {
        let mut from = near;
        // What stands before the first hit is looked at once; a later hit has the first before it.
        let mut after =
            self.line == Line::After && bytes[..near].iter().all(|&byte| is_blank(byte));
        loop {
            match self.recognise(bytes, from, after) {
                Ok(found) => return Some(found),
                Err(behind) => from = behind + self.dialect.find_first(&bytes[behind..])?,
            }
            after = false;
        }
    }

    /// As `recognise`, where no control delimiter or complete call body stands before it.
    pub(crate) fn probe(&self, bytes: &[u8], run: usize) -> Result<Found, usize> {
        self.recognise(bytes, run, false)
    }

    /// What begins with the run of first characters at `run`; `Err` says where to search on.
    /// `after`: only blanks stand between it and a control delimiter or a complete call body (P-2).
    // A false start is out of this within a few dozen instructions, half of which a call would be.
    #[inline(always)]
    fn recognise(&self, bytes: &[u8], run: usize, after: bool) -> Result<Found, usize> {
        let mut last = &bytes[run..];
        let mut rest = self.dialect.strip_first(last).ok_or(run + 1)?;
        while let Some(more) = self.dialect.strip_first(rest) {
            last = rest;
            rest = more;
        }
        let at = bytes.len() - last.len();
        let behind = bytes.len() - rest.len();
        let at_line_start = after || self.at_line_start(bytes, run);
        if self.needs_line_start() && !at_line_start {
            return Err(behind);
        }
        let doubled = at > run;
        // Inside a body nothing is escaped: a doubled delimiter is text as it stands (P-3).
        if doubled && self.mode == Mode::Body && !rest.is_empty() {
            return Err(behind);
        }
        let index = &self.table().index;
        let (rules, place) = index.follow(index.counting(self.mode, at_line_start), 0, rest);
        let stage = self.stage(rules, place, doubled, rest.get(place)).ok_or(behind)?;
        // What follows the last first character of a doubled delimiter is text that needs no holding.
        let end = if stage == Stage::Escape { behind } else { behind + place };
        Ok(Found { at, held: Pending { rules, len: (end - at) as u8, stage, doubled } })
    }

    /// The stage of bytes that agree with `rules` up to a place, and not with the `next` byte
    /// there; `None` if they are content.
    #[inline(always)]
    pub(crate) fn stage(
        &self,
        rules: RuleSet,
        place: usize,
        doubled: bool,
        next: Option<&u8>,
    ) -> Option<Stage> {
        let whole = self.table().index.whole(rules, place);
        if whole == 0 {
            return next.is_none().then_some(Stage::Prefix);
        }
        let rule = self.table().rule(whole);
        match next {
            None if rule.ends != Ends::Itself => Some(Stage::Prefix),
            Some(&next) if !rule.ends_before(next) => None,
            _ => Some(Stage::settled(rule.ends, doubled)),
        }
    }

    /// Whether a delimiter at `at` of this chunk stands at a line's start, or counts as if it did.
    pub(crate) fn at_line_start(&self, bytes: &[u8], at: usize) -> bool {
        match at.checked_sub(1) {
            None => self.line != Line::Middle,
            Some(before) => bytes[before] == b'\n',
        }
    }
}
