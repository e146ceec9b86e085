//! What a prompt asks for: one function for each rule.

use crate::words::{FOLDERS, bare, essence, is_any, is_file, is_path, place, words};

/// What the person wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    List { path: String },
    Read { file: String },
    Search { query: String, path: String },
    Write { file: String, content: String },
}

/// `note: TEXT`, `note TEXT`, `write TEXT to FILE`, `save TEXT in FILE`.
pub(crate) fn write(prompt: &str) -> Option<Wish> {
    let prompt = prompt.trim();
    let (verb, text) = prompt.split_once([' ', '\n'])?;
    let is_note = is_any(bare(verb), &["note"]);
    if !is_note && !is_any(verb, &["write", "save"]) {
        return None;
    }
    let (text, file) = match target(text) {
        // What stands behind a colon is the text, whatever it speaks of.
        Some((text, file)) if !verb.ends_with(':') => (text, file),
        _ if is_note => (text, "note.txt"),
        _ => return None,
    };
    let content = unquoted(text.trim());
    let wish = Wish::Write { file: file.to_owned(), content: content.to_owned() };
    (!content.is_empty()).then_some(wish)
}

/// A text and the file at its end.
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

/// `search TEXT`, `find TEXT in FOLDER`, `grep TEXT`, `where is TEXT`.
pub(crate) fn search(prompt: &str) -> Option<Wish> {
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
    let (what, path) = match rest.iter().rposition(|word| is_any(word, &["in", "under", "inside"]))
    {
        Some(at) if at > 0 && essence(&rest[at + 1..]).len() <= 1 => {
            (&rest[..at], place(&rest[at + 1..]))
        }
        _ => (rest, None),
    };
    let query = match quoted(prompt) {
        Some(query) => query.to_owned(),
        None => {
            let leading = what.iter().take_while(|word| is_any(word, &LEADING)).count();
            let what = &what[leading..];
            let trailing = what.iter().rev().take_while(|word| is_any(word, &TRAILING)).count();
            let what = &what[..what.len() - trailing];
            // `find the files` asks for a listing.
            if what.iter().all(|word| is_any(word, &FOLDERS)) {
                return None;
            }
            what.join(" ")
        }
    };
    Some(Wish::Search { query, path: path.unwrap_or(".").to_owned() })
}

/// The text in the first pair of quotes on the first line.
fn quoted(prompt: &str) -> Option<&str> {
    let line = prompt.trim_start().lines().next()?;
    let inner = |quote| line.split_once(quote)?.1.split_once(quote);
    let inner = ['"', '`'].into_iter().find_map(inner).map(|(inner, _)| inner.trim());
    inner.filter(|inner| !inner.is_empty())
}

const LEADING: [&str; 10] =
    ["for", "the", "a", "all", "any", "word", "text", "string", "occurrences", "of"];

const TRAILING: [&str; 7] =
    ["here", "defined", "declared", "implemented", "used", "mentioned", "called"];

/// `read FILE`, `show me FILE`, `What is in FILE?` where the name has an ending.
pub(crate) fn read(prompt: &str) -> Option<Wish> {
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
    Some(Wish::Read { file: file.to_owned() })
}

/// `list FOLDER`, `ls`, `show FOLDER/`, `What is in FOLDER?`, and whatever speaks of files and
/// folders.
pub(crate) fn list(prompt: &str) -> Option<Wish> {
    let words = words(prompt);
    let (verb, rest) = words.split_first()?;
    let lower: Vec<_> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let lower: Vec<_> = lower.iter().map(String::as_str).collect();
    let asks = matches!(
        lower[..],
        ["what", "is", "in" | "inside" | "here" | "there", ..]
            | ["what's" | "whats", "in" | "inside" | "here" | "there", ..]
    );
    let speaks_of_folders = words.iter().any(|word| is_any(word, &FOLDERS));
    let within = rest.iter().rposition(|word| is_any(word, &["in", "inside", "of", "under"]));
    let phrase = within.map_or(rest, |at| &rest[at + 1..]);
    let path = if is_any(verb, &["list", "ls", "dir"]) && !speaks_of_folders {
        match essence(phrase).len() {
            0 => None,
            // `list three reasons` names no folder.
            _ => Some(place(phrase)?),
        }
    } else if asks || speaks_of_folders || is_any(verb, &["show", "open", "list", "ls", "dir"]) {
        let path =
            match within {
                None if asks => None,
                None => rest.iter().copied().find(|word| is_path(word)).or_else(|| {
                    is_any(verb, &["list", "ls", "dir"]).then(|| place(phrase)).flatten()
                }),
                Some(_) => place(phrase),
            };
        let names_nothing = path.is_none() && !essence(phrase).is_empty();
        if names_nothing && !speaks_of_folders {
            return None;
        }
        path
    } else {
        return None;
    };
    Some(Wish::List { path: path.unwrap_or(".").to_owned() })
}
