//! The words of a prompt, and the things that they may name.

/// Returns the words of the first line that has any, without quotes and punctuation around them.
pub(crate) fn words(prompt: &str) -> Vec<&str> {
    let line = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let words: Vec<_> = line.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let polite = words.iter().take_while(|word| is_any(word, &POLITE)).count();
    words[polite..].to_vec()
}

/// Returns the word without quotes and punctuation around it. A path keeps its dots.
pub(crate) fn bare(word: &str) -> &str {
    let around = |char| "\"'`“”‘’()<>,;:!?".contains(char);
    let word = word.trim_matches(around);
    match word.trim_end_matches('.') {
        "" => word,
        name if name.ends_with('/') => word,
        name => name.trim_end_matches(around),
    }
}

/// Returns whether the word is one of these, in any case.
pub(crate) fn is_any(word: &str, of: &[&str]) -> bool {
    of.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// Returns whether the word has the form of a path.
pub(crate) fn is_path(word: &str) -> bool {
    word.contains('/') || is_file(word) || [".", ".."].contains(&word)
}

/// Returns whether the word has the form of a file name.
pub(crate) fn is_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let has_ending = name.char_indices().any(|(at, char)| char == '.' && at + 1 < name.len());
    (has_ending && name != "..") || is_any(name, &FILES)
}

/// Returns the folder or file that a phrase such as `the folder src` names: a word with the form of a
/// path, or the only word that is left without fillers.
pub(crate) fn place<'a>(phrase: &[&'a str]) -> Option<&'a str> {
    if let Some(path) = phrase.iter().find(|word| is_path(word)) {
        return Some(path);
    }
    match essence(phrase)[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// Returns the words that are not fillers and do not mean folders.
pub(crate) fn essence<'a>(phrase: &[&'a str]) -> Vec<&'a str> {
    let counts = |word: &&&str| !is_any(word, &FILLING) && !is_any(word, &FOLDERS);
    phrase.iter().filter(counts).copied().collect()
}

/// Names of files without an extension.
const FILES: [&str; 5] = ["README", "LICENSE", "Makefile", "Dockerfile", "Justfile"];

/// Polite words at the beginning.
const POLITE: [&str; 9] = ["please", "can", "could", "would", "will", "you", "now", "then", "just"];

/// Words that mean folders and their contents.
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

/// Fillers, which name nothing.
const FILLING: [&str; 30] = [
    "a", "all", "an", "are", "at", "content", "contents", "current", "do", "does", "file", "from",
    "here", "in", "inside", "is", "it", "me", "my", "of", "our", "project", "root", "that", "the",
    "there", "this", "us", "working", "your",
];
