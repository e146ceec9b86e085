//! A skill: a folder with instructions, read as a whole so that a person can trust its contents.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::front_matter::FrontMatter;

/// A skill that was read.
#[derive(Clone, Debug)]
pub struct Skill {
    name: String,
    description: String,
    folder: PathBuf,
    body: String,
    /// The other files, by their paths in the folder.
    files: Vec<String>,
    hash: String,
    is_for_model: bool,
}

impl Skill {
    /// Reads a folder. Returns `None` if it has no `SKILL.md`.
    ///
    /// # Errors
    ///
    /// Returns why it is left out.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, String> {
        let path = folder.join(FILE);
        // A link could lead to another file with each look at it.
        let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        if !is_file {
            return Ok(None);
        }
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !is_name(name) {
            return Err("its name has other characters than a-z, 0-9 and single `-`".to_owned());
        }
        let mut files = Vec::new();
        list(folder, "", 0, &mut files)?;
        files.sort();
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        let mut text = String::new();
        for file in &files {
            let content =
                read_bytes(&folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
            bytes += content.len();
            if bytes > MOST_BYTES {
                return Err(format!("its files have more than {} MiB", MOST_BYTES >> 20));
            }
            hash.update((file.len() as u64).to_le_bytes());
            hash.update(file.as_bytes());
            hash.update((content.len() as u64).to_le_bytes());
            hash.update(&content);
            if file == FILE {
                text = String::from_utf8(content).map_err(|_| format!("{FILE} is not UTF-8"))?;
            }
        }
        let matter = FrontMatter::read(&text);
        let description = matter.get("description");
        let description =
            description.ok_or_else(|| format!("{FILE} has no description"))?.to_owned();
        let is_for_model = matter.get("disable-model-invocation") != Some("true");
        let body = matter.body.to_owned();
        files.retain(|file| file != FILE);
        let hash = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let (name, folder) = (name.to_owned(), folder.to_owned());
        Ok(Some(Self { name, description, folder, body, files, hash, is_for_model }))
    }

    /// Returns the name, which is the folder's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the purpose of the skill, and when to use it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the instructions.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Returns the paths of the other files, relative to the folder.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Returns the hash over the names and the contents of all files.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns whether the model may use the skill on its own. Otherwise only a person starts it.
    pub const fn is_for_model(&self) -> bool {
        self.is_for_model
    }

    /// Reads one of the other files.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be read, with the names of the files.
    pub fn read_file(&self, name: &str) -> Result<String, String> {
        if !self.files.iter().any(|file| file == name) {
            return Err(format!("the skill has no file {name}; it has {}", self.files.join(", ")));
        }
        let bytes =
            read_bytes(&self.folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
        String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 text"))
    }
}

/// Returns whether a text is a name of a skill.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=MOST_OF_NAME).contains(&name.len())
        && name.bytes().all(is_plain)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

/// Lists the files below a folder, without links.
fn list(folder: &Path, within: &str, depth: usize, files: &mut Vec<String>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{within}{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => {
                list(&entry.path(), &format!("{path}/"), depth + 1, files)?;
            }
            Ok(kind) if kind.is_file() => files.push(path),
            _ => {}
        }
        if files.len() > MOST_FILES {
            return Err(format!("it has more than {MOST_FILES} files"));
        }
    }
    Ok(())
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The name of the file that makes a folder a skill.
const FILE: &str = "SKILL.md";

/// The number of characters of a name.
const MOST_OF_NAME: usize = 64;

/// The number of folders below each other in a skill.
const DEEPEST: usize = 4;

/// The number of files of a skill.
const MOST_FILES: usize = 256;

/// The number of bytes of all files of a skill.
const MOST_BYTES: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(folder: &Path, text: &str) -> Result<Option<Skill>, String> {
        fs::create_dir_all(folder.join("references")).unwrap();
        fs::write(folder.join(FILE), text).unwrap();
        fs::write(folder.join("references/more.md"), "More.").unwrap();
        Skill::read(folder)
    }

    #[test]
    fn every_skill_change_changes_its_hash() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("mend-tests");
        assert!(Skill::read(&folder).unwrap().is_none());
        let text = "---\ndescription: When tests fail.\n---\nFirst read them.";
        let read = skill(&folder, text).unwrap().unwrap();
        assert_eq!((read.name(), read.body()), ("mend-tests", "First read them."));
        assert_eq!(read.files(), ["references/more.md"]);
        assert_eq!(read.read_file("references/more.md").unwrap(), "More.");
        assert!(
            read.read_file("../../etc/passwd").unwrap_err().starts_with("the skill has no file")
        );
        fs::write(folder.join("references/more.md"), "Less.").unwrap();
        assert_ne!(Skill::read(&folder).unwrap().unwrap().hash(), read.hash());
    }

    #[test]
    fn invalid_skills_are_explained() {
        let home = tempfile::tempdir().unwrap();
        let why = |name: &str, text: &str| skill(&home.path().join(name), text).unwrap_err();
        assert_eq!(why("none", "# Title"), "SKILL.md has no description");
        assert!(why("Wrong_Name", "---\ndescription: x\n---\n").starts_with("its name has"));
        assert!(why("a--b", "---\ndescription: x\n---\n").starts_with("its name has"));
    }
}
