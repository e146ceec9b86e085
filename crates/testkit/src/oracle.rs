//! The slow reference: it reads whole texts, by the letter of the clauses.
//!
//! It implements the clauses of the protocol, without chunks, except in `certain`, which reads
//! every continuation of a text.

mod action;
mod block_steps;
mod blocks;
mod body;
mod certain;
mod declared;
mod elements;
mod list;
mod plain;
mod tag;
mod text;

pub use certain::pending;
use silcrow_event::{Diagnostic, DiagnosticKind, Event, TextKind};

use crate::joined::Unit;

/// A dialect with its options, as the oracle names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol has these")]
pub enum Form {
    /// The dialect `sigil`, with delimiters at the start of a line.
    Sigil,
    /// The dialect `sigil`, with delimiters anywhere (P-2).
    Inline,
    /// The dialect `phase`.
    Phase,
    /// The dialect `action`.
    Action,
}

/// Returns the meaning of a whole wire text, straight from the clauses.
///
/// It is slow, and shares neither code nor ideas with the parser that it judges. The ends of its
/// texts are trimmed, and its diagnostics have no words: see
/// [`Joined::essence`](crate::Joined::essence).
pub fn oracle(wire: &str, form: Form) -> Vec<Unit> {
    read(wire, form).units
}

fn read(wire: &str, form: Form) -> Turn<'_> {
    let first = if matches!(form, Form::Sigil | Form::Inline) { '§' } else { '<' };
    let mut turn = Turn {
        wire,
        form,
        first,
        start: 0,
        units: vec![],
        begins: vec![],
        id: 0,
        pending: 0,
        anchor: None,
    };
    if !turn.begin() {
        return turn;
    }
    match form {
        Form::Sigil | Form::Inline | Form::Phase => turn.read(),
        Form::Action => action::read(&mut turn),
    }
    turn
}

struct Turn<'a> {
    wire: &'a str,
    form: Form,
    /// The first character of every delimiter.
    first: char,
    /// The position at which the first section begins, as if the input began there.
    start: usize,
    units: Vec<Unit>,
    /// The positions in the wire text of those units that are texts.
    begins: Vec<usize>,
    /// The number of calls, valid and invalid.
    id: u32,
    /// The number of calls that wait for an execution point.
    pending: u32,
    /// The end of the last control delimiter or complete body, after which a delimiter counts
    /// (P-2).
    anchor: Option<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Respond,
    Think,
    Calls,
    Forged,
    /// Outside of all sections (P-21).
    Outside,
}

/// A delimiter with its literal and its position.
type Found<'a> = (&'a str, usize);

const SIGIL: &[&str] = &["§think:", "§call:", "§respond:", "§result:", "§execute", "§end"];
const OUTSIDE: &[&str] = &["<think>", "<execute>", "<results>", "<end>"];
/// The delimiters of texts that close or end something.
const ENDS: &[&str] =
    &["§execute", "§end", "</think>", "</results>", "<end>", "</thought>", "</response>"];
const RESPOND: TextKind = TextKind::Respond { last: true };

impl<'a> Turn<'a> {
    /// Reads a byte-order mark (P-4) and a thought of a reasoning model (P-38). Returns whether the
    /// input continues after them.
    fn begin(&mut self) -> bool {
        self.start = self.wire.len() - self.wire.trim_start_matches('\u{feff}').len();
        self.start = self.start.min('\u{feff}'.len_utf8());
        let at = self.skip_white(self.start);
        let Some(thought) = self.wire[at..].strip_prefix("<think>") else { return true };
        if self.form == Form::Phase {
            return true;
        }
        let begin = self.wire.len() - thought.trim_start_matches(is_white).len();
        let Some(length) = thought.find("</think>") else {
            self.say(TextKind::Think, begin, &self.wire[begin..]);
            self.report(DiagnosticKind::Unclosed, self.wire.len());
            return false;
        };
        let end = self.wire.len() - thought.len() + length;
        self.say(TextKind::Think, begin, self.wire.get(begin..end).unwrap_or_default());
        self.start = end + "</think>".len();
        true
    }

    fn report(&mut self, kind: DiagnosticKind, at: usize) {
        self.units.push(Unit::Diagnostic(Diagnostic {
            kind,
            content: String::new(),
            at: Some(at as u64),
        }));
    }

