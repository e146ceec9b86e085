//! A run's policy, combined from the flags, the person's file and the root's file.
//!
//! This module finds the policy files and checks who can write them; `silcrow_policy` interprets
//! them.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use silcrow_event::CallKind;
use silcrow_manifest::Manifest;
use silcrow_policy::{
    Confinement, GitRemotes, PermissionMode, PermissionRule, Policy, PolicyFile, PolicyOwner,
    RuleEffect, SharedPolicy,
};
use silcrow_sandbox::{SandboxLevel, repository_settings};
use silcrow_settings::{ServerNames, owned};
use silcrow_tool::Toolbox;
use silcrow_tools::Root;

use crate::error::Error;
use crate::options::PolicyOptions;
use crate::store::config_folder;
use crate::subagents::AGENT;
use crate::text_file::read_text;
use crate::workflow::WORKFLOW;

/// The policy of a run before the first call.
#[derive(Debug)]
pub struct RunPolicy {
    policy: Policy,
    /// The widest mode that the files of the project allow.
    widest: PermissionMode,
}

impl RunPolicy {
    /// Says which tools stand for something that a manifest declares.
    pub(crate) fn with_declared(self, manifest: Option<&Manifest>) -> Self {
        let declared = manifest.into_iter().flat_map(Manifest::declared);
        let with_kind = |policy: Policy, (kind, name)| policy.with_kind(name, kind);
        Self { policy: declared.fold(self.policy, with_kind), ..self }
    }

    /// Sets the level of the sandbox, which decides the doors that it can open.
    pub fn with_level(self, level: SandboxLevel) -> Self {
        let policy = match level {
            SandboxLevel::None => self.policy.with_confinement(Confinement::None),
            SandboxLevel::ContentsAndNetwork => {
                self.policy.with_confinement(Confinement::FilesAndWholeNetwork)
            }
            _ => self.policy,
        };
        Self { policy, ..self }
    }

    /// Returns the policy for all agents of a run.
    pub fn shared(self) -> SharedPolicy {
        SharedPolicy::new(self.policy).with_widest(self.widest)
    }
}

/// Returns the policy of a run whose tools see `root`.
pub fn policy<'n>(
    args: &PolicyOptions,
    allowed: impl IntoIterator<Item = &'n String>,
    root: &Path,
    tools: &Toolbox,
) -> Result<RunPolicy, Error> {
    let confinement = confinement(tools);
    let own = read_own(args.file.as_deref())?.into_iter().chain(args.own.iter().cloned());
    let theirs = read_project(&root.join(PROJECT_FILE))?;
    let theirs = theirs.into_iter().chain(args.project.iter().cloned());
    let (own, theirs): (Vec<_>, Vec<_>) = (own.collect(), theirs.collect());
    for file in own.iter().chain(&theirs) {
        check_tools(file, tools)?;
    }
    let default = match confinement {
        Confinement::FilesAndNetwork => PermissionMode::Workspace,
        _ => PermissionMode::Ask,
    };
    let policy = Policy::new(default).with_confinement(confinement).with_remotes(remotes(root));
    // Each of its actions is decided about.
    let policy = policy.with_kind(WORKFLOW, CallKind::Workflow).with_kind(AGENT, CallKind::Agent);
    // A root that cannot be resolved is an error elsewhere.
    let policy = root.canonicalize().into_iter().fold(policy, Policy::with_root);
    let policy = own.into_iter().fold(policy, Policy::with_file);
    let policy = args.permissions.into_iter().fold(policy, Policy::with_mode);
    let modes = theirs.iter().filter_map(PolicyFile::mode);
    let widest = modes.fold(PermissionMode::Full, PermissionMode::narrowed_by);
    let mut policy = theirs.into_iter().fold(policy, Policy::with_file);
    for name in allowed {
        let rule = PermissionRule::new(RuleEffect::Allow, name);
        policy = policy.with_rule(rule.map_err(|error| Error::given(error.to_string()))?);
    }
    Ok(RunPolicy { policy, widest })
}

/// Returns the tools that run without a question. Each has to exist.
pub(crate) fn allowed(
    names: &[String],
    tools: &Toolbox,
    servers: ServerNames<'_>,
) -> Result<BTreeSet<String>, Error> {
    let is_known = |name: &&String| tools.get(name).is_some() || servers.has(name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let tools: Vec<_> = tools.names().collect();
        let hint = servers.hint(name).unwrap_or_else(|| format!("use {}", tools.join(", ")));
        return Err(Error::given(format!("--allow {name}: unknown tool; {hint}")));
    }
    Ok(names.iter().cloned().collect())
}

