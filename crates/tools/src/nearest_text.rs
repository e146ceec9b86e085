//! The places in a text that are nearest to a piece that is not in it.
//!
//! Each run with the piece's number of lines is rated by their common characters, and the best ones
//! are compared character by character. This module handles text, without files.

use std::fmt::Write as _;

use similar::TextDiff;

/// Explains to the model why a piece is not in a text, and quotes the nearest text.
pub(crate) fn explain(text: &str, old: &str, new: &str) -> String {
    let mut why = "`old` is not in the file".to_owned();
    let plain = without_numbers(old);
    if plain.as_ref().is_some_and(|plain| text.contains(plain)) {
        return why + "; it begins its lines with the numbers that file_read adds: leave them out";
    }
    if new.trim().len() > 3 && text.contains(new) {
        let at = text.find(new).unwrap_or_default();
        let line = text[..at].matches('\n').count() + 1;
        let _ = write!(why, "; but `new` is, in line {line}, so the edit may be done already");
    }
    let nearest = nearest(text, plain.as_deref().unwrap_or(old));
    if nearest.is_empty() {
        return why + ", nor anything like it; read the file and copy the text from it";
    }
    why.push_str("; the nearest text is:");
    for place in nearest {
        let _ = write!(why, "\n{place}");
    }
    why
}

/// Returns the lines without a number and a tab before each, if each has them.
fn without_numbers(text: &str) -> Option<String> {
    let lines = text.lines().map(|line| {
        let (number, rest) = line.split_once('\t')?;
        let number = number.trim_start();
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
    });
    lines
        .collect::<Option<Vec<_>>>()
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.join("\n"))
}

/// Describes the places that are most like a piece, the best first.
fn nearest(text: &str, piece: &str) -> Vec<String> {
    let lines: Vec<_> = text.lines().collect();
    let wanted = piece.trim_matches(['\n', '\r']);
    let length = wanted.lines().count().max(1);
    if wanted.trim().is_empty() || lines.is_empty() || wanted.len() > MAX_PIECE {
        return Vec::new();
    }
    let mut places: Vec<_> = best_runs(&lines, wanted, length)
        .into_iter()
        .map(|start| {
            let run = lines[start..lines.len().min(start + length)].join("\n");
            let alike = similarity(wanted, &run);
            (alike, start, run)
        })
        .filter(|(alike, ..)| *alike >= MIN_ALIKE)
        .collect();
    places.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut shown: Vec<(usize, String)> = Vec::new();
    for (alike, start, run) in places {
        let is_new = shown.iter().all(|(other, _)| other.abs_diff(start) >= length);
        if is_new && shown.len() < MAX_PLACES {
            shown.push((start, described(&run, wanted, start, alike)));
        }
    }
    shown.into_iter().map(|(_, place)| place).collect()
}

fn described(run: &str, wanted: &str, start: usize, alike: f32) -> String {
    let end = start + run.split('\n').count();
    let lines =
        if end == start + 1 { format!("line {end}") } else { format!("lines {}-{end}", start + 1) };
    let how = match difference(run, wanted) {
        Some(only) => format!("differs only in {only}"),
        None => format!("{:.0} % alike", (alike * 100.0).floor()),
    };
    let mut place = format!("{lines} ({how}):");
    for (line, number) in run.split('\n').zip(start + 1..).take(MAX_SHOWN) {
        let cut = line.floor_char_boundary(MAX_LINE);
        let more = if cut < line.len() { "…" } else { "" };
        let _ = write!(place, "\n{number}\t{}{more}", &line[..cut]);
    }
    if run.split('\n').count() > MAX_SHOWN {
        place.push_str("\n…");
    }
    place
}

/// Returns the only difference between two texts, if it is easily overlooked.
fn difference(one: &str, other: &str) -> Option<&'static str> {
    let same = |plain: PlainText| plain(one).contains(&plain(other));
    let kinds: [(&str, PlainText); 5] = [
        ("white space at the ends of lines", |text| mapped(text, str::trim_end)),
        ("indentation", |text| mapped(text, str::trim)),
        ("white space", |text| text.split_whitespace().collect()),
        ("upper and lower case", str::to_lowercase),
        ("quotation marks, dashes or other signs that look alike", |text| {
            text.chars().filter_map(plain_char).collect()
        }),
    ];
    kinds.into_iter().find(|(_, plain)| same(*plain)).map(|(kind, _)| kind)
}

