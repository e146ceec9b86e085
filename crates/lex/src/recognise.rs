use crate::held::{Held, Stage};
use crate::lexer::{Lexer, Line, is_blank};
use crate::table::{Ends, Mode};

/// A marker, a doubled one, or what may become one.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// Where the literal begins: at the last of a run of first characters.
    pub(crate) at: usize,
    /// What is held once the text before it is given out.
    pub(crate) held: Held,
}

impl Lexer {
    /// The first place where a marker, a doubled one, or what may become one begins.
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
            match self.probe(bytes, from, after) {
                Ok(found) => return Some(found),
                Err(behind) => from = behind + self.dialect.find_first(&bytes[behind..])?,
            }
            after = false;
        }
    }

    /// What begins with the run of first characters at `run`; `Err` says where to search on.
    /// `after`: only blanks stand between it and a control marker or a complete call body (P-2).
    pub(crate) fn probe(&self, bytes: &[u8], run: usize, after: bool) -> Result<Found, usize> {
        if !self.dialect.begins(&bytes[run..]) {
            return Err(run + 1);
        }
        let first = self.table().first.len();
        let mut at = run;
        while self.dialect.begins(&bytes[at + first..]) {
            at += first;
        }
        let behind = at + first;
        let at_line_start = after || self.at_line_start(bytes, run);
        if self.needs_line_start() && !at_line_start {
            return Err(behind);
        }
        let doubled = at > run;
        // Inside a body nothing is escaped: a doubled marker is text as it stands (P-3).
        if doubled && self.mode == Mode::Body && behind < bytes.len() {
            return Err(behind);
        }
        let index = &self.table().index;
        let counting = index.counting(self.mode, at_line_start);
        let (rules, place) = index.follow(counting, 0, &bytes[behind..]);
        let len = first + place;
        let held = Held { rules, len: len as u8, stage: Stage::Prefix, doubled };
        match self.verdict(held, bytes.get(at + len)) {
            Verdict::Whole => Ok(Found { at, held: self.settled(held) }),
            Verdict::Open => Ok(Found { at, held }),
            Verdict::Nothing => Err(behind),
        }
    }

    /// What is held is worth with this byte behind it, which agrees with none of its rules.
    pub(crate) fn verdict(&self, held: Held, next: Option<&u8>) -> Verdict {
        let table = self.table();
        let whole = table.index.whole(held.rules, usize::from(held.len) - table.first.len());
        match next {
            _ if whole != 0 && table.rule(whole).ends == Ends::Itself => Verdict::Whole,
            None => Verdict::Open,
            Some(&next) if whole != 0 && table.rule(whole).ends_before(next) => Verdict::Whole,
            Some(_) => Verdict::Nothing,
        }
    }

    /// Whether a marker at `at` of this chunk stands at a line's start, or counts as if it did.
    pub(crate) fn at_line_start(&self, bytes: &[u8], at: usize) -> bool {
        match at.checked_sub(1) {
            None => self.line != Line::Middle,
            Some(before) => bytes[before] == b'\n',
        }
    }
}

/// What bytes are worth that agree with a stem.
pub(crate) enum Verdict {
    /// A whole stem, settled.
    Whole,
    /// They may still become one, or wait for the byte behind a whole one.
    Open,
    Nothing,
}
