//! The names that a manifest may use: its declarations, the tools of the program, and tools of
//! servers.
//!
//! This module checks only names, without their meanings.

use std::fmt;

use silcrow_event::CallKind;
use silcrow_tool::{Toolbox, closest_names};

use crate::error::Error;
use crate::toml_text::TomlText;
use crate::written::WrittenManifest;

/// The tools that a manifest may name besides its declarations.
///
/// ```
/// use silcrow_manifest::KnownTools;
/// use silcrow_tool::Toolbox;
///
/// let toolbox = Toolbox::new();
/// let known = KnownTools::new(&toolbox);
/// assert!(format!("{known:?}").contains("KnownTools"));
/// ```
#[derive(Clone, Copy)]
pub struct KnownTools<'a> {
    toolbox: &'a Toolbox,
    servers: Option<&'a dyn ServerToolNames>,
}

impl<'a> KnownTools<'a> {
    /// Creates the tools of a program.
    pub const fn new(toolbox: &'a Toolbox) -> Self {
        Self { toolbox, servers: None }
    }

    /// Adds the tools of servers, whose names have a dot, such as `files.read`.
    #[must_use]
    pub const fn with_servers(self, servers: &'a dyn ServerToolNames) -> Self {
        Self { servers: Some(servers), ..self }
    }
}

impl fmt::Debug for KnownTools<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.toolbox.names().collect();
        f.debug_struct("KnownTools").field("names", &names).finish_non_exhaustive()
    }
}

/// The names that tools of servers may have, which are known before a server starts.
///
/// ```
/// use silcrow_manifest::ServerToolNames;
///
/// /// Knows that there is a server `files`, and not yet which tools it has.
/// struct Files;
///
/// impl ServerToolNames for Files {
///     fn has(&self, tool: &str) -> bool {
///         tool.starts_with("files.")
///     }
///     fn hint(&self, tool: &str) -> Option<String> {
///         let (server, _) = tool.split_once('.')?;
///         Some(format!("there is no server `{server}`; there is: files"))
///     }
/// }
///
/// assert!(Files.has("files.read") && Files.has("files.*"));
/// assert_eq!(Files.hint("shell"), None, "it does not look like a server's tool");
/// ```
pub trait ServerToolNames {
    /// Returns whether a name, or a pattern such as `files.*`, is of a tool of a known server.
    fn has(&self, tool: &str) -> bool;

    /// Returns the end of an error message about a name that [`has`](Self::has) rejects, if the
    /// name looks like a server tool's name.
    fn hint(&self, tool: &str) -> Option<String>;
}

/// Everything that can be called: its kind, its name, and the field that declares it, or `None` for
/// a built-in tool; and the names that tools of servers may have.
pub(crate) struct CallableNames<'a> {
    names: Vec<(CallKind, String, Option<String>)>,
    servers: Option<&'a dyn ServerToolNames>,
}

impl<'a> CallableNames<'a> {
    pub(crate) fn new(
        source: &TomlText<'_>,
        written: &WrittenManifest,
        known: &KnownTools<'a>,
    ) -> Result<Self, Error> {
        let mut names: Vec<_> =
            known.toolbox.names().map(|name| (CallKind::Tool, name.to_owned(), None)).collect();
        let declared = [
            (CallKind::Agent, "agents", written.agents.keys().collect::<Vec<_>>()),
            (CallKind::Relic, "relics", written.relics.keys().collect()),
            (CallKind::Workflow, "workflows", written.workflows.keys().collect()),
            (CallKind::Llm, "llm", written.llm.keys().collect()),
            (CallKind::Tool, "aliases", written.aliases.keys().collect()),
        ];
        for (kind, table, keys) in declared {
            for name in keys {
                let field = format!("{table}.{name}");
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
                if !(1..=MAX_NAME).contains(&name.len()) || !name.bytes().all(plain) {
                    let why = format!(
                        "a name has 1 to {MAX_NAME} letters, digits, `_` and `-`; rename it"
                    );
                    return Err(source.wrong(&field, why));
                }
                if table == "aliases" && known.toolbox.get(name).is_some() {
                    let why = format!("there is a tool `{name}`; choose another name");
                    return Err(source.wrong(&field, why));
                }
                names.push((kind, name.clone(), Some(field)));
            }
        }
        Ok(Self { names, servers: known.servers })
    }

    /// Returns an error unless something of this kind and name can be called.
    pub(crate) fn check(
        &self,
        source: &TomlText<'_>,
        field: &str,
        kind: CallKind,
        name: &str,
    ) -> Result<(), Error> {
        let known: Vec<_> = self.names.iter().filter(|known| known.0 == kind).collect();
        let names = || known.iter().map(|(_, name, _)| &**name);
        let is_of_server = kind == CallKind::Tool && self.servers.is_some_and(|all| all.has(name));
        if is_of_server || names().any(|known| known == name) {
            return Ok(());
        }
        let hint = self.servers.and_then(|all| all.hint(name));
        if let Some(hint) = hint.filter(|_| kind == CallKind::Tool) {
            return Err(source.wrong(field, format!("unknown tool `{name}`; {hint}")));
        }
        let word = kind.as_str();
        let listed = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let next = match (closest_names(name, names()).first(), &*listed) {
            (_, "") => "declare it".to_owned(),
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, _) => format!("use {listed}, or declare it"),
        };
        Err(source.wrong(field, format!("unknown {word} `{name}`; {next}")))
    }

    /// Returns an error unless an alias stands for a tool, which is not an alias itself.
    pub(crate) fn check_target(
        &self,
        source: &TomlText<'_>,
        field: &str,
        tool: &str,
    ) -> Result<(), Error> {
        self.check(source, field, CallKind::Tool, tool)?;
        let is_alias = |known: &(CallKind, String, Option<String>)| {
            known.0 == CallKind::Tool && known.1 == tool && known.2.is_some()
        };
        match self.names.iter().any(is_alias) {
            true => Err(source.wrong(field, format!("`{tool}` is an alias; name the tool itself"))),
            false => Ok(()),
        }
    }

    /// Returns an error if two names are equal, for dialects in which everything is called as a
    /// tool.
    pub(crate) fn check_apart(&self, source: &TomlText<'_>) -> Result<(), Error> {
        for (at, (kind, name, field)) in self.names.iter().enumerate() {
            let twin = self.names[..at].iter().find(|(_, other, _)| other == name);
            if let (Some((first, _, place)), Some(field)) = (twin, field) {
                let first = place.as_ref().map_or_else(
                    || format!("the built-in {} `{name}`", first.as_str()),
                    |place| format!("`{place}`"),
                );
                let why = format!(
                    "the {} `{name}` has the name of {first}, and only in the dialect action is \
                     that told apart; rename it, or use --dialect action",
                    kind.as_str(),
                );
                return Err(source.wrong(field, why));
            }
        }
        Ok(())
    }
}

/// The longest name in bytes.
const MAX_NAME: usize = 64;
