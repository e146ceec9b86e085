//! The skills and the prompt commands of a session: the person's, and the project's that the person
//! trusts.
//!
//! This module finds the folders; `silcrow_skills` reads them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use silcrow_settings::{DeclaredServer, TrustRecord, TrustStatus};
use silcrow_skills::{PromptCommands, SkillFolder, Skills};

use crate::built_in_prompts;
use crate::error::Error;
use crate::options::InstructionOptions;
use crate::prompt::{AttachedSource, Attachment, PromptDraft};
use crate::store::config_folder;

/// The skills and the commands of a session.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SessionSkills {
    /// The skills.
    pub skills: Skills,
    /// The commands.
    pub commands: Arc<PromptCommands>,
}

/// A name that begins a prompt: of a command, of a skill, or of a built-in command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedPrompt<'a> {
    /// The name, without a slash.
    pub name: &'a str,
    /// A few words about its purpose.
    pub about: &'a str,
    /// The words that a command takes, as a person reads them, if its file says so.
    pub hint: Option<&'a str>,
}

impl SessionSkills {
    /// Reads those that count. `folders` are the project's, the nearest first.
    pub(crate) fn read(options: &InstructionOptions, folders: &[PathBuf]) -> Self {
        if !options.reads_files {
            return Self::default();
        }
        let project = if options.reads_project { folders } else { &[] };
        let skills = Skills::read(&skill_folders(project), &is_trusted);
        let commands = PromptCommands::read(&command_folders(project), &is_trusted);
        Self { skills, commands: Arc::new(commands) }
    }

    /// Reads those that count in a project. `folders` are its folders, the nearest first.
    pub fn of_project(folders: &[PathBuf]) -> Self {
        let (given, reads_files, reads_project) = (None, true, true);
        Self::read(&InstructionOptions { given, reads_files, reads_project }, folders)
    }

    /// Begins the prompt of a command with these words, or one that starts a skill. Files that it names are
    /// relative to `root`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is neither, and for files that cannot be used.
    pub fn draft(
        &self,
        name: &str,
        words: &str,
        root: &Path,
        servers: &[DeclaredServer],
    ) -> Result<PromptDraft, Error> {
        if let Some(command) = self.commands.find(name) {
            return PromptDraft::typed(&command.expand(words), root, servers);
        }
        let skill = self.skills.find(name);
        if let (None, Some(draft)) = (skill, built_in_prompts::draft(name, words, root, servers)) {
            return draft;
        }
        let Some(skill) = skill else {
            return Err(Error::given(format!(
                "unknown command or skill {name}; silcrow skills lists them"
            )));
        };
        let words = format!("/{name} {words}\n\nUse the skill `{name}`, which is below.");
        let mut draft = PromptDraft::typed(&words, root, servers)?;
        let (name, text) = (name.to_owned(), skill.body().to_owned());
        draft.add([Attachment { name, what: AttachedSource::Skill, text, medium: None }]);
        Ok(draft)
    }

    /// Returns all names that [`draft`](Self::draft) accepts, each once.
    ///
    /// ```
    /// use silcrow_session::SessionSkills;
    ///
    /// let skills = SessionSkills::default();
    /// let prompts = skills.prompts();
    /// assert!(prompts.iter().any(|prompt| prompt.name == "review"));
    /// ```
    pub fn prompts(&self) -> Vec<NamedPrompt<'_>> {
        let commands = self.commands.all().iter();
        let commands = commands.map(|one| NamedPrompt {
            name: one.name(),
            about: one.about(),
            hint: Some(one.hint()).filter(|hint| !hint.is_empty()),
        });
        let skills = self.skills.all().iter();
        let skills = skills.map(|one| NamedPrompt {
            name: one.name(),
            about: one.description(),
            hint: None,
        });
        let built_in = Self::built_in();
        let built_in = built_in.map(|(name, about)| NamedPrompt { name, about, hint: None });
        let mut prompts = Vec::<NamedPrompt<'_>>::new();
        for prompt in commands.chain(skills).chain(built_in) {
            if prompts.iter().all(|known| known.name != prompt.name) {
                prompts.push(prompt);
            }
        }
        prompts
    }

    /// Returns whether [`draft`](Self::draft) accepts a name.
    pub fn has(&self, name: &str) -> bool {
        let is_built_in = Self::built_in().any(|(built_in, _)| built_in == name);
        is_built_in || self.commands.find(name).is_some() || self.skills.find(name).is_some()
    }

    /// Returns the names of the built-in commands, each with a few words about it.
    pub fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
        built_in_prompts::BUILT_IN.into_iter()
    }

    /// Returns the lines about skills that are left out.
    pub fn notices(&self) -> Vec<String> {
        let (skills, commands) = (self.skills.untrusted(), self.commands.untrusted());
        let skills = skills.iter().map(|skill| skill.name());
        let commands = commands.iter().map(|command| command.name());
        let left_out = [("skills", skills.collect::<Vec<_>>()), ("commands", commands.collect())];
        let left_out = left_out.into_iter().filter(|(_, names)| !names.is_empty());
        let left_out = left_out.map(|(what, names)| {
            format!(
                "{what} of the project are left out: {}; read them, then run silcrow config trust",
                names.join(", ")
            )
        });
        left_out.chain(self.skills.notices().iter().cloned()).collect()
    }
}

