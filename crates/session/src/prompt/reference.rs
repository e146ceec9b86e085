//! The files that the words of a prompt name, `@path`, and the texts of MCP servers, `@server:uri`.
//!
//! This module decides which words name a file. A word begins after white space or an opening
//! bracket or quotation mark, so an e-mail address names none, and `\@` stands for the character
//! itself. A word that does not name a file, such as `@types/node`, is left alone.

use std::path::{Path, PathBuf};

use silcrow_settings::DeclaredServer;

use super::attachment::Attachment;
use super::found_file::found_file;
use super::mention::{MentionedLines, PUNCTUATION, mentions};
use super::server_text::NamedResource;
use crate::error::Error;

/// Returns the words, and the files and the texts of servers that they name, each once.
pub(super) fn resolve(
    prompt: &str,
    root: &Path,
    servers: &[DeclaredServer],
) -> Result<(String, Vec<Attachment>, Vec<NamedResource>), Error> {
    let mut words = String::with_capacity(prompt.len());
    let mut resources: Vec<NamedResource> = Vec::new();
    let mut named: Vec<NamedFile> = Vec::new();
    let mut before = ' ';
    // The end of the name that was read last.
    let mut read_to = 0;
    for (at, char) in prompt.char_indices() {
        let begins = before.is_whitespace() || "([{\"'`".contains(before);
        let rest = &prompt[at + char.len_utf8()..];
        before = char;
        if char == '\\' && begins && rest.starts_with('@') {
            continue;
        }
        words.push(char);
        if char != '@' || !begins || at < read_to {
            continue;
        }
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        if let Some((file, length)) = existing(rest, root) {
            read_to = at + 1 + length;
            if !named.contains(&file) {
                named.push(file);
            }
        } else if let Some(resource) = resource(word, servers)
            && !resources.contains(&resource)
        {
            resources.push(resource);
        }
    }
    let attached = named.iter().map(|file| match file.lines {
        Some(lines) => Attachment::read_lines(&file.path, &file.name, lines),
        None => Attachment::read(&file.path, &file.name),
    });
    Ok((words, attached.collect::<Result<_, _>>()?, resources))
}

/// Returns the text of a server that a word names, without the punctuation that follows it.
fn resource(word: &str, servers: &[DeclaredServer]) -> Option<NamedResource> {
    let (server, uri) = word.split_once(':')?;
    let uri = uri.trim_end_matches(PUNCTUATION);
    let is_one = !uri.is_empty() && servers.iter().any(|declared| declared.name == server);
    is_one.then(|| NamedResource { server: server.to_owned(), uri: uri.to_owned() })
}

/// A file that the words name.
#[derive(Debug, PartialEq, Eq)]
struct NamedFile {
    path: PathBuf,
    name: String,
    lines: Option<MentionedLines>,
}

/// Returns the file that the text after an `@` names, and the length of its name there.
fn existing(rest: &str, root: &Path) -> Option<(NamedFile, usize)> {
    mentions(rest).into_iter().find_map(|mention| {
        let path = found_file(&mention.name, root).filter(|_| !mention.name.is_empty())?;
        let (name, lines) = (mention.name.into_owned(), mention.lines);
        Some((NamedFile { path, name, lines }, mention.length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_words_name_existing_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        for name in ["a.rs", "src/b.rs", "example.org", "my notes", "@c"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        for (prompt, words, names) in [
            ("Read @a.rs.", "Read @a.rs.", &["a.rs"][..]),
            ("(@src/b.rs), @a.rs?! @a.rs", "(@src/b.rs), @a.rs?! @a.rs", &["src/b.rs", "a.rs"]),
            (r"\@a.rs me@example.org @nobody @", "@a.rs me@example.org @nobody @", &[]),
            (r"a\@a.rs \\@a.rs", r"a\@a.rs \\@a.rs", &[]),
            (r#"(@"my notes"), @my\ notes."#, r#"(@"my notes"), @my\ notes."#, &["my notes"]),
            ("@\"my notes @a.rs\" @types/node", "@\"my notes @a.rs\" @types/node", &["a.rs"]),
            ("@@c @\"@c\"", "@@c @\"@c\"", &["@c"]),
        ] {
            let (shown, attached, _) = resolve(prompt, folder.path(), &[]).unwrap();
            let found: Vec<_> = attached.iter().map(|file| &*file.name).collect();
            assert_eq!((&*shown, &*found), (words, names), "{prompt}");
        }
    }

    #[test]
    fn lines_of_a_file_go_with_a_prompt() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "one\ntwo\r\nthree\nfour").unwrap();
        let read = |prompt: &str| {
            let read = resolve(prompt, folder.path(), &[]);
            read.map(|(_, attached, _)| {
                let texts = attached.into_iter().map(|file| (file.name, file.text));
                texts.collect::<Vec<_>>()
            })
        };
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(
            read("@a:2-3, @a:4").unwrap(),
            [file("a:2-3", "two\r\nthree\n"), file("a:4", "four"),]
        );
        assert_eq!(read("@a:3-9").unwrap(), [file("a:3-9", "three\nfour")]);
        let why = read("@a:5-9").unwrap_err();
        assert_eq!(why.message(), "a:5-9: the file has only 4 lines");
    }

    #[test]
    fn prompt_references_need_declared_servers() {
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
