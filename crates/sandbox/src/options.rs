//! The choices of a caller about a sandbox.

use std::path::{Path, PathBuf};

use crate::default_paths;
use crate::level::SandboxLayers;
use crate::limits::ResourceLimits;
use crate::settings_files::SettingsFiles;
use crate::system;

/// The choices about a sandbox: where commands may write and read, and within which limits.
///
/// Each method adds to the defaults, which let commands write beneath the root and in a temporary
/// folder of the sandbox, and read the system and the toolchains of the user.
///
/// ```
/// use silcrow_sandbox::{Sandbox, SandboxOptions};
///
/// let cache = tempfile::tempdir()?;
/// let options = SandboxOptions::new(".").with_writable(cache.path()).with_protected(".git");
/// let sandbox = Sandbox::unconfined(options)?;
/// let cache = cache.path().canonicalize()?;
/// assert!(sandbox.writable().any(|folder| folder == cache));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SandboxOptions {
    pub(crate) root: PathBuf,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) readable: Vec<PathBuf>,
    /// The links on the way to the readable and writable paths.
    pub(crate) links: Vec<PathBuf>,
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) protected_names: Vec<String>,
    pub(crate) secret_names: Option<fn(&Path) -> bool>,
    pub(crate) secret_attributes: String,
    pub(crate) reads_repository: bool,
    /// The settings of git in place of the person's, if those hold a token.
    pub(crate) git_settings: Option<String>,
    pub(crate) variables: Vec<String>,
    pub(crate) limits: ResourceLimits,
    pub(crate) layers: SandboxLayers,
    pub(crate) trial_memory: Option<PathBuf>,
    pub(crate) helper: PathBuf,
}

impl SandboxOptions {
    /// Creates the choices of a sandbox whose commands work beneath `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let SettingsFiles { hidden: settings, git: git_settings } = SettingsFiles::of_user();
        let hidden = default_paths::hidden().into_iter().chain(settings).collect();
        Self {
            root: root.into(),
            writable: Vec::new(),
            readable: default_paths::readable(),
            links: Vec::new(),
            hidden,
            protected: Vec::new(),
            protected_names: Vec::new(),
            secret_names: None,
            secret_attributes: String::new(),
            reads_repository: false,
            git_settings,
            variables: Vec::new(),
            limits: ResourceLimits::default(),
            layers: SandboxLayers::ALL,
            trial_memory: None,
            helper: system::own_program(),
        }
    }

    /// Adds a folder that commands may also write in.
    #[must_use]
    pub fn with_writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.writable.push(path.into());
        self
    }

    /// Adds a path that commands may also read. It need not exist.
    #[must_use]
    pub fn with_readable(mut self, path: impl Into<PathBuf>) -> Self {
        self.readable.push(path.into());
        self
    }

    /// Adds a path that commands may not read, even beneath a path that they may read. A relative
    /// path is relative to the root.
    #[must_use]
    pub fn with_hidden(mut self, path: impl Into<PathBuf>) -> Self {
        self.hidden.push(self.root.join(path.into()));
        self
    }

    /// Adds a path that commands may read but not change, even beneath a path that they may write.
    /// A relative path is relative to the root. The crate's page describes the protection of a path
    /// that does not exist.
    #[must_use]
    pub fn with_protected(mut self, path: impl Into<PathBuf>) -> Self {
        self.protected.push(self.root.join(path.into()));
        self
    }

    /// Adds a name, such as `.envrc` or `.vscode/settings.json`, that commands may read but not
    /// change in any folder that they may write, in any case of its letters. A last part that
    /// begins with `*`, such as `*.code-workspace`, stands for all names with this ending. The
    /// crate's page says which layer protects at which depth.
    #[must_use]
    pub fn with_protected_name(mut self, name: impl Into<String>) -> Self {
        self.protected_names.push(name.into());
        self
    }

    /// Hides files and folders beneath the folders that commands may write, if `is_secret` returns
    /// `true` for their paths, relative to that folder. They look empty with namespaces, and cannot be
    /// read without. The crate's page says what is not covered.
    #[must_use]
    pub fn with_secret_names(self, is_secret: fn(&Path) -> bool) -> Self {
        Self { secret_names: Some(is_secret), ..self }
    }

    /// Sets attributes for git in [read-only](crate::ConfinedCommand::read_only) commands, such as
    /// `.env -diff`, which keep it from showing the stored contents of files with secret names. The
    /// attributes of a repository take precedence over these.
    #[must_use]
    pub fn with_secret_attributes(self, attributes: impl Into<String>) -> Self {
        Self { secret_attributes: attributes.into(), ..self }
    }

    /// Lets commands read the repository that the root lies in: its top folder without files that
    /// have secret names, and its git folders. A `.git` that is a file counts only if the git
    /// folder that it names points back, and a repository that contains the user's home folder
    /// counts only if the root is its top folder. If the repository has too many files to look
    /// through, only its git folders can be read.
    ///
    /// Only then [`ConfinedCommand::with_git`](crate::ConfinedCommand::with_git) opens something.
    #[must_use]
    pub fn with_repository(self) -> Self {
        Self { reads_repository: true, ..self }
    }

    /// Passes on a variable of this program's environment, unless its name says that it is secret.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>) -> Self {
        self.variables.push(name.into());
        self
    }

    /// Sets the limits of a command.
    #[must_use]
    pub fn with_limits(self, limits: ResourceLimits) -> Self {
        Self { limits, ..self }
    }

    /// Uses these layers at most. A program that knows its host can leave out a layer that fails
    /// there without trying it, and a test can behave like an older kernel.
    #[must_use]
    pub fn with_layers(self, layers: SandboxLayers) -> Self {
        Self { layers, ..self }
    }

    /// Remembers in this file that all layers hold in the root, until the machine starts again. A
    /// sandbox that finds this record tries the layers before its first command instead of when it
    /// is made. If they do not hold then, no command runs, and the file is removed.
    ///
    /// The folder of the file must exist. A program that writes to the file can delay the trial, and nothing else.
    #[must_use]
    pub fn with_trial_memory(self, file: impl Into<PathBuf>) -> Self {
        Self { trial_memory: Some(file.into()), ..self }
    }

    /// Sets the program that is started as the helper, instead of this program. Its `main` calls
    /// [`run_helper_if_asked`](crate::run_helper_if_asked).
    #[must_use]
    pub fn with_helper(self, helper: impl Into<PathBuf>) -> Self {
        Self { helper: helper.into(), ..self }
    }
}
