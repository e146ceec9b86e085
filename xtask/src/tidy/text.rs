//! Prose as words: comments and literals of a Rust file, and the text of a Markdown page.
//!
//! This module leaves out fences, spans between backticks and the targets of links. It does not
//! know which words are good.

use super::source::{ByteKind, SourceFile};

/// A word, or a sign between words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The word in lower case.
    pub(crate) text: String,
    /// The line of the word, from 1.
    pub(crate) line: usize,
}

/// The words of a paragraph, a cell of a table, or a literal.
pub(crate) type Paragraph = Vec<Word>;

/// Returns the paragraphs of the comments in a file, those of tests included.
pub(crate) fn comments(source: &SourceFile) -> Vec<Paragraph> {
    let text = source.only(&[ByteKind::Comment], true);
    let line = |line: &str| {
        let text = line.trim().trim_start_matches('/').trim_start_matches('!');
        text.to_owned()
    };
    markdown(text.lines().map(line))
}

/// Returns the literals of a file that are not part of tests, each as a paragraph.
pub(crate) fn literals(source: &SourceFile) -> Vec<Paragraph> {
    let text = source.only(&[ByteKind::Literal], false);
    let mut paragraphs = Vec::new();
    let mut words = ParagraphBuilder::default();
    for (index, line) in text.lines().enumerate() {
        // A backslash at the end of a line joins it to the next one.
        let (line, goes_on) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        words.push(line, index + 1);
        if !goes_on {
            paragraphs.extend(words.take());
        }
    }
    paragraphs.extend(words.take());
    paragraphs
}

/// Returns the paragraphs of a Markdown page.
pub(crate) fn page(text: &str) -> Vec<Paragraph> {
    markdown(text.lines().map(str::to_owned))
}

fn markdown(lines: impl Iterator<Item = String>) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    let mut words = ParagraphBuilder::default();
    let mut fence: Option<String> = None;
    for (index, line) in lines.enumerate() {
        let line = line.trim();
        if let Some(open) = &fence {
            if line.starts_with(open.as_str()) && line.chars().all(|char| open.contains(char)) {
                fence = None;
            }
        } else if line.starts_with("```") {
            let ticks = line.chars().take_while(|&char| char == '`').collect();
            fence = Some(ticks);
            paragraphs.extend(words.take());
        } else if line.is_empty() {
            paragraphs.extend(words.take());
        } else {
            words.push(line, index + 1);
        }
    }
    paragraphs.extend(words.take());
    paragraphs
}

/// The words of the current paragraph.
///
/// It is in text, or in a code span, which `span` backticks have opened and as many close.
#[derive(Default)]
struct ParagraphBuilder {
    words: Paragraph,
    span: usize,
}

impl ParagraphBuilder {
    fn push(&mut self, line: &str, number: usize) {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            let len = if ticks > 0 {
                match self.span {
                    0 => {
                        self.span = ticks;
                        self.words.push(Word { text: "`".to_owned(), line: number });
                    }
                    open if open == ticks => self.span = 0,
                    _ => {}
                }
                ticks
            } else if self.span > 0 || first.is_whitespace() {
                first.len_utf8()
            } else if rest.starts_with("](") {
                rest.find(')').map_or(rest.len(), |end| end + 1)
            } else {
                let word = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
                let len = word.max(first.len_utf8());
                self.words.push(Word { text: rest[..len].to_lowercase(), line: number });
                len
            };
            rest = &rest[len..];
        }
    }

    /// Ends the paragraph and returns it, if it has words.
    fn take(&mut self) -> Option<Paragraph> {
        self.span = 0;
        (!self.words.is_empty()).then(|| std::mem::take(&mut self.words))
    }
}

/// Returns whether a character is part of a word. A hyphen joins two words.
fn is_part(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '-' | '_' | '\'' | '’')
}
