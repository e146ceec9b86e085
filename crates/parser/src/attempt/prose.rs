//! The text of an answer with its code blanked out.
//!
//! This module recognizes Markdown's code fences and inline code, and ignores delimiters.

use super::byte_set::ByteSet;

/// The text of an answer, beside a copy with blanks in place of code.
pub(super) struct Prose<'t> {
    /// The text as the model wrote it.
    pub(super) text: &'t str,
    /// The text with [`CODE`] in place of each byte of code, and otherwise byte for byte the same.
    pub(super) prose: String,
    /// The parts of the text that are code, without the lines of fences.
    pub(super) code: Vec<CodeBlock<'t>>,
    /// The bytes of the prose.
    pub(super) bytes: ByteSet,
}

/// A part of a text that is code.
pub(super) struct CodeBlock<'t> {
    pub(super) at: usize,
    pub(super) text: &'t str,
    /// The word after the opening of a fence; inline code has none.
    pub(super) info: &'t str,
    pub(super) is_fence: bool,
}

/// The character that replaces code. It is neither white space nor part of any delimiter.
pub(super) const CODE: char = '\u{1a}';

impl<'t> Prose<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut code = Vec::new();
        let mut prose = String::with_capacity(text.len());
        let mut paragraph = 0;
        let mut fence: Option<(CodeBlock<'t>, FenceRun<'t>)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let end = at + line.len();
            let run = fence_run(line);
            let is_code = fence.is_some() || run.is_some_and(|run| run.opens());
            match (&mut fence, run) {
                (None, Some(run)) if run.opens() => {
                    push_inline(&text[paragraph..at], paragraph, &mut prose, &mut code);
                    let block = CodeBlock { at: end, text: "", info: run.info, is_fence: true };
                    fence = Some((block, run));
                }
                (Some((_, open)), Some(run)) if run.closes(open) => {
                    code.extend(fence.take().map(|(block, _)| block));
                }
                (Some((block, _)), _) => block.text = &text[block.at..end],
                (None, _) => {}
            }
            if is_code {
                blank(line, &mut prose);
                paragraph = end;
            } else if line.trim().is_empty() {
                push_inline(&text[paragraph..end], paragraph, &mut prose, &mut code);
                paragraph = end;
            }
            at = end;
        }
        push_inline(&text[paragraph..], paragraph, &mut prose, &mut code);
        code.extend(fence.map(|(block, _)| block));
        let bytes = ByteSet::from_text(&prose);
        Self { text, prose, code, bytes }
    }

    /// Returns the positions of a pattern in the prose, which is read only if it has all bytes of the
    /// pattern.
    pub(super) fn positions(&self, pattern: &'static str) -> impl Iterator<Item = usize> {
        let prose = if self.bytes.has_all(pattern) { &*self.prose } else { "" };
        prose.match_indices(pattern).map(|(at, _)| at)
    }

    /// Returns whether only white space and marks of Markdown are before this position on its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        self.prose[..at].chars().rev().take_while(|char| *char != '\n').all(is_mark)
    }

    /// Returns whether only white space and marks of Markdown are before this position.
    pub(super) fn begins_text(&self, at: usize) -> bool {
        self.prose[..at].chars().rev().all(is_mark)
    }

    /// Returns whether only white space, marks and closing punctuation are after this position on
    /// its line.
    pub(super) fn ends_line(&self, at: usize) -> bool {
        self.prose[at..].chars().take_while(|char| *char != '\n').all(is_ending)
    }

    /// Returns whether only white space, marks and closing punctuation are after this position.
    pub(super) fn ends_text(&self, at: usize) -> bool {
        self.prose[at..].chars().all(is_ending)
    }

    /// Returns whether a sentence ends right before this position.
    pub(super) fn follows_sentence(&self, at: usize) -> bool {
        let before = self.prose[..at].trim_end_matches([' ', '\t', '*', '_']);
        before.len() < at && before.ends_with(['.', '!', '?', '…', ')', '}'])
    }

    /// Returns whether an opening quotation mark is right before this position.
    pub(super) fn is_quoted(&self, at: usize) -> bool {
        self.prose[..at].ends_with(['"', '“', '„', '«', '\'', '‘'])
    }
}

/// A run of backticks or tildes at the start of a line.
#[derive(Clone, Copy)]
struct FenceRun<'t> {
    tick: char,
    len: usize,
    /// The rest of the line.
    rest: &'t str,
    /// The first word of the rest.
    info: &'t str,
}

/// Returns the run with which a line begins, if it may open or close a fence.
fn fence_run(line: &str) -> Option<FenceRun<'_>> {
    let run = line.trim_start_matches(' ');
    let tick = run.chars().next().filter(|tick| matches!(tick, '`' | '~'))?;
    let rest = run.trim_start_matches(tick);
    let len = run.len() - rest.len();
    let info = rest.trim().split([' ', '{']).next().unwrap_or_default();
    (len >= 3 && line.len() - run.len() <= 3).then_some(FenceRun { tick, len, rest, info })
}

impl FenceRun<'_> {
    fn opens(&self) -> bool {
        self.tick == '~' || !self.rest.contains('`')
    }

    fn closes(&self, open: &Self) -> bool {
        self.tick == open.tick && self.len >= open.len && self.rest.trim().is_empty()
    }
}

/// Returns whether a character may be part of an indent, a list item, a quote, a heading, or
/// emphasis.
pub(super) fn is_mark(char: char) -> bool {
    char.is_whitespace() || char.is_ascii_digit() || "*_-+>#•‣→.)(:|~\u{feff}".contains(char)
}

/// Returns whether a character may be an emoji, or a blank before one, at the start of a line.
pub(super) fn is_emblem(char: char) -> bool {
    char == ' ' || !(char.is_ascii() || char.is_alphanumeric() || "§“”„«»‘’：＜".contains(char))
}

/// Returns whether a character may follow the last word of a line.
fn is_ending(char: char) -> bool {
    is_mark(char) || ".,;!}])".contains(char)
}

/// Takes a paragraph: blanks its inline code, and keeps the rest.
fn push_inline<'t>(
    paragraph: &'t str,
    from: usize,
    prose: &mut String,
    code: &mut Vec<CodeBlock<'t>>,
) {
    let runs = tick_runs(paragraph);
    // The next run of the same length, for each run: found from the end, in one pass.
    let mut next = vec![None; runs.len()];
    let mut last = std::collections::BTreeMap::new();
    for (index, &(_, len)) in runs.iter().enumerate().rev() {
        next[index] = last.insert(len, index);
    }
    let (mut done, mut index) = (0, 0);
    while index < runs.len() {
        let (at, len) = runs[index];
        let Some(closing) = next[index] else {
            index += 1;
            continue;
        };
        let (end, _) = runs[closing];
        prose.push_str(&paragraph[done..at]);
        blank(&paragraph[at..end + len], prose);
        let text = &paragraph[at + len..end];
        code.push(CodeBlock { at: from + at + len, text, info: "", is_fence: false });
        done = end + len;
        index = closing + 1;
    }
    prose.push_str(&paragraph[done..]);
}

/// Returns the position and the length of each run of backticks.
fn tick_runs(text: &str) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some((start, len)) if *start + *len == at => *len += 1,
            _ => runs.push((at, 1)),
        }
    }
    runs
}

/// Adds a blank for each byte of code, and keeps its line breaks.
fn blank(code: &str, prose: &mut String) {
    prose.extend(code.bytes().map(|byte| if byte == b'\n' { '\n' } else { CODE }));
}
