//! Reads skills and prompt commands: folders with `SKILL.md`, and Markdown files, as several tools have them.
//!
//! ```toml
//! [dependencies]
//! silcrow-skills = "0.1"
//! ```
//!
//! ```
//! use silcrow_skills::{SkillFolder, Skills};
//!
//! # let home = std::env::temp_dir().join(format!("silcrow-skills-{}", std::process::id()));
//! let folder = home.join("skills/release");
//! std::fs::create_dir_all(&folder)?;
//! let text = "---\nname: release\ndescription: How releases are made.\n---\nRun `make release`.\n";
//! std::fs::write(folder.join("SKILL.md"), text)?;
//!
//! let folders = [SkillFolder::of_person(home.join("skills"))];
//! let skills = Skills::read(&folders, &|_, _| false);
//! assert_eq!(skills.all()[0].name(), "release");
//! assert!(skills.tool().is_some());
//! # std::fs::remove_dir_all(&home)?;
//! # std::io::Result::Ok(())
//! ```
//!
//! ```text
//! SKILL.md ─► name, description ─► the description of the tool `skill`, in each request
//!             instructions, files ─► the results of its calls, when the model wants them
//! NAME.md  ─► PromptCommand ─► a prompt, with the words of the person in it
//! ```
//!
//! # What it does not do
//!
//! It runs nothing: neither scripts of a skill nor commands in a text. It keeps no record of what a person
//! trusts, and asks nobody: the caller says whether contents are trusted. It reads front matter as flat lines
//! and lists, and not all of YAML.

mod folders;
mod front_matter;
mod prompt_command;
mod skill;
mod skill_tool;

pub use folders::{SkillFolder, Skills};
pub use prompt_command::{PromptCommand, PromptCommands};
pub use skill::Skill;
pub use skill_tool::SkillTool;
