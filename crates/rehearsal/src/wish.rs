//! The request of a prompt: one function for each rule.

use crate::words::{FOLDERS, bare, essence, is_any, is_file, is_path, place, words};

/// The person's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    List { path: String },
    Read { file: String },
    Search { query: String, path: String },
    Write { file: String, content: String },
}

/// Reads `note: TEXT`, `note TEXT`, `write TEXT to FILE`, `save TEXT in FILE`.
pub(crate) fn write(prompt: &str) -> Option<Intent> {
    let prompt = prompt.trim();
    let (verb, text) = prompt.split_once([' ', '\n'])?;
    let is_note = is_any(bare(verb), &["note"]);
    if !is_note && !is_any(verb, &["write", "save"]) {
        return None;
    }
    let (text, file) = match target(text) {
        // The text is everything after a colon.
        Some((text, file)) if !verb.ends_with(':') => (text, file),
        _ if is_note => (text, "note.txt"),
        _ => return None,
    };
    let content = unquoted(text.trim());
    let wish = Intent::Write { file: file.to_owned(), content: content.to_owned() };
    (!content.is_empty()).then_some(wish)
}

/// Returns a text and the file at its end.
fn target(text: &str) -> Option<(&str, &str)> {
    let (text, file) = text.trim_end().rsplit_once(char::is_whitespace)?;
    let (text, to) = text.trim_end().rsplit_once(char::is_whitespace)?;
    let file = bare(file);
    (is_any(to, &["to", "in", "into", "as"]) && is_path(file)).then_some((text, file))
}

fn unquoted(text: &str) -> &str {
    let inner = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\'', '`'].into_iter().find_map(inner).unwrap_or(text)
}

/// Reads `search TEXT`, `search FOLDER for TEXT`, `find TEXT in FOLDER`, `grep TEXT`, `where is TEXT`.
pub(crate) fn search(prompt: &str) -> Option<Intent> {
    let words = words(prompt);
    let rest = match words[..] {
        [verb, ref rest @ ..] if is_any(verb, &["search", "find", "grep", "where's"]) => rest,
        [verb, second, ref rest @ ..]
            if (is_any(verb, &["where"]) && is_any(second, &["is", "are"]))
                || (is_any(verb, &["look"]) && is_any(second, &["for"])) =>
        {
            rest
        }
        _ => return None,
    };
    let (query, path) = match quoted(prompt) {
        Some((query, around)) => (query.to_owned(), within(&around).and_then(place)),
        None => {
            let (what, folder) = split(rest, is_any(words[0], &["search"]));
            (query(what)?, place(folder))
        }
    };
    Some(Intent::Search { query, path: path.unwrap_or(".").to_owned() })
}

/// Returns the words to search, and the place.
fn split<'a, 'w>(rest: &'a [&'w str], may_lead: bool) -> (&'a [&'w str], &'a [&'w str]) {
    if may_lead && let Some(at @ 1..) = rest.iter().position(|word| is_any(word, &["for"])) {
        return (&rest[at + 1..], &rest[..at]);
    }
    match rest.iter().rposition(|word| is_any(word, &WITHIN)) {
        Some(at @ 1..) if essence(&rest[at + 1..]).len() <= 1 => (&rest[..at], &rest[at + 1..]),
        _ => (rest, &[]),
    }
}

/// Returns the text without its surrounding words; `None` if it is empty or means `the files`.
fn query(what: &[&str]) -> Option<String> {
    let leading = what.iter().take_while(|word| is_any(word, &LEADING)).count();
    let what = &what[leading..];
    let trailing = what.iter().rev().take_while(|word| is_any(word, &TRAILING)).count();
    let what = &what[..what.len() - trailing];
    (!what.iter().all(|word| is_any(word, &FOLDERS))).then(|| what.join(" "))
}

/// Returns the text in the first pair of quotes on the first line, and the words around it.
fn quoted(prompt: &str) -> Option<(&str, Vec<&str>)> {
    let line = prompt.trim_start().lines().next()?;
    ['"', '`'].into_iter().find_map(|quote| {
        let (before, after) = line.split_once(quote)?;
        let (inner, after) = after.split_once(quote)?;
        let around = words(before).into_iter().chain(words(after));
        let around = around.filter(|word| !is_any(word, &["for"])).collect();
        (!inner.trim().is_empty()).then_some((inner.trim(), around))
    })
}

/// Returns the words after the last preposition.
fn within<'a, 'w>(words: &'a [&'w str]) -> Option<&'a [&'w str]> {
    let at = words.iter().rposition(|word| is_any(word, &WITHIN))?;
    Some(&words[at + 1..])
}

const WITHIN: [&str; 4] = ["in", "inside", "of", "under"];

const LEADING: [&str; 10] =
    ["for", "the", "a", "all", "any", "word", "text", "string", "occurrences", "of"];

const TRAILING: [&str; 7] =
    ["here", "defined", "declared", "implemented", "used", "mentioned", "called"];

/// Reads `read FILE`, `show me FILE`, and `What is in FILE?` for a name with an extension.
pub(crate) fn read(prompt: &str) -> Option<Intent> {
    let words = words(prompt);
    let (verb, rest) = words.split_first()?;
    let file = if is_any(verb, &["read", "show", "open", "cat", "print", "view"]) {
        let speaks_of_folders = rest.iter().any(|word| is_any(word, &FOLDERS));
        place(rest).filter(|word| is_file(word) || !speaks_of_folders)
    } else if is_any(verb, &["what", "what's", "whats"]) {
        rest.iter().copied().find(|word| is_file(word))
    } else {
        None
    };
    let file = file.filter(|file| !file.ends_with(['/', '.']))?;
    Some(Intent::Read { file: file.to_owned() })
}

/// Reads `list FOLDER`, `ls`, `show FOLDER/`, `What is in FOLDER?`, and other prompts about files and
/// folders.
pub(crate) fn list(prompt: &str) -> Option<Intent> {
    let words = words(prompt);
    let (verb, rest) = words.split_first()?;
    let speaks_of_folders = words.iter().any(|word| is_any(word, &FOLDERS));
    let lists = is_any(verb, &["list", "ls", "dir"])
        || (is_any(verb, &["show", "open"]) && !speaks_of_folders);
    let asks = match rest {
        [second, ..] if is_any(verb, &["what's", "whats"]) => is_any(second, &INSIDE),
        [second, third, ..] if is_any(verb, &["what"]) => {
            is_any(second, &["is"]) && is_any(third, &INSIDE)
        }
        _ => false,
    };
    if !(lists || asks || speaks_of_folders) {
        return None;
    }
    let paths: Vec<_> = rest.iter().copied().filter(|word| is_path(word)).collect();
    let phrase = match within(rest) {
        Some(phrase) => phrase,
        None if asks => &[],
        None if lists => rest,
        None => &paths,
    };
    let path = place(phrase);
    // `list three reasons` names no folder.
    if path.is_none() && !essence(phrase).is_empty() && !speaks_of_folders {
        return None;
    }
    Some(Intent::List { path: path.unwrap_or(".").to_owned() })
}

const INSIDE: [&str; 4] = ["in", "inside", "here", "there"];
