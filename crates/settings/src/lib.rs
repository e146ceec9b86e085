//! Resolves an agent's settings from files, environment and defaults to one value, with the source
//! of each.
//!
//! ```toml
//! [dependencies]
//! silcrow-settings = "0.1"
//! tempfile = "3"
//! ```
//!
//! A server, an editor or another command can use the settings that a person has already written
//! for `silcrow`, with the same limits for projects. This program prints a folder's settings with
//! their sources:
//!
//! ```
//! use std::path::PathBuf;
//!
//! use silcrow_settings::{Environment, FileSettings, GivenSettings, Settings};
//!
//! fn main() -> Result<(), silcrow_settings::Error> {
//! # let home = tempfile::tempdir().unwrap();
//! # let project_root = home.path().join("project");
//! # std::fs::create_dir_all(project_root.join(".silcrow")).unwrap();
//! # std::fs::create_dir_all(home.path().join("silcrow")).unwrap();
//! # let own = "model = \"anthropic:claude-sonnet-4-5\"\n[mcp.time]\ncommand = \"uvx mcp-server-time\"\n";
//! # std::fs::write(home.path().join("silcrow/config.toml"), own).unwrap();
//! # let project = "tools = { except = [\"shell\"] }\nstore = \"/tmp/theirs\"\n";
//! # std::fs::write(project_root.join(".silcrow/config.toml"), project).unwrap();
//! # let variables = [("XDG_CONFIG_HOME", home.path()), ("HOME", home.path())];
//! # let of_process = || Environment::from_vars(variables);
//!     let root = PathBuf::from(".");
//! # let root = project_root;
//!     let environment = Environment::process();
//! # let environment = of_process();
//!     let files = FileSettings::load(&environment, &root, None)?;
//!     for entry in files.entries() {
//!         println!("{entry}"); // model = anthropic:claude-sonnet-4-5 (/home/ada/.config/silcrow/config.toml:1)
//!     }
//!     for file in files.untrusted() {
//!         println!("{} is not trusted, so a part of it does not count", file.name());
//!     }
//!
//!     // Here the person's file names a model and a server, and the project's leaves out `shell`.
//!     // What a request asks for counts before all files, and a project narrows it all the same.
//!     let mut given = GivenSettings::default();
//!     given.tools = Some("file_read,shell".parse().unwrap());
//!     let settings = Settings::resolve(given, &files);
//!     assert!(settings.tools.offers("file_read") && !settings.tools.offers("shell"));
//!     assert_eq!(settings.model.unwrap().value, "anthropic:claude-sonnet-4-5");
//!     assert_eq!(settings.servers[0].name, "time");
//!     // The project cannot move the conversations elsewhere unless the person trusts its file.
//!     assert!(settings.store.is_none());
//! # assert!(files.entries().iter().any(|entry| entry.to_string().ends_with("config.toml:1, narrows)")));
//! # assert_eq!(files.untrusted().count(), 1);
//!     Ok(())
//! }
//! ```
//!
//! Each key is looked up in this order:
//!
//! ```text
//! 1  what the caller gives            GivenSettings: flags, or what an editor asks for
//! 2  the environment                  SILCROW_MODEL, SILCROW_SEARCH, SILCROW_PRICES
//! 3  the profile                      [profiles.NAME] in the person's file
//! 4  the files of the project         .silcrow/config.toml, from the root up to its repository
//! 5  the person's own file            $XDG_CONFIG_HOME/silcrow/config.toml
//! ```
//!
//! A project may be written by anybody. Its file may set harmless keys, such as the dialect, and
//! can only narrow tools and permissions ([`ProjectRight`]). Keys that decide where words and files
//! are sent, kept or read count once the person trusts the file's contents
//! ([`FileSettings::load_asking`], [`TrustRecord`]). No file holds an API key: a value that looks
//! like one is an error that names the variable to use.
//!
//! The crate also contains tools around settings: [`SettingsEditor`] changes a file and keeps its
//! comments, [`KeptRules`] stores the answer "always" in the person's policy file,
//! [`known_secrets`] returns the secrets to mask, and a [`DeclaredServer`] is an MCP server as
//! declared in a file, with its program's environment and the files of the root that it runs.
//!
//! This crate does *not* open a model, a store or a server, and has no command-line flags. It
//! prints nothing and asks nobody: a caller passes a function that does.
//!
//! `silcrow config` lists the keys and their values.

mod error;
mod file_folder;
mod files;
mod folders;
mod given;
mod header_name;
mod import;
mod kept_rules;
mod known_secrets;
mod mcp;
mod model_setting;
pub mod owned;
mod price_table;
mod resolve;
mod sampling_settings;
mod settings;
mod source;
mod text;
mod toml_source;
mod tool_choice;
mod tool_policies;
mod trust_record;

pub use error::{Error, ErrorKind};
pub use files::{
    FileSettings, PROJECT_FOLDER, ProjectRight, SettingEntry, SettingKey, SettingValue,
    SettingsEditor, TrustedFile, UntrustedFile, own_path, project_path,
};
pub use folders::{config_folder, data_folder, project_folders, state_folder};
pub use given::GivenSettings;
pub use import::{ForeignItem, ForeignTool, ImportPlan};
pub use kept_rules::KeptRules;
pub use known_secrets::{known_secrets, known_secrets_with};
pub use mcp::{
    DeclaredHeader, DeclaredPlace, DeclaredProgram, DeclaredServer, DeclaredText, HeaderText,
    ProgramStart, ServerNames, command_files, is_code, is_url, made_start_folders, stands_for,
    start_folders,
};
pub use model_setting::ModelSetting;
pub use price_table::{parse_price_table, price_table};
pub use sampling_settings::SamplingSettings;
pub use settings::{InstructionSettings, PolicySettings, PriceSetting, ProxySettings, Settings};
pub use silcrow_environment::Environment;
pub use source::{SettingSource, Sourced};
pub use toml_source::TomlSource;
pub use tool_choice::{OfferedTools, ToolChoice};
pub use tool_policies::ToolPolicies;
pub use trust_record::{TrustRecord, TrustStatus, hash};
