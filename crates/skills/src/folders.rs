//! The skills of several folders. The first one with a name counts.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use silcrow_sanitize::sanitize_line;

use crate::skill::Skill;
use crate::skill_tool::SkillTool;

/// A folder that contains skills as folders.
///
/// ```
/// use silcrow_skills::{SkillFolder, Skills};
///
/// # let home = tempfile::tempdir().unwrap();
/// let folder = home.path().join("app/.agents/skills/deploy");
/// std::fs::create_dir_all(&folder)?;
/// let text = "---\nname: deploy\ndescription: How to deploy the app.\n---\nRun `make deploy`.\n";
/// std::fs::write(folder.join("SKILL.md"), text)?;
///
/// let folders = [SkillFolder::of_project(home.path().join("app/.agents/skills"))];
/// let skills = Skills::read(&folders, &|_, _| false);
/// assert!(skills.all().is_empty());
/// // A person looks at it, and trusts these contents and no others.
/// let hash = skills.untrusted()[0].hash().to_owned();
/// let skills = Skills::read(&folders, &|_, contents| contents == hash);
/// assert_eq!(skills.find("deploy").unwrap().name(), "deploy");
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFolder {
    path: PathBuf,
    is_own: bool,
}

impl SkillFolder {
    /// Returns a folder of the person, whose skills count.
    pub const fn of_person(path: PathBuf) -> Self {
        Self { path, is_own: true }
    }

    /// Returns a folder that others may have written. Its skills count if they are trusted.
    pub const fn of_project(path: PathBuf) -> Self {
        Self { path, is_own: false }
    }
}

/// The skills that count, and notices about others.
///
/// ```
/// use silcrow_skills::{SkillFolder, Skills};
///
/// # let home = tempfile::tempdir()?;
/// # let home = home.path();
/// std::fs::create_dir_all(home.join("release"))?;
/// let text = "---\nname: release\ndescription: How releases are made.\n---\nRun `make`.\n";
/// std::fs::write(home.join("release/SKILL.md"), text)?;
///
/// // Nobody has said yet that this project is trusted.
/// let skills = Skills::read(&[SkillFolder::of_project(home.to_owned())], &|_, _| false);
/// assert!(skills.all().is_empty());
/// assert_eq!(skills.untrusted()[0].name(), "release");
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone, Default)]
pub struct Skills {
    skills: Arc<[Arc<Skill>]>,
    untrusted: Vec<Arc<Skill>>,
    notices: Vec<String>,
}

impl Skills {
    /// Reads the skills of folders, the nearest folder first. `is_trusted` says whether a person trusts a path
    /// with contents of this hash.
    ///
    /// The crate's first page has an example.
    pub fn read(folders: &[SkillFolder], is_trusted: &dyn Fn(&Path, &str) -> bool) -> Self {
        let (mut skills, mut untrusted, mut notices) =
            (Vec::<Arc<Skill>>::new(), Vec::new(), Vec::new());
        for SkillFolder { path, is_own } in folders {
            let entries = fs::read_dir(path).into_iter().flatten().flatten().take(MOST_FOLDERS);
            let is_folder =
                |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
            let mut found: Vec<_> = entries.filter(is_folder).map(|entry| entry.path()).collect();
            found.sort();
            for folder in found {
                let shown = sanitize_line(&folder.to_string_lossy()).into_owned();
                match Skill::read(&folder) {
                    Ok(None) => {}
                    Ok(Some(skill)) if skills.iter().any(|known| known.name() == skill.name()) => {
                        notices.push(format!("skills: {shown} is left out: there is a nearer one"));
                    }
                    Ok(Some(skill)) if *is_own || is_trusted(&folder, skill.hash()) => {
                        skills.push(Arc::new(skill));
                    }
                    Ok(Some(skill)) => untrusted.push(Arc::new(skill)),
                    Err(why) => notices.push(format!("skills: {shown} is left out: {why}")),
                }
            }
        }
        Self { skills: skills.into(), untrusted, notices }
    }

    /// Returns the skills that count.
    pub fn all(&self) -> &[Arc<Skill>] {
        &self.skills
    }

    /// Returns the skills of an untrusted project.
    pub fn untrusted(&self) -> &[Arc<Skill>] {
        &self.untrusted
    }

    /// Returns the lines about skills that cannot be used.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Returns the skill with a name.
    pub fn find(&self, name: &str) -> Option<&Arc<Skill>> {
        self.skills.iter().find(|skill| skill.name() == name)
    }

    /// Returns the tool for using the skills, if the model may use any.
    pub fn tool(&self) -> Option<SkillTool> {
        let is_any = self.skills.iter().any(|skill| skill.is_for_model());
        is_any.then(|| SkillTool::new(Arc::clone(&self.skills)))
    }
}

impl fmt::Debug for Skills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.skills.iter().map(|skill| skill.name()).collect();
        f.debug_struct("Skills").field("names", &names).finish_non_exhaustive()
    }
}

/// The number of folders that are checked in one.
const MOST_FOLDERS: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, about: &str) {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), format!("---\ndescription: {about}\n---\n")).unwrap();
    }

    #[test]
    fn nearest_trusted_skill_wins() {
        let home = tempfile::tempdir().unwrap();
        let (project, own) = (home.path().join("project"), home.path().join("own"));
        write(&project, "release", "That of the project.");
        write(&project, "strange", "From a stranger.");
        write(&own, "release", "Mine.");
        write(&own, "Wrong", "x");
        let folders = [SkillFolder::of_project(project.clone()), SkillFolder::of_person(own)];
        let trusts = |path: &Path, _: &str| path == project.join("release");
        let skills = Skills::read(&folders, &trusts);
        assert_eq!(skills.find("release").unwrap().description(), "That of the project.");
        assert_eq!(skills.all().len(), 1);
        assert_eq!(skills.untrusted()[0].name(), "strange");
        assert_eq!(skills.notices().len(), 2, "{:?}", skills.notices());
        let none = Skills::read(&folders, &|_, _| false);
        assert_eq!(none.find("release").unwrap().description(), "Mine.");
    }
}
