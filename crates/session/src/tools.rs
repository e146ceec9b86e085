//! The built-in tools, and the folder that they see.
//!
//! This module protects the person's own files from the tools.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use silcrow_environment::key_files;
use silcrow_event::error_chain;
use silcrow_recall::Recall;
use silcrow_settings::{
    DeclaredServer, Environment, PROJECT_FOLDER, TrustRecord, made_start_folders, own_path, owned,
    start_folders,
};
use silcrow_shell::{Sandbox, SandboxLevel, SandboxOptions, Shell, ShellProcesses};
use silcrow_tool::{DuplicateTool, Toolbox};
use silcrow_tools::{
    ChangeJournal, FileEdit, FileList, FileRead, FileReplace, FileSearch, FileWrite, Root, Todo,
    is_secret_path, secret_attributes, start_names,
};

use crate::conversation_media::ConversationMedia;
use crate::decoder::ConfinedDecoder;
use crate::error::Error;
use crate::model;
use crate::options::WebOptions;
use crate::policy;
use crate::servers::login_folder;
use crate::store::{LateStore, StorePlace, state_folder};
use crate::web;

/// Opens the folder that the built-in tools see.
pub fn root(path: &Path) -> Result<Root, Error> {
    Root::open(path).map_err(|error| Error::given(error_chain(&error)))
}

/// Opens the folder, and protects the store, the record of trusted files, the policy files, the
/// settings, and the start files of the person's home.
pub fn protected_root(path: &Path, place: &StorePlace) -> Result<Root, Error> {
    let mut root = place.hidden_from(root(path)?);
    if let Ok(record) = TrustRecord::find() {
        root = root.with_protected(record.folder(), "the record of trusted manifests");
    }
    if let Ok(logins) = login_folder() {
        root = root.with_private(logins, "the logins at MCP servers");
    }
    if let Some(folders) = start_folders() {
        root = root.with_private(folders, "the folder in which MCP servers start");
    }
    if let Some(home) = env::home_dir() {
        root = root.with_home(home);
    }
    let root = policy::protected_root(root, path);
    let settings = protected_paths(path);
    Ok(settings.fold(root, |root, (path, what)| root.with_protected(path, what)))
}

/// Protects the files of the root that servers run when they start, and returns them.
pub fn with_server_files(
    mut root: Root,
    servers: &[DeclaredServer],
    folder: &Path,
) -> (Root, Vec<PathBuf>) {
    let mut files = Vec::new();
    for server in servers.iter().filter(|server| !server.is_off) {
        if server.program().is_some() {
            // If it cannot be made, the server does not start, and reports the error.
            let _ = made_start_folders();
        }
        for file in server.files_in(folder) {
            let what = format!("a file that the MCP server {} runs when it starts", server.name);
            root = root.with_protected(&file, what);
            files.push(file);
        }
    }
    for file in model::key_command_files(folder) {
        root = root.with_protected(&file, "a file of the command that prints a key");
        files.push(file);
    }
    (root, files)
}

/// The folder and the services of the built-in tools.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers decide about all of them")]
pub struct ToolSettings<'a> {
    /// The folder that they see.
    pub root: &'a Root,
    /// The path of the root.
    pub folder: &'a Path,
    /// The place of the store, which they do not see.
    pub place: &'a StorePlace,
    /// Files that commands may not change, such as the manifest of the run.
    pub protected: Vec<PathBuf>,
    /// Files that commands may not read, such as tokens and keys.
    pub hidden: &'a [PathBuf],
    /// Keeps the changes of files, for undo.
    pub journal: Option<ChangeJournal>,
    /// The way of the web tools to pages.
    pub web: &'a WebOptions,
    /// The store that `recall` searches.
    pub store: LateStore,
    /// Whether nothing confines commands, because the person wants that.
    pub is_sandbox_off: bool,
    /// The program that is started to confine commands, if it is not this one.
    pub sandbox_helper: Option<&'a Path>,
    /// Whether the agent works on code, and has the tools for long tasks.
    pub codes: bool,
}

/// The built-in tools.
///
/// ```
/// use silcrow_session::tools::BuiltInTools;
///
/// let folder = tempfile::tempdir()?;
/// let tools = BuiltInTools::to_list(folder.path())?;
/// assert!(tools.toolbox.get("file_read").is_some());
/// // A list needs no sandbox.
/// assert_eq!(tools.level.to_string(), "none");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct BuiltInTools {
    /// The tools by their names.
    pub toolbox: Toolbox,
    /// The level of the sandbox around the commands of `shell`.
    pub level: SandboxLevel,
    /// The sandbox of these commands.
    pub sandbox: Arc<Sandbox>,
    /// The commands that run in the background.
    pub processes: ShellProcesses,
}

impl BuiltInTools {
    /// Makes the tools of a run.
    pub fn new(settings: ToolSettings<'_>) -> Result<Self, Error> {
        let shell = match settings.is_sandbox_off {
            true => Sandbox::unconfined(settings.sandbox()).map(Shell::new),
            false => Shell::open(settings.with_trial_memory(settings.sandbox())),
        };
        let shell = shell.map_err(|error| {
            Error::failed(format!("the shell cannot be set up: {}", error_chain(&error)))
        })?;
        Self::with_shell(settings, shell)
    }

