//! Reads skills, which are folders with a `SKILL.md`, and prompt commands, which are Markdown
//! files, in the formats that several tools share.
//!
//! ```toml
//! [dependencies]
//! silcrow-skills = "0.1"
//! ```
//!
//! ```
//! use silcrow_skills::{SkillFolder, Skills};
//!
//! fn main() -> std::io::Result<()> {
//!     let home = std::env::temp_dir().join("silcrow-home");
//! # let home = std::env::temp_dir().join(format!("silcrow-skills-{}", std::process::id()));
//!     let folder = home.join("skills/release");
//!     std::fs::create_dir_all(&folder)?;
//!     let text =
//!         "---\nname: release\ndescription: How releases are made.\n---\nRun `make release`.\n";
//!     std::fs::write(folder.join("SKILL.md"), text)?;
//!
//!     let folders = [SkillFolder::of_person(home.join("skills"))];
//!     let skills = Skills::read(&folders, &|_, _| false);
//!     assert_eq!(skills.all()[0].name(), "release");
//!     assert!(skills.tool().is_some());
//! # std::fs::remove_dir_all(&home)?;
//!     Ok(())
//! }
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
//! It runs nothing: neither a skill's scripts nor commands in a text. It does not record trust or
//! ask for it: the caller says whether contents are trusted. It reads front matter as flat lines
//! and lists rather than full YAML.

mod folders;
mod front_matter;
mod prompt_command;
mod skill;
mod skill_tool;

pub use folders::{SkillFolder, Skills};
pub use prompt_command::{PromptCommand, PromptCommands};
pub use skill::Skill;
pub use skill_tool::SkillTool;
