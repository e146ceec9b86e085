//! The error of reading a manifest, or of opening its models.

use std::fmt;

/// An error that kept a manifest from being used.
///
/// ```
/// use silcrow_manifest::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Invalid, "silcrow.toml, line 3: unknown tool `raed`");
/// assert_eq!(error.kind().as_str(), "manifest_invalid");
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The kind of an [`Error`]: whose fault it is.
///
/// ```
/// use silcrow_manifest::{DeclaredManifest, ErrorKind, KnownTools};
/// use silcrow_models::{Environment, ModelOptions, Models};
/// # use silcrow_parser::Dialect;
/// # use silcrow_tool::Toolbox;
///
/// # let folder = std::env::temp_dir().join(format!("silcrow-server-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let (file, tools) = (folder.join("silcrow.toml"), Toolbox::new());
/// let model = "compatible:https://models.example/v1#small";
/// std::fs::write(&file, format!("[agents.poet]\ndescription = \"Writes.\"\nmodel = \"{model}\""))?;
/// let declared = DeclaredManifest::read(&file, Dialect::Sigil, &KnownTools::new(&tools))?;
/// // The program has no key for the server.
/// let models = Models::new(ModelOptions::new(Environment::from_vars::<&str, &str>([])));
/// let error = declared.trust().open(&models).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Server);
/// assert!(error.to_string().contains("line 3"), "{error}");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file cannot be read.
    File,
    /// The file declares something that cannot be, or names something that does not exist. The
    /// message has the line and the field.
    Invalid,
    /// The file names a server that its caller does not allow.
    Server,
    /// A model that the file names cannot be opened. The message has the line and the field.
    Model,
    /// A service that a relic declares cannot be opened. The message names the relic.
    Service,
}

impl Error {
    /// Creates an error. The message says what was wrong, where, and what to do next.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether another attempt may help. It never may: somebody has to change something
    /// first.
    pub const fn is_retryable(&self) -> bool {
        false
    }

    /// Sets the kind.
    pub(crate) fn with_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "manifest_file",
            Self::Invalid => "manifest_invalid",
            Self::Server => "manifest_server",
            Self::Model => "manifest_model",
            Self::Service => "manifest_service",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