/// Returns the line about a mode at the start of a run.
pub(crate) fn notice(mode: PermissionMode) -> String {
    format!("permissions {mode}")
}

/// Returns the line about the confinement of commands at the start of a run.
pub(crate) fn sandbox_notice(level: SandboxLevel) -> String {
    let is_open = level == SandboxLevel::FilesAndNetwork && level.reaches_new_sockets();
    let notice = level.system_notice().map_or_else(String::new, |notice| format!(" ({notice})"));
    format!("sandbox: {level}{}{notice}", if is_open { ", except new local sockets" } else { "" })
}

/// Returns a root in which the policy files are protected. `folder` is the path of the root.
pub(crate) fn protected_root(root: Root, folder: &Path) -> Root {
    let root = root.with_protected(folder.join(PROJECT_FILE), "the policy of this root");
    own_file().into_iter().fold(root, |root, file| root.with_protected(file, "your policy"))
}

/// Returns the paths of the policy files of a run in this folder, which may not exist.
pub(crate) fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    [folder.join(PROJECT_FILE)].into_iter().chain(own_file())
}

/// Returns the remotes of the repository that a folder lies in.
pub fn remotes(root: &Path) -> GitRemotes {
    let home = std::env::home_dir();
    let settings = repository_settings(root, home.as_deref());
    settings.map_or_else(GitRemotes::none, |settings| GitRemotes::parse(&settings))
}

/// Returns the confinement of these tools' commands.
fn confinement(tools: &Toolbox) -> Confinement {
    match tools.get(SHELL).map(|shell| shell.policy().sends_out) {
        Some(false) => Confinement::FilesAndNetwork,
        // If not even files are confined, the tool reports that as the risk of each call.
        Some(true) => Confinement::FilesOnly,
        None => Confinement::None,
    }
}

/// Reads the given file, or the person's own if it exists. No other user may be able to write to
/// it.
pub fn read_own(given: Option<&Path>) -> Result<Option<PolicyFile>, Error> {
    let Some(path) = given.map(Path::to_owned).or_else(own_file) else { return Ok(None) };
    let name = path.display().to_string();
    let text = path.canonicalize().and_then(|path| owned::read(&path));
    match text {
        Ok(text) => parse(&path, &text, PolicyOwner::Person).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound && given.is_none() => Ok(None),
        Err(error) => Err(Error::unreadable(&name, &error)),
    }
}

/// Reads the file of a root, if it exists.
pub fn read_project(path: &Path) -> Result<Option<PolicyFile>, Error> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        _ => parse(path, &text_of(path)?, PolicyOwner::Project).map(Some),
    }
}

/// Returns the text of a regular file that is not too long.
pub fn text_of(path: &Path) -> Result<String, Error> {
    let name = path.display().to_string();
    let found = fs::metadata(path).map_err(|error| Error::unreadable(&name, &error))?;
    if !found.is_file() || found.len() > MAX_LENGTH {
        return Err(Error::given(format!("cannot read {name}: it is not a file of at most 1 MiB")));
    }
    read_text(path)
}

/// Reads the rules of a text. Errors name the file at `path`.
///
/// # Errors
///
/// Returns an error if a rule cannot be used, or if a project's rule allows something.
pub fn parse(path: &Path, text: &str, owner: PolicyOwner) -> Result<PolicyFile, Error> {
    Ok(PolicyFile::parse(&path.display().to_string(), text, owner)?)
}

/// Returns a failure if a rule names a tool that does not exist, but resembles one.
fn check_tools(file: &PolicyFile, tools: &Toolbox) -> Result<(), Error> {
    let known: Vec<_> = tools.names().chain(BUILT_IN).collect();
    Ok(file.check_tools(&known)?)
}

/// Returns the path of the file that keeps the person's rules, which may not exist.
pub fn kept_file(args: &PolicyOptions) -> Option<PathBuf> {
    args.file.clone().or_else(own_file)
}

/// Returns the path of the person's own file, which may not exist.
pub fn own_file() -> Option<PathBuf> {
    config_folder().map(|folder| folder.join("policy.toml"))
}

/// The name of the policy file of a root.
pub const PROJECT_FILE: &str = "silcrow-policy.toml";

const SHELL: &str = "shell";

/// The names of the built-in tools. A run may have only some of them.
const BUILT_IN: [&str; 12] = [
    "file_read",
    "file_write",
    "file_edit",
    "file_replace",
    "file_list",
    "file_search",
    "web_search",
    "web_scrape",
    "recall",
    "shell",
    "shell_processes",
    WORKFLOW,
];

/// The length of the longest policy file, in bytes.
const MAX_LENGTH: u64 = 1024 * 1024;
