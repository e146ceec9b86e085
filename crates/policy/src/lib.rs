//! Decides which tool calls run, need a question, or are denied: by a mode, by rules, and by
//! parsing the words of a command.
//!
//! ```toml
//! [dependencies]
//! silcrow-tool = "0.1"
//! silcrow-policy = "0.1"
//! ```
//!
//! ```
//! use silcrow_policy::{Confinement, PermissionMode, Policy, PolicyFile, PolicyOwner};
//! use silcrow_tool::{
//!     ApprovalNeed, Permission, PermissionRequest, Permissions, Preview, ToolPolicy,
//! };
//!
//! fn main() -> Result<(), silcrow_policy::Error> {
//!     let mine = r#"
//! [[rules]]
//! effect = "deny"
//! tool = "shell"
//! command = "git push *"
//! reason = "pushing is for people"
//! "#;
//!     let policy = Policy::new(PermissionMode::Workspace)
//!         .with_confinement(Confinement::FilesAndNetwork)
//!         .with_file(PolicyFile::parse("policy.toml", mine, PolicyOwner::Person)?);
//!
//!     let decide = |tool: &str, args: &str, target: &str| {
//!         let preview = Preview::new(target).with_target(target);
//!         let changes = ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() };
//!         policy.decide(&PermissionRequest::new(tool, args, changes, &preview))
//!     };
//!     // What stays in the root or in the sandbox runs.
//!     assert_eq!(decide("file_write", r#"{"file":"a.txt"}"#, "a.txt"), Permission::Allow);
//!     assert_eq!(decide("shell", r#"{"command":"cargo test"}"#, "."), Permission::Allow);
//!     // What names a secret, or is of unknown effect, is asked about.
//!     assert!(decide("shell", r#"{"command":"cat .env"}"#, ".").is_ask());
//!     assert!(decide("send_mail", "{}", "me@example.org").is_ask());
//!     // A rule finds its command wherever the text has it, and nobody runs what ends the system.
//!     let denied = decide("shell", r#"{"command":"make && (sudo git push -f)"}"#, ".");
//!     assert!(matches!(denied, Permission::Deny(why) if why.contains("pushing is for people")));
//!     assert!(matches!(decide("shell", r#"{"command":"rm -rf /"}"#, "."), Permission::Deny(_)));
//!     Ok(())
//! }
//! ```
//!
//! A [`Policy`] implements [`Permissions`](silcrow_tool::Permissions) for a run. It checks a call
//! in this order, and the first match decides:
//!
//! ```text
//! 1  a command that never runs                denied, in every mode
//! 2  a rule denies the call                   denied
//! 3  the mode is read-only, and it changes    denied
//! 4  a rule asks about it                     asked
//! 5  the mode is full                         runs; asked to leave the sandbox
//! 6  the call has a risk, or names a secret   asked
//! 7  a rule allows it                         runs
//! 8  the mode, and the doors that it needs    runs or asked
//! ```
//!
//! A policy also limits the access of an allowed call ([`Permissions::access`]): a command that
//! runs because it is on the list of harmless ones, and every command in the mode `read-only`, may
//! only read, and its tool has to enforce that. If the tool cannot, no command counts as harmless.
//!
//! A policy also says which doors in the walls around a call open once it is allowed
//! ([`Permissions::grants`]). A table lists the doors that commands need: `git commit` needs the
//! repository's git data, and `npm install` the hosts of its registry. Doors that the call asks
//! for, or that a rule names, open too. If the call needs another door while it runs, a person is
//! asked.
//!
//! [`Permissions::access`]: silcrow_tool::Permissions::access
//! [`Permissions::grants`]: silcrow_tool::Permissions::grants
//!
//! A [`PolicyFile`] holds the rules of a person, or of a project, whose rules can only narrow. A
//! rule that denies or asks finds its words behind options, such as `git push` in `git -C sub
//! push`: a table lists the options of programs, and an unlisted option makes the call a question.
//! A rule that allows compares word for word.
//!
//! A [`SharedPolicy`] lets a person change the mode while runs use it. It can also remember that
//! they let commands leave the sandbox in the mode `full`.
//!
//! [`judge_command`] judges the text of a command without running it. Only plain commands are
//! harmless, and only if all of their words, options and arguments are on a list.
//!
//! This crate confines nothing. Even a harmless command runs in a sandbox, and a rule that denies
//! `git push` does not stop a script that pushes: rules read words, and the sandbox is the wall.
//! The crate does not ask a person and reads no files.

mod access;
mod call_doors;
mod command;
mod command_pattern;
mod doors;
mod error;
mod facts;
mod git_remotes;
mod leaving;
mod mode;
mod named_host;
mod pattern;
mod policy;
mod policy_file;
mod policy_owner;
mod proposed_rule;
mod rule;
mod shared_policy;
mod widths;

pub use command::{CommandVerdict, judge_command, needed_doors};
pub use error::{Error, ErrorKind};
pub use git_remotes::GitRemotes;
pub use leaving::LeaveQuestion;
pub use mode::{Confinement, PermissionMode};
pub use policy::Policy;
pub use policy_file::PolicyFile;
pub use policy_owner::PolicyOwner;
pub use proposed_rule::ProposedRule;
pub use rule::{PermissionRule, RuleEffect};
pub use shared_policy::SharedPolicy;
