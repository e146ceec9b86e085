//! The choice of the tools that a model is offered.
//!
//! This module handles only the names of tools.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::Arc;

use silcrow_tool::{Toolbox, closest_names};

use crate::error::Error;
use crate::mcp::{ServerNames, stands_for};

/// A choice of tools by name.
///
/// ```
/// use silcrow_settings::ToolChoice;
///
/// let choice: ToolChoice = "except:shell,web_search".parse()?;
/// assert_eq!(choice, ToolChoice::Except(vec!["shell".to_owned(), "web_search".to_owned()]));
/// assert!("file_read,,shell".parse::<ToolChoice>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a list names what is in it or what is not")]
pub enum ToolChoice {
    /// These tools, and the tools of servers that a pattern such as `files.*` matches.
    Only(Vec<String>),
    /// All other tools.
    Except(Vec<String>),
    /// The usual tools, and these, which are offered only on request.
    With(Vec<String>),
}

impl ToolChoice {
    fn names(&self) -> &[String] {
        match self {
            Self::Only(names) | Self::Except(names) | Self::With(names) => names,
        }
    }

    fn offers(&self, name: &str) -> bool {
        match self {
            Self::Only(_) => self.is_naming(name),
            Self::Except(_) => !self.is_naming(name),
            Self::With(_) => true,
        }
    }

    /// Returns whether a tool is asked for by name.
    fn asks_for(&self, name: &str) -> bool {
        matches!(self, Self::Only(_) | Self::With(_)) && self.is_naming(name)
    }

    fn is_naming(&self, name: &str) -> bool {
        self.names().iter().any(|named| stands_for(named, name))
    }
}

impl FromStr for ToolChoice {
    type Err = String;

    /// Reads names with commas between them: before them, `except:` for all others, or `with:` for
    /// the usual ones as well.
    fn from_str(text: &str) -> Result<Self, String> {
        let (names, choice): (_, fn(Vec<String>) -> Self) =
            match (text.strip_prefix(EXCEPT), text.strip_prefix(WITH)) {
                (Some(names), _) => (names, Self::Except),
                (None, Some(names)) => (names, Self::With),
                (None, None) => (text, Self::Only),
            };
        let names = names.split(',').map(str::trim).map(str::to_owned).collect::<Vec<_>>();
        if names.iter().any(String::is_empty) {
            return Err("use names with commas between them, such as file_read,file_list, or \
                        except:shell"
                .to_owned());
        }
        Ok(choice(names))
    }
}

impl Display for ToolChoice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let before = match self {
            Self::Only(_) => "",
            Self::Except(_) => EXCEPT,
            Self::With(_) => WITH,
        };
        write!(f, "{before}{}", self.names().join(","))
    }
}

/// The choices that all hold for a run, each with its source for messages. A tool is offered if
/// every choice offers it.
#[derive(Clone, Debug, Default)]
pub struct OfferedTools(Vec<(String, ToolChoice)>);

impl OfferedTools {
    /// Adds a choice, which applies together with the others.
    ///
    /// ```
    /// use silcrow_settings::OfferedTools;
    ///
    /// let mut offered = OfferedTools::default();
    /// offered.push("--tools", "except:shell".parse().unwrap());
    /// assert!(offered.offers("file_read"));
    /// assert!(!offered.offers("shell"));
    /// ```
    pub fn push(&mut self, source: impl Into<String>, choice: ToolChoice) {
        self.0.push((source.into(), choice));
    }

    /// Returns whether every choice offers a tool. The tool `workflow` is offered only if one of them
    /// names it.
    pub fn offers(&self, name: &str) -> bool {
        let is_asked_for = || self.0.iter().any(|(_, choice)| choice.asks_for(name));
        self.0.iter().all(|(_, choice)| choice.offers(name))
            && (name != ON_REQUEST || is_asked_for())
    }

    /// Returns whether every choice may offer a tool of a server.
    pub fn may_offer(&self, server: &str) -> bool {
        let is_of = |name: &String| name.split_once('.').is_some_and(|(one, _)| one == server);
        self.0.iter().all(|(_, choice)| match choice {
            ToolChoice::Only(names) => names.iter().any(is_of),
            ToolChoice::Except(names) => !names.contains(&format!("{server}.*")),
            ToolChoice::With(_) => true,
        })
    }

    /// Returns the offered tools. A name that no tool has and no tool of a declared server may have
    /// is a failure, because a choice with a mistake in it might offer too much.
    ///
    /// # Errors
    ///
    /// Returns an error that names the source of the choice, and the nearest tool.
    pub fn among(&self, all: &Toolbox, servers: ServerNames<'_>) -> Result<Toolbox, Error> {
        let mut offered = Toolbox::new();
        for (source, choice) in &self.0 {
            let is_known =
                |name: &&String| all.get(name).is_some() || servers.has(name) || *name == SEARCH;
            if let Some(name) = choice.names().iter().find(|name| !is_known(name)) {
                let hint = match (servers.hint(name), closest_names(name, all.names()).first()) {
                    (Some(hint), _) => hint,
                    (None, Some(near)) => format!("did you mean `{near}`?"),
                    (None, None) => format!("use {}", all.names().collect::<Vec<_>>().join(", ")),
                };
                let why = format!("{source}: unknown tool `{name}`; {hint}");
                return Err(Error::invalid(why));
            }
        }
        for name in all.names() {
            if let Some(tool) = all.get(name)
                && self.offers(name)
            {
                let added = offered.add(Arc::clone(tool));
                added.map_err(|twice| Error::failed(twice.to_string()))?;
            }
        }
        Ok(offered)
    }
}

const EXCEPT: &str = "except:";
const WITH: &str = "with:";

/// The tool that takes 200 tokens of every prompt, and that few tasks need.
const ON_REQUEST: &str = "workflow";

/// The tool that searches the tools of servers, which exists if there are many.
const SEARCH: &str = "tool_search";