    /// Adds the text of a section, with its end trimmed (P-4).
    fn say(&mut self, kind: TextKind, begin: usize, text: &str) {
        let text = text.trim_end_matches(is_white).to_owned();
        if !text.is_empty() {
            self.begins.push(begin);
            // The sections with text are numbered from 1.
            let part = self.begins.len() as u32;
            self.units.push(Unit::Text { kind, part, text });
        }
    }

    /// Returns the number of first characters at `at`, and the delimiter at the last of them. One
    /// first character is a delimiter, more are an escaped one (P-1, P-3).
    fn run(&self, at: usize, section: Section) -> Option<(usize, &'a str)> {
        if self.counts(at, section) { self.run_anywhere(at, section) } else { None }
    }

    /// Returns the same, wherever it is in its line.
    fn run_anywhere(&self, at: usize, section: Section) -> Option<(usize, &'a str)> {
        let before = &self.wire[..at];
        let run = self.wire[at..].chars().take_while(|c| *c == self.first).count();
        if run == 0 || before.ends_with(self.first) {
            return None;
        }
        let rest = &self.wire[at + (run - 1) * self.first.len_utf8()..];
        let length = match self.form {
            Form::Action => tag::delimiter(rest, section, before.ends_with('\n')),
            _ => self.literal(rest, section),
        }?;
        let (literal, after) = rest.split_at(length);
        let ticks = before.len() - before.trim_end_matches('`').len();
        let is_code = matches!(ticks, 1 | 2) && section != Section::Calls;
        // In inline code only text that closes or ends something counts, and not between backticks
        // (P-39).
        if is_code && (!ENDS.contains(&literal) || after.starts_with('`')) {
            return None;
        }
        Some((run, literal))
    }

    /// Returns whether a delimiter at `at` counts by its position in the line (P-2).
    fn counts(&self, at: usize, section: Section) -> bool {
        let line = match self.wire[self.start..at].rfind('\n') {
            Some(end) => &self.wire[self.start + end + 1..at],
            None => &self.wire[self.start..at],
        };
        self.form != Form::Sigil
            || line.is_empty()
            || section != Section::Calls && is_indent(line)
            || matches!(section, Section::Respond | Section::Think) && is_fence_line(line)
            || self.anchor.is_some_and(|end| self.wire[end..at].chars().all(is_blank))
    }

    /// Returns the length of the literal at the start of `rest` that counts in a section (P-11,
    /// P-16).
    fn literal(&self, rest: &str, section: Section) -> Option<usize> {
        let literals = match (self.form, section) {
            (Form::Sigil | Form::Inline, _) => SIGIL,
            (_, Section::Think) => &["</think>"],
            (_, Section::Calls) => &["</execute>"],
            (_, Section::Forged) => &["</results>"],
            (_, Section::Respond | Section::Outside) => OUTSIDE,
        };
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let whole = literals.iter().find(|literal| match rest.strip_prefix(**literal) {
            Some(after) => !(literal.ends_with(is_word) && after.starts_with(is_word)),
            None => false,
        });
        whole.map(|literal| literal.len())
    }

    /// Returns the first delimiter at or after `at`.
    fn next_delimiter(&self, at: usize, section: Section) -> Option<Found<'a>> {
        (at..self.wire.len()).filter(|at| self.wire.is_char_boundary(*at)).find_map(|at| match self
            .run(at, section)
        {
            Some((1, delimiter)) => Some((delimiter, at)),
            _ => None,
        })
    }

    /// Reads a section whose text is a diagnostic (P-10, P-12, P-21).
    fn aside(&mut self, at: usize, section: Section, kind: DiagnosticKind) -> Option<Found<'a>> {
        let found = self.next_delimiter(at, section);
        let at = self.skip_white(at);
        if at < found.map_or(self.wire.len(), |(_, start)| start) {
            self.report(kind, at);
        }
        found
    }

    fn skip_white(&self, at: usize) -> usize {
        self.wire.len() - self.wire[at..].trim_start_matches(is_white).len()
    }
}

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Returns whether a line so far is only indent (P-2).
fn is_indent(line: &str) -> bool {
    line.len() <= 3 && line.chars().all(|c| c == ' ')
}

/// Returns whether a line so far is only a run that may close a fence, and blanks (P-34).
fn is_fence_line(line: &str) -> bool {
    let run = line.trim_start_matches(' ');
    is_indent(&line[..line.len() - run.len()])
        && text::fence_run(run).is_some_and(|(_, length)| run[length..].chars().all(is_blank))
}
