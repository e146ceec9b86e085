//! Words of a prompt, and what they may name.

/// The words of the first line that has some, without quotes and punctuation around them.
pub(crate) fn words(prompt: &str) -> Vec<&str> {
    let line = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let words: Vec<_> = line.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let polite = words.iter().take_while(|word| is_any(word, &POLITE)).count();
    words[polite..].to_vec()
}

/// The word without quotes and punctuation around it; a path keeps its dots.
pub(crate) fn bare(word: &str) -> &str {
    let around = |char| "\"'`“”‘’()<>,;:!?".contains(char);
    let word = word.trim_matches(around);
    match word.trim_end_matches('.') {
        "" => word,
        name if name.ends_with('/') => word,
        name => name.trim_end_matches(around),
    }
}

/// Whether it is one of these, in any case.
pub(crate) fn is_any(word: &str, of: &[&str]) -> bool {
    of.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// Whether it says by its form that it names a file or a folder.
pub(crate) fn is_path(word: &str) -> bool {
    word.contains('/') || is_file(word) || [".", ".."].contains(&word)
}

/// Whether it says by its form that it names a file.
pub(crate) fn is_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let has_ending = name.char_indices().any(|(at, char)| char == '.' && at + 1 < name.len());
    (has_ending && name != "..") || is_any(name, &FILES)
}

/// The folder or file that a phrase such as `the folder src` or `here` names: one that has the
/// form of a path, or the only word that is left when all others are taken away.
pub(crate) fn place<'a>(phrase: &[&'a str]) -> Option<&'a str> {
    if let Some(path) = phrase.iter().find(|word| is_path(word)) {
        return Some(path);
    }
    match essence(phrase)[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// The words that are neither filling nor mean folders.
pub(crate) fn essence<'a>(phrase: &[&'a str]) -> Vec<&'a str> {
    let counts = |word: &&&str| !is_any(word, &FILLING) && !is_any(word, &FOLDERS);
    phrase.iter().filter(counts).copied().collect()
}

/// Names of files that have no ending.
const FILES: [&str; 5] = ["README", "LICENSE", "Makefile", "Dockerfile", "Justfile"];

/// Before what is asked.
const POLITE: [&str; 9] = ["please", "can", "could", "would", "will", "you", "now", "then", "just"];

/// Words that speak of folders and what they hold.
pub(crate) const FOLDERS: [&str; 10] = [
    "files",
    "folder",
    "folders",
    "directory",
    "directories",
    "dir",
    "entries",
    "tree",
    "repo",
    "repository",
];

/// Words that name nothing.
const FILLING: [&str; 30] = [
    "a", "all", "an", "are", "at", "content", "contents", "current", "do", "does", "file", "from",
    "here", "in", "inside", "is", "it", "me", "my", "of", "our", "project", "root", "that", "the",
    "there", "this", "us", "working", "your",
];