    /// Makes tools for display only: none of them may run.
    pub fn to_list(folder: &Path) -> Result<Self, Error> {
        let (root, place) = (root(folder)?, StorePlace::Memory);
        let settings = ToolSettings {
            root: &root,
            folder,
            place: &place,
            protected: Vec::new(),
            hidden: &[],
            journal: None,
            web: &WebOptions::default(),
            store: LateStore::default(),
            is_sandbox_off: false,
            sandbox_helper: None,
            codes: true,
        };
        let sandbox = Sandbox::unconfined(settings.sandbox());
        let sandbox = sandbox.map_err(|error| Error::failed(error_chain(&error)))?;
        Self::with_shell(settings, Shell::new(sandbox))
    }

    fn with_shell(settings: ToolSettings<'_>, shell: Shell) -> Result<Self, Error> {
        let (sandbox, processes) = (shell.shared_sandbox(), shell.processes());
        let toolbox = settings.toolbox(shell)?;
        Ok(Self { toolbox, level: sandbox.level(), sandbox, processes })
    }
}

impl ToolSettings<'_> {
    fn toolbox(self, shell: Shell) -> Result<Toolbox, Error> {
        let root = self.root;
        let (mut read, mut write) = (FileRead::new(root), FileWrite::new(root));
        let (mut edit, mut replace) = (FileEdit::new(root), FileReplace::new(root));
        if let Some(spills) = self.place.spills() {
            read = read.with_spills(spills);
        }
        if let Some(journal) = &self.journal {
            read = read.with_journal(journal);
            write = write.with_journal(journal);
            replace = replace.with_journal(journal);
            edit = edit.with_journal(journal);
        }
        let shell = match &self.journal {
            Some(journal) => shell.with_keeper(Arc::new(journal.keeper(root))),
            None => shell,
        };
        let decoder = Arc::new(ConfinedDecoder { is_sandbox_off: self.is_sandbox_off });
        let read = read.with_kept_media(Arc::new(ConversationMedia(self.store.clone())));
        let read = read.with_decoder(decoder.clone());
        let mut tools = Toolbox::new();
        let twice = |error: DuplicateTool| Error::failed(error.to_string());
        tools.add(FileList::new(root)).map_err(twice)?;
        tools.add(read).map_err(twice)?;
        tools.add(FileSearch::new(root)).map_err(twice)?;
        tools.add(write).map_err(twice)?;
        tools.add(edit).map_err(twice)?;
        tools.add(replace).map_err(twice)?;
        tools.add(shell.processes()).map_err(twice)?;
        tools.add(shell).map_err(twice)?;
        web::add_tools(&mut tools, self.web, decoder)?;
        if self.codes {
            tools.add(Todo::new()).map_err(twice)?;
        }
        tools.add(Recall::new(self.store)).map_err(twice)?;
        Ok(tools)
    }

    /// Records in a file the folders in which the sandbox works, so that a run does not wait for
    /// the trial. A run with a store in memory leaves no file behind, and waits.
    fn with_trial_memory(&self, options: SandboxOptions) -> SandboxOptions {
        let folder = self.place.folder().and_then(|_| state_folder());
        let folder = folder.map(|folder| folder.join("silcrow-sandbox"));
        match folder.filter(|folder| owned::make_folder(folder).is_ok()) {
            Some(folder) => options.with_trial_memory(folder.join("trials")),
            None => options,
        }
    }

    /// Returns the access of commands to files.
    fn sandbox(&self) -> SandboxOptions {
        let record = TrustRecord::find().ok().map(|record| record.folder().to_owned());
        let protected = self.protected.iter().cloned().chain(record);
        let settings = protected_paths(self.folder).map(|(path, _)| path);
        let protected = protected.chain(policy::files(self.folder)).chain(settings).map(absolute);
        let protected = protected.chain(self.root.protected_paths());
        let options = SandboxOptions::new(self.folder).with_repository().with_protected(".git");
        let options = self.sandbox_helper.into_iter().fold(options, SandboxOptions::with_helper);
        let options = options.with_secret_names(is_secret_path);
        let options = options.with_secret_attributes(secret_attributes());
        let options = start_names().fold(options, SandboxOptions::with_protected_name);
        let options = protected.fold(options, SandboxOptions::with_protected);
        let of_servers = login_folder().ok().into_iter().chain(start_folders());
        let environment = Environment::process();
        let keys = key_files(&environment);
        let hidden = self.place.folder().map(Path::to_owned).into_iter().chain(of_servers);
        let hidden = hidden.chain(keys).chain(self.hidden.iter().cloned());
        hidden.map(absolute).fold(options, SandboxOptions::with_hidden)
    }
}

/// Returns a path of the person, which is relative to the current folder and not to the root.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// Returns the paths that tools do not change: the folder of the project's settings in this root,
/// and the person's own file. They may not exist.
fn protected_paths(root: &Path) -> impl Iterator<Item = (PathBuf, &'static str)> {
    let project = (root.join(PROJECT_FOLDER), "the settings of this root");
    let own = own_path(&Environment::process());
    [project].into_iter().chain(own.map(|path| (path, "your settings")))
}
