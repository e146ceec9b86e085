//! The text of thoughts and answers: escapes and fences.

use super::*;

/// Text up to a delimiter.
pub(super) struct Text<'a> {
    /// Its position, after white space.
    pub(super) begin: usize,
    /// The text; its end is not trimmed.
    pub(super) text: String,
    /// The same text without comments, and with letters in place of the text in fences.
    pub(super) plain: String,
    /// Whether a fence is open at its end.
    pub(super) open: bool,
    /// Whether a comment is open at its end.
    pub(super) open_comment: bool,
    /// The positions of its parts before, between and after comments, except of empty parts.
    pub(super) parts: Vec<usize>,
    /// The positions of the delimiters that its fences hide.
    pub(super) hidden: Vec<usize>,
    /// The delimiter that ends it.
    pub(super) found: Option<Found<'a>>,
}

impl<'a> Turn<'a> {
    /// Reads a section of text: a thought or an answer.
    pub(super) fn said(
        &mut self,
        at: usize,
        section: Section,
        kind: TextKind,
    ) -> Option<Found<'a>> {
        let Text { begin, text, open, hidden, found, .. } = self.text(at, section);
        self.say(kind, begin, &text);
        self.report_hidden(&hidden);
        if open {
            self.report(DiagnosticKind::OpenFence, self.wire.len());
        }
        found
    }

    /// Reads text up to the next delimiter that counts (P-3, P-4, P-34).
    pub(super) fn text(&self, at: usize, section: Section) -> Text<'a> {
        self.text_with(at, section, &mut |_, _| true)
    }

    /// Does the same. `is_delimiter` decides about the tags of control blocks; it gets the plain text
    /// since it was last asked, and that text is left out of the plain text that is returned.
    pub(super) fn text_with(
        &self,
        at: usize,
        section: Section,
        is_delimiter: &mut dyn FnMut(&str, &str) -> bool,
    ) -> Text<'a> {
        let begin = self.skip_white(at);
        let mut at = begin;
        let mut text = String::new();
        let mut plain = String::new();
        let mut fence: Option<Fence> = None;
        let mut hidden = vec![];
        let mut parts = vec![];
        let mut part = begin;
        let mut open_comment = false;
        // The position after a run that closes the fence before a delimiter.
        let mut closing = None;
        // The position of a tag of a block there that counts.
        let mut decided = None;
        // Text that begins like the tag of a block, and its end: no delimiter begins in it.
        let mut attempt = at..at;
        let found = loop {
            let rest = &self.wire[at..];
            let Some(c) = rest.chars().next() else { break None };
            if at >= attempt.end {
                attempt = at..self.block_attempt(at, section).unwrap_or(at);
            }
            let may_begin = !attempt.contains(&at) || at == attempt.start;
            if fence.is_some() {
                if let Some(end) = self.last_end(at, section) {
                    break Some((end, at));
                }
                if closing != Some(at) && self.is_hidden(at, section, may_begin) {
                    hidden.push(at);
                }
            }
            if at == begin || self.wire[..at].ends_with('\n') {
                let spaces = rest.len() - rest.trim_start_matches(' ').len();
                let line = &rest[spaces..];
                match &fence {
                    _ if spaces > 3 => {}
                    None => {
                        let unescaped = line.trim_start_matches(self.first);
                        if let Some((mark, length)) = fence_run(unescaped) {
                            let copies = (line.len() - unescaped.len()) / self.first.len_utf8();
                            text.push_str(&rest[..spaces]);
                            plain.push(mark);
                            at += spaces + line.len() - unescaped.len() + length;
                            if copies == 0 {
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
                            let after = line[length..].trim_start_matches([' ', '\t', '\r']);
                            let stop = self.wire.len() - after.len();
                            let delimiter = self.run(stop, section);
                            let is_end = after.is_empty() || after.starts_with('\n');
                            plain.push('x');
                            let is_before_delimiter = match delimiter {
                                Some((1, tag)) if block_steps::is_tag(tag) => {
                                    let is_one = is_delimiter(&plain, tag);
                                    plain.clear();
                                    decided = is_one.then_some(stop);
                                    is_one
                                }
                                Some((copies, _)) => copies == 1,
                                None => false,
                            };
                            if is_end || is_before_delimiter {
                                fence = None;
                            }
                            text.push_str(&self.wire[at..stop]);
                            at = stop;
                            closing = Some(stop);
                            if let Some((copies @ 2.., _)) = delimiter {
                                at += self.escaped(copies, &mut text);
                            }
                            continue;
                        }
                    }
                }
            }
            match &mut fence {
                Some(open) if open.opening && c == '`' && open.mark == '`' => fence = None,
                Some(open) => open.opening &= c != '\n',
                None => match self.run(at, section).filter(|_| may_begin) {
                    Some((1, "<!--")) => {
                        if self.skip_white(part) < at {
                            parts.push(self.skip_white(part));
                        }
                        let inside = &rest["<!--".len()..];
                        let length = inside.find("-->").map(|end| end + "<!---->".len());
                        open_comment = length.is_none();
                        let length = length.unwrap_or(rest.len());
                        text.push_str(&rest[..length]);
                        at += length;
                        part = at;
                        continue;
                    }
                    Some((1, delimiter)) if block_steps::is_tag(delimiter) => {
                        let is_delimiter = decided == Some(at) || is_delimiter(&plain, delimiter);
                        plain.clear();
                        if is_delimiter {
                            break Some((delimiter, at));
                        }
                        plain.push_str(delimiter);
                        text.push_str(delimiter);
                        at += delimiter.len();
                        continue;
                    }
                    Some((1, delimiter)) => break Some((delimiter, at)),
                    Some((copies, literal)) => {
                        let before = text.len();
                        at += self.escaped(copies, &mut text);
                        plain.push_str(&text[before..]);
                        if block_steps::is_tag(literal) {
                            plain.push(self.first);
                        }
                        continue;
                    }
                    None => {}
                },
            }
            plain.push(if fence.is_some() && !is_white(c) { 'x' } else { c });
            text.push(c);
            at += c.len_utf8();
        };
        if self.skip_white(part) < at {
            parts.push(self.skip_white(part));
        }
        Text { begin, text, plain, open: fence.is_some(), open_comment, parts, hidden, found }
    }

    pub(super) fn report_hidden(&mut self, hidden: &[usize]) {
        for &at in hidden.iter().take(MOST_HIDDEN) {
            self.report(DiagnosticKind::HiddenDelimiter, at);
        }
    }

    /// Returns an end delimiter in a fence that counts, because it is alone on its line and only
    /// white space follows it.
    fn last_end(&self, at: usize, section: Section) -> Option<&'a str> {
        let (_, delimiter) = self.run(at, section).filter(|(copies, _)| *copies == 1)?;
        let line = self.wire[..at].rsplit('\n').next().unwrap_or_default();
        let after = &self.wire[at + delimiter.len()..];
        (matches!(delimiter, "§end" | "<end>" | "</response>")
            && is_indent(line)
            && after.len() <= LONGEST_END
            && after.chars().all(is_white))
        .then_some(delimiter)
    }

    /// Returns the end of the text at `at` that begins like the tag of a block, escaped or not.
    fn block_attempt(&self, at: usize, section: Section) -> Option<usize> {
        let (before, rest) = self.wire.split_at(at);
        let tag = rest.trim_start_matches('<');
        let ticks = before.len() - before.trim_end_matches('`').len();
        if self.form != Form::Action
            || section != Section::Outside
            || tag.len() == rest.len()
            || before.ends_with('<')
            || matches!(ticks, 1 | 2)
        {
            return None;
        }
        let start = self.wire.len() - tag.len() - 1;
        tag::block_attempt(&self.wire[start..]).map(|length| start + length)
    }

    /// Returns whether there is a delimiter in a fence. The name of a tag is enough, even in the
    /// tag of a block.
    fn is_hidden(&self, at: usize, section: Section, may_begin: bool) -> bool {
        let (before, rest) = self.wire.split_at(at);
        let is_name = |name: &str| {
            let rest = rest.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(|c| is_white(c) || c == '>'))
        };
        let ticks = before.len() - before.trim_end_matches('`').len();
        let may_be_tag = self.form == Form::Action
            && section != Section::Respond
            && !before.ends_with('<')
            && !matches!(ticks, 1 | 2);
        let is_response = section == Section::Outside || before.ends_with('\n');
        may_be_tag && (is_name("<action") || is_response && is_name("<response"))
            || self.run(at, section).is_some_and(|(run, literal)| {
                may_begin && run == 1 && literal != "<!--" && !block_steps::is_tag(literal)
            })
    }

    /// Drops one first character of an escaped delimiter. The rest is ordinary text, even for
    /// fences. Returns the length of the run.
    fn escaped(&self, copies: usize, text: &mut String) -> usize {
        text.extend((1..copies).map(|_| self.first));
        copies * self.first.len_utf8()
    }
}

/// The number of hidden delimiters of a section that are reported.
const MOST_HIDDEN: usize = 16;

/// The maximal length in bytes of the white space after an end delimiter in a fence.
const LONGEST_END: usize = 1024;

/// An open code fence.
struct Fence {
    mark: char,
    length: usize,
    /// Whether the line that opens the fence continues.
    opening: bool,
}

/// Returns the character and the length of a run of 3 or more backticks or tildes.
pub(super) fn fence_run(line: &str) -> Option<(char, usize)> {
    ['`', '~'].into_iter().find_map(|mark| {
        let length = line.len() - line.trim_start_matches(mark).len();
        (length >= 3).then_some((mark, length))
    })
}