/// A function that takes differences of one kind out of a text.
type PlainText = fn(&str) -> String;

fn mapped(text: &str, line: fn(&str) -> &str) -> String {
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the plain form of a character, or `None` for an invisible one.
fn plain_char(char: char) -> Option<char> {
    match char {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '`' => Some('\''),
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => Some('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' | '\t' => Some(' '),
        '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{ad}' => None,
        char => Some(char),
    }
}

/// Returns the common share of two texts, from 0 to 1.
fn similarity(one: &str, other: &str) -> f32 {
    if one.len() + other.len() <= MAX_BY_CHARS {
        return TextDiff::from_chars(one, other).ratio();
    }
    let start = |line: &str| line[..line.floor_char_boundary(MAX_LINE / 2)].to_owned();
    let pairs = one.lines().zip(other.lines()).take(MAX_PAIRS);
    let alike = pairs.map(|(one, other)| TextDiff::from_chars(&start(one), &start(other)).ratio());
    alike.sum::<f32>() / one.lines().count().clamp(1, MAX_PAIRS) as f32
}

/// Returns the starts of the runs of `length` lines that have most characters in common with the
/// piece.
fn best_runs(lines: &[&str], wanted: &str, length: usize) -> Vec<usize> {
    let wanted = CharCounts::count(wanted);
    let mut run = CharCounts::default();
    lines.iter().take(length).for_each(|line| run.add(line));
    let mut rated = vec![(wanted.rate(&run), 0)];
    for start in 1..(lines.len() + 1).saturating_sub(length) {
        run.remove(lines[start - 1]);
        run.add(lines[start + length - 1]);
        rated.push((wanted.rate(&run), start));
    }
    rated.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    rated.into_iter().take(MAX_RUNS).map(|(_, start)| start).collect()
}

/// The number of occurrences of each character in a text; some characters share a count.
#[derive(Clone, Debug)]
struct CharCounts {
    counts: [u32; 128],
    all: u32,
}

impl Default for CharCounts {
    fn default() -> Self {
        Self { counts: [0; 128], all: 0 }
    }
}

impl CharCounts {
    fn count(text: &str) -> Self {
        let mut counts = Self::default();
        text.lines().for_each(|line| counts.add(line));
        counts
    }

    fn add(&mut self, line: &str) {
        for byte in line.trim().bytes() {
            self.counts[usize::from(byte & 0x7f)] += 1;
            self.all += 1;
        }
    }

    fn remove(&mut self, line: &str) {
        for byte in line.trim().bytes() {
            self.counts[usize::from(byte & 0x7f)] -= 1;
            self.all -= 1;
        }
    }

    /// Returns the maximum common share of two texts, from 0 to 1.
    fn rate(&self, other: &Self) -> f32 {
        let pairs = self.counts.iter().zip(&other.counts);
        let common: u32 = pairs.map(|(one, other)| one.min(other)).sum();
        let all = (self.all + other.all).max(1);
        2.0 * common as f32 / all as f32
    }
}

/// The number of places that are shown.
const MAX_PLACES: usize = 3;

/// The number of lines that are shown of a place, and of bytes that are shown of a line.
const MAX_SHOWN: usize = 12;
const MAX_LINE: usize = 200;

/// The number of runs of lines that are compared character by character.
const MAX_RUNS: usize = 24;

/// The number of lines of a long piece that are compared.
const MAX_PAIRS: usize = 30;

/// The minimum similarity of a place that is shown.
const MIN_ALIKE: f32 = 0.5;

/// The longest piece that is searched, in bytes.
const MAX_PIECE: usize = 64 << 10;

/// The length up to which two texts are compared character by character, in bytes. The time of a
/// comparison grows with the square of the length.
const MAX_BY_CHARS: usize = 2 << 10;
