//! A prompt command: a Markdown file whose text is a prompt with places for words.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::front_matter::FrontMatter;

/// A command that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptCommand {
    name: String,
    about: String,
    hint: String,
    body: String,
    path: PathBuf,
    hash: String,
}

/// The commands that count, and the untrusted ones.
#[derive(Clone, Debug, Default)]
pub struct PromptCommands {
    commands: Vec<PromptCommand>,
    untrusted: Vec<PromptCommand>,
}

impl PromptCommands {
    /// Reads the commands of folders, the nearest first. The first command with a name counts. A
    /// folder is the person's own, or `is_trusted` decides whether the person trusts a file with
    /// contents of this hash.
    ///
    /// ```
    /// use silcrow_skills::PromptCommands;
    ///
    /// # let home = tempfile::tempdir().unwrap();
    /// let folder = home.path().join("commands");
    /// std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("explain.md"), "Explain $1 to a beginner.")?;
    /// let commands = PromptCommands::read(&[(folder, true)], &|_, _| false);
    /// let explain = commands.find("explain").unwrap();
    /// assert_eq!(explain.expand("monads"), "Explain monads to a beginner.");
    /// # std::io::Result::Ok(())
    /// ```
    pub fn read(folders: &[(PathBuf, bool)], is_trusted: &dyn Fn(&Path, &str) -> bool) -> Self {
        let mut all = Self::default();
        for (folder, is_own) in folders {
            let mut found = Vec::new();
            list(folder, "", 0, &mut found);
            found.sort_by(|a, b| a.name.cmp(&b.name));
            for command in found {
                if all.find(&command.name).is_some() {
                    continue;
                }
                match *is_own || is_trusted(&command.path, &command.hash) {
                    true => all.commands.push(command),
                    false => all.untrusted.push(command),
                }
            }
        }
        all
    }

    /// Returns the commands that count.
    pub fn all(&self) -> &[PromptCommand] {
        &self.commands
    }

    /// Returns the commands of an untrusted project.
    pub fn untrusted(&self) -> &[PromptCommand] {
        &self.untrusted
    }

    /// Returns the command with a name.
    pub fn find(&self, name: &str) -> Option<&PromptCommand> {
        self.commands.iter().find(|command| command.name == name)
    }
}

impl PromptCommand {
    fn read(path: &Path, name: String) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > MOST_BYTES {
            return None;
        }
        let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let text = String::from_utf8(bytes).ok()?;
        let matter = FrontMatter::read(&text);
        let value = |name: &str| matter.get(name).unwrap_or_default().to_owned();
        let first = matter.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let about = match matter.get("description") {
            Some(about) => about.to_owned(),
            None => first.trim_start_matches(['#', ' ']).chars().take(MOST_OF_ABOUT).collect(),
        };
        let (hint, body) = (value("argument-hint"), matter.body.trim().to_owned());
        Some(Self { name, about, hint, body, path: path.to_owned(), hash })
    }

    /// Returns the name, with `:` between folders.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a few words about the command.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the words that the command takes, as a person reads them.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the hash of the contents of the file.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the prompt for these words: `$ARGUMENTS` stands for all of them, `$1` to `$9` for
    /// one each (the highest in the text stands for all the rest), and `\$` for a dollar sign. If a
    /// text has none of these, the words go at its end.
    pub fn expand(&self, words: &str) -> String {
        let words = words.trim();
        let places: Vec<_> = places(&self.body).collect();
        let highest = places.iter().filter_map(|place| place.number).max();
        if !places.iter().any(|place| place.is_used()) {
            let body = self.body.replace("\\$", "$");
            return if words.is_empty() { body } else { format!("{body}\n\n{words}") };
        }
        let (mut text, mut end) = (String::new(), 0);
        for place in places {
            text.push_str(&self.body[end..place.at]);
            end = place.at + place.len;
            match place.number {
                Some(number) => text.push_str(word(words, number, Some(number) == highest)),
                None if place.is_all => text.push_str(words),
                None => text.push('$'),
            }
        }
        text.push_str(&self.body[end..]);
        text
    }
}

/// A place for words in a text, or a dollar sign that is one.
struct WordPlace {
    at: usize,
    len: usize,
    number: Option<usize>,
    is_all: bool,
}

impl WordPlace {
    const fn is_used(&self) -> bool {
        self.is_all || self.number.is_some()
    }
}

