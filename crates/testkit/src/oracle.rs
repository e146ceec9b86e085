mod body;

use silcrow_event::{Call, Event, Note, Oddity, Voice};

use crate::joined::Unit;

/// A wire form, as the oracle names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol has these")]
pub enum Form {
    /// `sigil`, its markers at the starts of lines.
    Sigil,
    /// `sigil`, its markers anywhere (P-2).
    Inline,
    /// `phase`.
    Phase,
}

/// What a whole wire text means, straight from the clauses: slow, and on purpose without any code
/// or idea of the parser that it judges.
///
/// Its texts are trimmed at their ends, and its notes have no words: see [`Joined::essence`](crate::Joined::essence).
pub fn oracle(wire: &str, form: Form) -> Vec<Unit> {
    let first = if form == Form::Phase { '<' } else { '§' };
    let mut turn =
        Turn { wire, form, first, units: vec![], part: 0, id: 0, pending: 0, anchor: None };
    turn.read();
    turn.units
}

struct Turn<'a> {
    wire: &'a str,
    form: Form,
    /// The first character of every marker.
    first: char,
    units: Vec<Unit>,
    /// Sections that gave text.
    part: u32,
    /// Calls, good and bad.
    id: u32,
    /// Calls that wait for an execution point.
    pending: u32,
    /// The end of the last control marker or complete call body: a marker counts behind it (P-2).
    anchor: Option<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Respond,
    Think,
    Calls,
    Forged,
}

