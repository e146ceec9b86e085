//! The files that the words of a prompt name, `@path`, and the texts of MCP servers, `@server:uri`.
//!
//! This module knows which words name a file. A word begins after white space or an opening bracket or
//! quotation mark, so an e-mail address names none, and `\@` stands for the character itself.

use std::path::{Path, PathBuf};

use super::attachment::Attachment;
use super::server_text::NamedResource;
use crate::failure::Failure;
use crate::mcp::DeclaredServer;

/// Returns the words, and the files and the texts of servers that they name, each once.
pub(super) fn resolve(
    prompt: &str,
    root: &Path,
    servers: &[DeclaredServer],
) -> Result<(String, Vec<Attachment>, Vec<NamedResource>), Failure> {
    let mut words = String::with_capacity(prompt.len());
    let mut resources: Vec<NamedResource> = Vec::new();
    let mut named: Vec<(PathBuf, String)> = Vec::new();
    let mut before = ' ';
    for (at, char) in prompt.char_indices() {
        let begins = before.is_whitespace() || "([{\"'`".contains(before);
        let rest = &prompt[at + char.len_utf8()..];
        before = char;
        if char == '\\' && begins && rest.starts_with('@') {
            continue;
        }
        words.push(char);
        if char != '@' || !begins {
            continue;
        }
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        if let Some((path, name)) = existing(word, root) {
            if !named.iter().any(|(other, _)| *other == path) {
                named.push((path, name.to_owned()));
            }
        } else if let Some(resource) = resource(word, servers)
            && !resources.contains(&resource)
        {
            resources.push(resource);
        }
    }
    let attached = named.iter().map(|(path, name)| Attachment::read(path, name));
    Ok((words, attached.collect::<Result<_, _>>()?, resources))
}

/// Returns the text of a server that a word names, without the punctuation that follows it.
fn resource(word: &str, servers: &[DeclaredServer]) -> Option<NamedResource> {
    let (server, uri) = word.split_once(':')?;
    let uri = uri.trim_end_matches(PUNCTUATION);
    let is_one = !uri.is_empty() && servers.iter().any(|declared| declared.name == server);
    is_one.then(|| NamedResource { server: server.to_owned(), uri: uri.to_owned() })
}

/// Returns the file that a word names, without the punctuation that follows the name.
fn existing<'w>(word: &'w str, root: &Path) -> Option<(PathBuf, &'w str)> {
    let mut name = word;
    while !name.is_empty() {
        let path = place(name, root);
        if path.exists() {
            return Some((path, name));
        }
        name = name.strip_suffix(PUNCTUATION)?;
    }
    None
}

/// Returns where a name is: in the root, or where the person says.
fn place(name: &str, root: &Path) -> PathBuf {
    match (name.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => root.join(name),
    }
}

/// What may follow a name and is no part of it.
const PUNCTUATION: [char; 12] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '`'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_files_that_exist() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        for name in ["a.rs", "src/b.rs", "example.org"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        for (prompt, words, names) in [
            ("Read @a.rs.", "Read @a.rs.", &["a.rs"][..]),
            ("(@src/b.rs), @a.rs?! @a.rs", "(@src/b.rs), @a.rs?! @a.rs", &["src/b.rs", "a.rs"]),
            (r"\@a.rs me@example.org @nobody @", "@a.rs me@example.org @nobody @", &[]),
            (r"a\@a.rs \\@a.rs", r"a\@a.rs \\@a.rs", &[]),
        ] {
            let (shown, attached, _) = resolve(prompt, folder.path(), &[]).unwrap();
            let found: Vec<_> = attached.iter().map(|file| &*file.name).collect();
            assert_eq!((&*shown, &*found), (words, names), "{prompt}");
        }
    }

    #[test]
    fn words_name_texts_of_servers_that_are_declared() {
        let folder = tempfile::tempdir().unwrap();
        let servers = [DeclaredServer::typed("notes=x").unwrap()];
        for (prompt, uris) in [
            ("Read @notes:note://1.", &["note://1"][..]),
            ("(@notes:a?b=c) @notes:a?b=c", &["a?b=c"]),
            (r"\@notes:a me@notes:a @other:a @notes: @notes", &[]),
        ] {
            let (_, attached, resources) = resolve(prompt, folder.path(), &servers).unwrap();
            let found: Vec<_> = resources.iter().map(|one| &*one.uri).collect();
            assert_eq!((attached.len(), &*found), (0, uris), "{prompt}");
        }
    }
}
