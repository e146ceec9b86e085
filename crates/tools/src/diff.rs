//! Unified diffs of texts.
//!
//! Lines that are equal at both ends are not compared, so that a small change of a long text is
//! found at once. This module handles text, without files.

use std::fmt::Write as _;
use std::ops::Range;

use similar::{DiffOp, TextDiff};

use crate::line_ends::LineEnds;

/// The difference between two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineDiff {
    /// The hunks of the unified diff.
    pub(crate) hunks: String,
    /// The numbers of lines that were added and removed.
    pub(crate) added: usize,
    pub(crate) removed: usize,
    /// Whether all line ends are `\r\n`, so that lines are shown without their `\r`.
    hides_ends: bool,
}

impl LineDiff {
    /// Compares two contents of a file.
    pub(crate) fn new(before: &str, after: &str) -> Self {
        let old: Vec<_> = before.split_inclusive('\n').collect();
        let new: Vec<_> = after.split_inclusive('\n').collect();
        let is_windows = |text| matches!(LineEnds::detect(text), LineEnds::CrLf | LineEnds::None);
        Self::of_lines(&old, &new, is_windows(before) && is_windows(after))
    }

    /// Compares two contents of a file, and shows their lines with all that ends them.
    pub(crate) fn exact(before: &str, after: &str) -> Self {
        let old: Vec<_> = before.split_inclusive('\n').collect();
        let new: Vec<_> = after.split_inclusive('\n').collect();
        Self::of_lines(&old, &new, false)
    }

    fn of_lines(old: &[&str], new: &[&str], hides_ends: bool) -> Self {
        let mut diff = Self { hides_ends, ..Self::default() };
        let changes = changes(old, new);
        let mut rest = &changes[..];
        while let Some((first, _)) = rest.split_first() {
            // Changes whose context would touch are one hunk.
            let near = rest.windows(2).take_while(|pair| {
                pair[1].old.start.saturating_sub(pair[0].old.end) <= 2 * CONTEXT
            });
            let (hunk, after) = rest.split_at(near.count() + 1);
            diff.write_hunk(old, new, first, hunk);
            rest = after;
        }
        diff
    }

    /// Returns the unified diff of a file, which is empty if nothing differs.
    pub(crate) fn unified(&self, path: &str) -> String {
        match self.hunks.is_empty() {
            true => String::new(),
            false => format!("--- a/{path}\n+++ b/{path}\n{}", self.hunks),
        }
    }

    /// Returns the numbers of added and removed lines, such as `+3 -1`.
    pub(crate) fn counts(&self) -> String {
        format!("+{} -{}", self.added, self.removed)
    }

    fn write_hunk(
        &mut self,
        old: &[&str],
        new: &[&str],
        first: &ChangedLines,
        hunk: &[ChangedLines],
    ) {
        let last = hunk.last().unwrap_or(first);
        let before = CONTEXT.min(first.old.start);
        let after = CONTEXT.min(old.len() - last.old.end);
        let from = first.old.start - before..last.old.end + after;
        let to = first.new.start - before..last.new.end + after;
        let _ = writeln!(self.hunks, "@@ -{} +{} @@", position(&from), position(&to));
        let mut at = from.start;
        for change in hunk {
            self.write_lines(' ', &old[at..change.old.start]);
            self.write_lines('-', &old[change.old.clone()]);
            self.write_lines('+', &new[change.new.clone()]);
            self.removed += change.old.len();
            self.added += change.new.len();
            at = change.old.end;
        }
        self.write_lines(' ', &old[at..from.end]);
    }

    fn write_lines(&mut self, sign: char, lines: &[&str]) {
        for line in lines {
            self.hunks.push(sign);
            match line.strip_suffix('\n') {
                Some(text) if self.hides_ends => {
                    self.hunks.push_str(text.strip_suffix('\r').unwrap_or(text));
                }
                Some(text) => self.hunks.push_str(text),
                None => {
                    self.hunks.push_str(line);
                    self.hunks.push_str("\n\\ No newline at end of file");
                }
            }
            self.hunks.push('\n');
        }
    }
}

/// Lines that others take the place of.
#[derive(Clone, Debug)]
struct ChangedLines {
    old: Range<usize>,
    new: Range<usize>,
}

fn changes(old: &[&str], new: &[&str]) -> Vec<ChangedLines> {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let ends = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = ends.take_while(|(old, new)| old == new).count();
    let whole = ChangedLines { old: start..old.len() - end, new: start..new.len() - end };
    if whole.old.len() + whole.new.len() > MAX_COMPARED {
        return vec![whole];
    }
    let shifted = |range: Range<usize>| range.start + start..range.end + start;
    let diff = TextDiff::from_slices(&old[whole.old], &new[whole.new]);
    let ops = diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    ops.map(|op| ChangedLines { old: shifted(op.old_range()), new: shifted(op.new_range()) })
        .collect()
}

/// Returns the position of a hunk in one of the texts.
fn position(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        length => format!("{},{length}", lines.start + 1),
    }
}

/// The number of unchanged lines that are shown around a change.
const CONTEXT: usize = 3;

/// The number of lines that are compared one by one. The time of a comparison grows with the square
/// of the lines.
const MAX_COMPARED: usize = 8_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(numbers: impl IntoIterator<Item = u32>) -> String {
        numbers.into_iter().map(|number| format!("{number}\n")).collect()
    }

    #[test]
    fn diffs_match_the_library() {
        let texts = [
            String::new(),
            "1".to_owned(),
            lines(1..10),
            lines((1..10).chain(20..30)),
            lines((1..5).chain([99]).chain(6..40)),
            lines((1..5).chain([98, 99]).chain(9..20).chain([7, 7]).chain(25..40)),
            "a\nb".to_owned(),
            "a\nb\n".to_owned(),
            "a\n\n\nb\na\n".to_owned(),
        ];
        for before in &texts {
            for after in &texts {
                let diff = TextDiff::from_lines(before, after);
                let expected = diff.unified_diff().header("a/x", "b/x").to_string();
                let ours = LineDiff::new(before, after);
                let headers = |text: &str| text.matches("@@ -").count();
                assert_eq!(headers(&ours.hunks), headers(&expected), "{ours:?} {expected}");
                let signs = |sign| {
                    let lines = expected.lines().skip(2);
                    lines.filter(|line| line.starts_with(sign)).count()
                };
                assert_eq!((ours.added, ours.removed), (signs('+'), signs('-')));
            }
        }
    }

    #[test]
    fn small_change_of_long_text_is_short() {
        let before = lines(0..100_000);
        let after = before.replace("\n50000\n", "\nhalf\n");
        let diff = LineDiff::new(&before, &after);
        assert_eq!(
            diff.unified("x"),
            "--- a/x\n+++ b/x\n@@ -49998,7 +49998,7 @@\n 49997\n 49998\n 49999\n-50000\n+half\n \
             50001\n 50002\n 50003\n"
        );
        assert_eq!(diff.counts(), "+1 -1");
    }
}