fn places(text: &str) -> impl Iterator<Item = WordPlace> {
    text.match_indices('$').filter_map(move |(at, _)| {
        let after = &text[at + 1..];
        if text[..at].ends_with('\\') {
            return Some(WordPlace { at: at - 1, len: 2, number: None, is_all: false });
        }
        if after.starts_with(ALL) {
            return Some(WordPlace { at, len: 1 + ALL.len(), number: None, is_all: true });
        }
        let digit = after.chars().next()?.to_digit(10).filter(|digit| *digit > 0)?;
        let is_longer = after[1..].starts_with(|char: char| char.is_ascii_alphanumeric());
        let number = Some(digit as usize);
        (!is_longer).then_some(WordPlace { at, len: 2, number, is_all: false })
    })
}

/// Returns a word, counted from 1, or all words from it on.
fn word(words: &str, number: usize, takes_rest: bool) -> &str {
    let mut rest = words;
    for _ in 1..number {
        rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    }
    if takes_rest { rest } else { rest.split_whitespace().next().unwrap_or_default() }
}

/// Lists the commands below a folder.
fn list(folder: &Path, within: &str, depth: usize, found: &mut Vec<PromptCommand>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let (kind, path) = (entry.file_type(), entry.path());
        if found.len() >= MOST_COMMANDS {
            return;
        }
        match (kind, name.strip_suffix(".md")) {
            (Ok(kind), _) if kind.is_dir() && depth < DEEPEST => {
                list(&path, &format!("{within}{name}:"), depth + 1, found);
            }
            (Ok(kind), Some(name)) if kind.is_file() && is_name(name) => {
                found.extend(PromptCommand::read(&path, format!("{within}{name}")));
            }
            _ => {}
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.'))
}

/// The word that stands for all words.
const ALL: &str = "ARGUMENTS";

/// The number of bytes of a file at most.
const MOST_BYTES: u64 = 256 << 10;

/// The number of characters about a command without a description.
const MOST_OF_ABOUT: usize = 80;

/// The number of folders below each other.
const DEEPEST: usize = 4;

/// The number of commands of one folder.
const MOST_COMMANDS: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> PromptCommand {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("c.md");
        fs::write(&path, text).unwrap();
        PromptCommand::read(&path, "c".to_owned()).unwrap()
    }

    #[test]
    fn words_take_their_places() {
        for (body, words, expected) in [
            ("Mend $ARGUMENTS now", "a  b", "Mend a  b now"),
            ("Move $1 to $2.", "a b c", "Move a to b c."),
            ("$2 before $1", "a b", "b before a"),
            ("Only $2", "a", "Only "),
            (r"It costs \$1", "a", "It costs $1\n\na"),
            (r"\$1 and $1", "a", "$1 and a"),
            ("Plain", "a b", "Plain\n\na b"),
            ("Plain", " ", "Plain"),
            ("$10 and $HOME stay", "", "$10 and $HOME stay"),
        ] {
            assert_eq!(command(body).expand(words), expected, "{body}");
        }
    }

    #[test]
    fn command_has_a_description() {
        let read =
            command("---\ndescription: Explains\nargument-hint: WHAT\nmodel: x\n---\nExplain $1");
        assert_eq!(
            (read.about(), read.hint(), read.expand("it")),
            ("Explains", "WHAT", "Explain it".to_owned())
        );
        assert_eq!(command("\n# Explain it\n\nText").about(), "Explain it");
    }

    #[test]
    fn folder_commands_are_prefixed_and_untrusted_ones_ignored() {
        let home = tempfile::tempdir().unwrap();
        let (own, project) = (home.path().join("own"), home.path().join("project"));
        fs::create_dir_all(own.join("git")).unwrap();
        fs::create_dir_all(&project).unwrap();
        for (file, text) in [("own/git/sync.md", "Sync"), ("own/a.md", "Mine"), ("own/b c.md", "x")]
        {
            fs::write(home.path().join(file), text).unwrap();
        }
        fs::write(project.join("a.md"), "That of the project").unwrap();
        let folders = [(project, false), (own, true)];
        let commands = PromptCommands::read(&folders, &|_, _| false);
        let names: Vec<_> = commands.all().iter().map(PromptCommand::name).collect();
        assert_eq!(names, ["a", "git:sync"]);
        assert_eq!(commands.find("a").unwrap().expand(""), "Mine");
        assert_eq!(commands.untrusted()[0].name(), "a");
        let trusting = PromptCommands::read(&folders, &|_, _| true);
        assert_eq!(trusting.find("a").unwrap().expand(""), "That of the project");
    }
}
