use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

use crate::tool::Tool;

/// The tools of an agent, by name.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

impl Toolbox {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a tool in.
    ///
    /// # Errors
    ///
    /// [`Twice`] if there is one of this name: no tool may stand in for another.
    pub fn add(&mut self, tool: impl Tool + 'static) -> Result<(), Twice> {
        match self.tools.entry(tool.name().to_owned()) {
            Entry::Occupied(entry) => Err(Twice { name: entry.key().clone() }),
            Entry::Vacant(entry) => {
                entry.insert(Arc::new(tool));
                Ok(())
            }
        }
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// The tools, sorted by name, so that a prompt made of them is the same every time.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Tool> {
        self.tools.values().map(|tool| &**tool)
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}

/// A second tool of one name. The caller's mistake: leave one out, or give it another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twice {
    name: String,
}

impl Twice {
    /// The name that is taken.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Twice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there are two tools named `{}`; leave one out or rename it", self.name)
    }
}

impl std::error::Error for Twice {}