/// Trusts the contents that the skills and the commands of a project have now, and returns a line for each.
///
/// # Errors
///
/// Returns an error if the record of trust cannot be used.
pub fn trust_skills(folders: &[PathBuf]) -> Result<Vec<String>, Error> {
    let record = TrustRecord::find()?;
    let mut lines = Vec::new();
    for (path, hash) in of_project(folders) {
        record.trust(&path, &hash)?;
        lines.push(format!("{} is trusted until it changes", path.display()));
    }
    Ok(lines)
}

/// Ends the trust in the skills and the commands of a project, and returns a line for each that was
/// trusted.
///
/// # Errors
///
/// Returns an error if the record of trust cannot be used.
pub fn revoke_skills(folders: &[PathBuf]) -> Result<Vec<String>, Error> {
    let record = TrustRecord::find()?;
    let mut lines = Vec::new();
    for (path, _) in of_project(folders) {
        if record.revoke(&path)? {
            lines.push(format!("{} is no longer trusted", path.display()));
        }
    }
    Ok(lines)
}

/// Returns the paths of the skills and the commands of a project, with the hashes of their contents.
fn of_project(folders: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let own: Vec<_> = folders.iter().flat_map(|folder| below(folder, &SKILLS)).collect();
    let skills =
        Skills::read(&own.into_iter().map(SkillFolder::of_project).collect::<Vec<_>>(), &|_, _| {
            false
        });
    let own = folders.iter().flat_map(|folder| below(folder, &COMMANDS));
    let commands =
        PromptCommands::read(&own.map(|folder| (folder, false)).collect::<Vec<_>>(), &|_, _| false);
    let skills =
        skills.untrusted().iter().map(|one| (one.folder().to_owned(), one.hash().to_owned()));
    let commands =
        commands.untrusted().iter().map(|one| (one.path().to_owned(), one.hash().to_owned()));
    skills.chain(commands).collect()
}

fn skill_folders(project: &[PathBuf]) -> Vec<SkillFolder> {
    let of_project = project.iter().flat_map(|folder| below(folder, &SKILLS));
    let own = config_folder().map(|folder| folder.join("skills"));
    let home = std::env::home_dir().into_iter().flat_map(|home| below(&home, &SKILLS[1..]));
    let own = own.into_iter().chain(home).map(SkillFolder::of_person);
    of_project.map(SkillFolder::of_project).chain(own).collect()
}

fn command_folders(project: &[PathBuf]) -> Vec<(PathBuf, bool)> {
    let of_project = project.iter().flat_map(|folder| below(folder, &COMMANDS));
    let own = config_folder().map(|folder| folder.join("commands"));
    let others = [".claude/commands", ".config/opencode/commands"];
    let home = std::env::home_dir().into_iter().flat_map(move |home| below(&home, &others));
    let own = own.into_iter().chain(home).map(|folder| (folder, true));
    of_project.map(|folder| (folder, false)).chain(own).collect()
}

fn below(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| folder.join(name)).collect()
}

/// Returns whether the person trusts contents. Without a record nothing is trusted.
fn is_trusted(path: &Path, hash: &str) -> bool {
    let standing = TrustRecord::find().and_then(|record| record.standing(path, hash));
    matches!(standing, Ok(TrustStatus::Trusted))
}

/// The folders of skills in a folder of a project. All but the first are also folders in a home.
const SKILLS: [&str; 3] = [".silcrow/skills", ".agents/skills", ".claude/skills"];

/// The folders of commands in a folder of a project.
const COMMANDS: [&str; 3] = [".silcrow/commands", ".claude/commands", ".opencode/commands"];