/// A marker and where it begins.
type Found = (&'static str, usize);

const SIGIL: &[&str] = &["§think:", "§call:", "§respond:", "§result:", "§execute", "§end"];
const OUTSIDE: &[&str] = &["<think>", "<execute>", "<results>", "<end>"];
const RESPOND: Voice = Voice::Respond { last: true };

impl Turn<'_> {
    fn read(&mut self) {
        let mut section = Section::Respond;
        let mut at = 0;
        loop {
            let found = match section {
                Section::Respond => self.text(at, section, RESPOND),
                Section::Think => self.text(at, section, Voice::Think),
                Section::Forged => self.aside(at, section, Oddity::ForgedResult),
                Section::Calls if self.form == Form::Phase => self.list(at),
                Section::Calls => self.call(at),
            };
            let Some((marker, start)) = found else { return self.finish(section) };
            at = start + marker.len();
            section = match marker {
                "§think:" | "<think>" => Section::Think,
                "§call:" | "<execute>" => Section::Calls,
                "§respond:" | "</think>" | "</results>" => Section::Respond,
                "§result:" | "<results>" => Section::Forged,
                "§execute" => {
                    self.anchor = Some(at);
                    self.execute(at);
                    Section::Forged
                }
                "</execute>" => {
                    self.execute(at);
                    Section::Respond
                }
                "§end" | "<end>" => {
                    self.execute_what_waits(at);
                    return self.units.push(Unit::Event(Event::End));
                }
                other => unreachable!("{other}"),
            };
        }
    }

    /// P-6, P-14.
    fn finish(&mut self, section: Section) {
        if self.form == Form::Phase && section != Section::Respond {
            self.note(Oddity::Unclosed, self.wire.len());
        }
        self.execute_what_waits(self.wire.len());
    }

    fn execute(&mut self, at: usize) {
        if self.pending == 0 {
            return self.note(Oddity::NothingToExecute, at);
        }
        self.pending = 0;
        self.units.push(Unit::Event(Event::Execute));
    }

    fn execute_what_waits(&mut self, at: usize) {
        if self.pending > 0 {
            self.note(Oddity::MissingExecute, at);
            self.execute(at);
        }
    }

    fn note(&mut self, oddity: Oddity, at: usize) {
        self.units.push(Unit::Note(Note { oddity, content: String::new(), at: at as u64 }));
    }

    /// The markers that count in a section (P-16).
    fn literals(&self, section: Section) -> &'static [&'static str] {
        match (self.form, section) {
            (Form::Sigil | Form::Inline, _) => SIGIL,
            (Form::Phase, Section::Respond) => OUTSIDE,
            (Form::Phase, Section::Think) => &["</think>"],
            (Form::Phase, Section::Calls) => &["</execute>"],
            (Form::Phase, Section::Forged) => &["</results>"],
        }
    }

    /// Whether a marker at `at` counts for where it stands (P-2).
    fn counts(&self, at: usize) -> bool {
        let before = &self.wire[..at];
        self.form != Form::Sigil
            || before.is_empty()
            || before.ends_with('\n')
            || self.anchor.is_some_and(|end| self.wire[end..at].chars().all(is_blank))
    }

    /// How many first characters begin at `at`, and the marker that the last of them begins: one
    /// is a marker, more are an escaped one (P-1, P-3, P-11).
    fn run(&self, at: usize, section: Section) -> Option<(usize, &'static str)> {
        let run = self.wire[at..].chars().take_while(|c| *c == self.first).count();
        if run == 0 || self.wire[..at].ends_with(self.first) || !self.counts(at) {
            return None;
        }
        let rest = &self.wire[at + (run - 1) * self.first.len_utf8()..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let literals = self.literals(section).iter();
        let mut whole = literals.filter(|literal| match rest.strip_prefix(**literal) {
            Some(behind) => !(literal.ends_with(is_word) && behind.starts_with(is_word)),
            None => false,
        });
        whole.next().map(|literal| (run, *literal))
    }

    /// The first marker at or behind `at`.
    fn next_marker(&self, at: usize, section: Section) -> Option<Found> {
        (at..self.wire.len()).filter(|at| self.wire.is_char_boundary(*at)).find_map(|at| match self
            .run(at, section)
        {
            Some((1, literal)) => Some((literal, at)),
            _ => None,
        })
    }

    /// A section whose text is a note (P-10, P-12).
    fn aside(&mut self, at: usize, section: Section, oddity: Oddity) -> Option<Found> {
        let found = self.next_marker(at, section);
        let at = self.skip_white(at);
        if at < found.map_or(self.wire.len(), |(_, start)| start) {
            self.note(oddity, at);
        }
        found
    }

    /// A section of text: thought or said (P-3, P-4, P-34).
    fn text(&mut self, at: usize, section: Section, voice: Voice) -> Option<Found> {
        let begin = self.skip_white(at);
        let mut at = begin;
        let mut text = String::new();
        let mut fence: Option<Fence> = None;
        let found = loop {
            let rest = &self.wire[at..];
            let Some(c) = rest.chars().next() else { break None };
            if section == Section::Respond && (at == begin || self.wire[..at].ends_with('\n')) {
                let spaces = rest.len() - rest.trim_start_matches(' ').len();
                let line = &rest[spaces..];
                match &fence {
                    _ if spaces > 3 => {}
                    None => {
                        let unescaped = line.trim_start_matches(self.first);
                        if let Some((_, length)) = fence_run(unescaped) {
                            let copies = (line.len() - unescaped.len()) / self.first.len_utf8();
                            text.push_str(&rest[..spaces]);
                            at += spaces + line.len() - unescaped.len() + length;
                            if copies == 0 {
                                let mark = unescaped.chars().next().unwrap_or_default();
                                fence = Some(Fence { mark, length, opening: true });
                            }
                            text.extend((1..copies).map(|_| self.first));
                            text.push_str(&unescaped[..length]);
                            continue;
                        }
                    }
                    Some(open) => {
                        if let Some((mark, length)) = fence_run(line)
                            && mark == open.mark
                            && length >= open.length
                        {
                            let behind = line[length..].trim_start_matches([' ', '\t', '\r']);
                            let stop = self.wire.len() - behind.len();
                            let marker = self.run(stop, section);
                            let is_end = behind.is_empty() || behind.starts_with('\n');
                            if is_end || matches!(marker, Some((1, _))) {
                                fence = None;
                            }
                            text.push_str(&self.wire[at..stop]);
                            at = stop;
                            if let Some((copies @ 2.., literal)) = marker {
                                at += self.escaped(copies, literal, &mut text);
                            }
                            continue;
                        }
                    }
                }
            }
            match &mut fence {
                Some(open) if open.opening && c == '`' && open.mark == '`' => fence = None,
                Some(open) => open.opening &= c != '\n',
                None => match self.run(at, section) {
                    Some((1, literal)) => break Some((literal, at)),
                    Some((copies, literal)) => {
                        at += self.escaped(copies, literal, &mut text);
                        continue;
                    }
                    None => {}
                },
            }
            text.push(c);
            at += c.len_utf8();
        };
        self.say(voice, &text);
        if fence.is_some() {
            self.note(Oddity::OpenFence, self.wire.len());
        }
        found
    }

    /// An escaped marker loses one first character. Returns how long it was.
    fn escaped(&self, copies: usize, literal: &str, text: &mut String) -> usize {
        text.extend((2..copies).map(|_| self.first));
        text.push_str(literal);
        (copies - 1) * self.first.len_utf8() + literal.len()
    }

    /// P-4.
    fn say(&mut self, voice: Voice, text: &str) {
        let text = text.trim_end_matches(is_white).to_owned();
        if !text.is_empty() {
            self.part += 1;
            self.units.push(Unit::Text { voice, part: self.part, text });
        }
    }

    fn skip_white(&self, at: usize) -> usize {
        self.wire.len() - self.wire[at..].trim_start_matches(is_white).len()
    }
}

/// An open code fence.
struct Fence {
    mark: char,
    length: usize,
    /// Its own line is not over.
    opening: bool,
}

/// The character of 3 or more backticks or tildes, and how many they are.
fn fence_run(line: &str) -> Option<(char, usize)> {
    ['`', '~'].into_iter().find_map(|mark| {
        let length = line.len() - line.trim_start_matches(mark).len();
        (length >= 3).then_some((mark, length))
    })
}

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}
