//! Settings of agents: files, environment and defaults resolved to one value, each with its source.
//!
//! ```toml
//! [dependencies]
//! silcrow-settings = "0.1"
//! tempfile = "3"
//! ```
//!
//! A server, an editor or another command has the settings that the person has already written for
//! `silcrow`, with the same rules about what a project may say. This program prints the settings of a
//! folder, each with its source:
//!
//! ```
//! use silcrow_settings::{Environment, FileSettings, GivenSettings, Settings};
//!
//! # let home = tempfile::tempdir().unwrap();
//! # let root = home.path().join("project");
//! # std::fs::create_dir_all(root.join(".silcrow")).unwrap();
//! # std::fs::create_dir_all(home.path().join("silcrow")).unwrap();
//! # let own = "model = \"anthropic:claude-sonnet-4-5\"\n[mcp.time]\ncommand = \"uvx mcp-server-time\"\n";
//! # std::fs::write(home.path().join("silcrow/config.toml"), own).unwrap();
//! # let project = "tools = { except = [\"shell\"] }\nstore = \"/tmp/theirs\"\n";
//! # std::fs::write(root.join(".silcrow/config.toml"), project).unwrap();
//! # let variables = [("XDG_CONFIG_HOME", home.path()), ("HOME", home.path())];
//! # let of_process = || Environment::of(variables);
//! let environment = Environment::process();
//! # let environment = of_process();
//! let files = FileSettings::load(&environment, &root, None)?;
//! for entry in files.entries() {
//!     println!("{entry}"); // model = anthropic:claude-sonnet-4-5 (/home/ada/.config/silcrow/config.toml:1)
//! }
//! for file in files.untrusted() {
//!     println!("{} is not trusted, so a part of it does not count", file.name());
//! }
//!
//! // What a request asks for counts before all files, and a project narrows it all the same.
//! let mut given = GivenSettings::default();
//! given.tools = Some("file_read,shell".parse().unwrap());
//! let settings = Settings::resolve(given, &files);
//! assert!(settings.tools.offers("file_read") && !settings.tools.offers("shell"));
//! assert_eq!(settings.model.unwrap().value, "anthropic:claude-sonnet-4-5");
//! assert_eq!(settings.servers[0].name, "time");
//! // The project cannot move the conversations elsewhere unless the person trusts its file.
//! assert!(settings.store.is_none());
//! # assert!(files.entries().iter().any(|entry| entry.to_string().ends_with("config.toml:1, narrows)")));
//! # assert_eq!(files.untrusted().count(), 1);
//! # Ok::<(), silcrow_settings::Error>(())
//! ```
//!
//! What counts for a key is, in this order:
//!
//! ```text
//! 1  what the caller gives            GivenSettings: flags, or what an editor asks for
//! 2  the environment                  SILCROW_MODEL, SILCROW_SEARCH, SILCROW_PRICES
//! 3  the profile                      [profiles.NAME] in the person's file
//! 4  the files of the project         .silcrow/config.toml, from the root up to its repository
//! 5  the person's own file            $XDG_CONFIG_HOME/silcrow/config.toml
//! ```
//!
//! A project can come from anybody. Its file may set what harms nobody, such as the dialect, and can only
//! narrow tools and permissions ([`ProjectRight`]). Its choice of where words and files are sent, kept or read
//! counts once the person trusts its contents ([`FileSettings::load_asking`], [`TrustRecord`]). No file
//! holds a key: a value that looks like one is an error that names the variable for it.
//!
//! The crate also has what is about settings beside their values: [`SettingsEditor`] changes a file and
//! keeps its comments, [`KeptRules`] keeps the answer "always" in the person's policy file,
//! [`known_secrets`] returns what must not be shown, and a [`DeclaredServer`] is an MCP server as a file
//! declares it, with what its program gets and which files of the root it runs.
//!
//! This crate does *not* open a model, a store or a server, and does not know the flags of any command. It
//! prints nothing, and asks nobody: a caller passes a function that does.
//!
//! The keys and their values are those that `silcrow config` shows.

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
pub use price_table::{parse_price_table, price_table};
pub use sampling_settings::SamplingSettings;
pub use settings::{InstructionSettings, PolicySettings, PriceSetting, ProxySettings, Settings};
pub use silcrow_environment::Environment;
pub use source::{SettingSource, Sourced};
pub use toml_source::TomlSource;
pub use tool_choice::{OfferedTools, ToolChoice};
pub use tool_policies::ToolPolicies;
pub use trust_record::{TrustRecord, TrustStatus, hash};
