use crate::held::{Held, Stage};
use crate::index::RuleSet;
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
        let rules = self.candidates(bytes.get(behind));
        if rules == 0 {
            return Err(behind);
        }
        let doubled = at > run;
        // Inside a body nothing is escaped: a doubled marker is text as it stands (P-3).
        if doubled && self.mode == Mode::Body && behind < bytes.len() {
            return Err(behind);
        }
        let run = Held { doubled, at_line_start, ..Held::EMPTY };
        let held = self.recognise(&bytes[at..], rules, run).ok_or(behind)?;
        Ok(Found { at, held })
    }

    /// The rules that count here and may go on with `next` behind the first character.
    fn candidates(&self, next: Option<&u8>) -> RuleSet {
        let index = &self.table().index;
        let counting = index.counting(self.mode);
        next.map_or(counting, |&next| counting & index.behind(next))
    }

    /// Whether a marker at `at` of this chunk stands at a line's start, or counts as if it did.
    pub(crate) fn at_line_start(&self, bytes: &[u8], at: usize) -> bool {
        match at.checked_sub(1) {
            None => self.line != Line::Middle,
            Some(before) => bytes[before] == b'\n',
        }
    }

    /// Which of the rules has a stem that `bytes` begin with, settled, or may begin with; `run` is
    /// what is known of the run that ends with their first character.
    fn recognise(&self, bytes: &[u8], mut rules: RuleSet, run: Held) -> Option<Held> {
        while rules != 0 {
            let index = rules.trailing_zeros() as u8;
            rules &= rules - 1;
            let rule = &self.table().rules[usize::from(index)];
            if !rule.counts_in(self.mode, run.at_line_start) {
                continue;
            }
            let stem = rule.stem().as_bytes();
            let same = stem.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            let held = Held { rule: index, len: same as u8, stage: Stage::Prefix, ..run };
            let settled = match bytes.get(same) {
                _ if same == stem.len() && rule.ends == Ends::Itself => true,
                None => return Some(held),
                Some(&next) if same == stem.len() => rule.ends_before(next),
                Some(_) => continue,
            };
            return settled.then(|| self.settled(held));
        }
        None
    }
}
