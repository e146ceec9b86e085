//! A collection of tools by kind and name.
//!
//! A toolbox has names and kinds. It does not run a tool.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

use silcrow_event::CallKind;

use crate::tool::Tool;

/// The tools that an agent may call, by name, and the agents, workflows and other things that actions
/// may call by kind and name (P-20).
///
/// ```
/// use silcrow_event::CallKind;
/// use silcrow_tool::Toolbox;
/// # use silcrow_tool::*;
/// # struct Named(&'static str);
/// # impl Tool for Named {
/// #     fn name(&self) -> &str { self.0 }
/// #     fn description(&self) -> &str { "" }
/// #     fn schema(&self) -> &str { "{}" }
/// #     fn call<'a>(&'a self, args: ToolArgs<'a>, _: &'a CallContext)
/// #         -> futures_util::future::BoxFuture<'a, Result<ToolOutput, ToolError>> {
/// #         Box::pin(async move { Ok(ToolOutput::new("", args.as_str())) })
/// #     }
/// # }
///
/// let mut toolbox = Toolbox::new();
/// toolbox.add(Named("search"))?;
/// toolbox.add(Named("add"))?;
/// // An agent may have the name of a tool: an action says which kind it calls.
/// toolbox.add_as(CallKind::Agent, Named("search"))?;
/// assert_eq!(toolbox.names().collect::<Vec<_>>(), ["add", "search"]);
/// assert_eq!(toolbox.add(Named("add")).unwrap_err().name(), "add");
/// # Ok::<(), DuplicateTool>(())
/// ```
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<(&'static str, String), Arc<dyn Tool>>,
}

impl Toolbox {
    /// Creates an empty toolbox.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    ///
    /// # Errors
    ///
    /// Returns [`DuplicateTool`] if there is a tool of this name: no tool may replace another.
    pub fn add(&mut self, tool: impl Tool + 'static) -> Result<(), DuplicateTool> {
        self.add_as(CallKind::Tool, tool)
    }

    /// Adds something that actions of this kind call.
    ///
    /// # Errors
    ///
    /// Returns [`DuplicateTool`] if there is one of this kind and name.
    pub fn add_as(
        &mut self,
        kind: CallKind,
        tool: impl Tool + 'static,
    ) -> Result<(), DuplicateTool> {
        match self.tools.entry((kind.as_str(), tool.name().to_owned())) {
            Entry::Occupied(entry) => Err(DuplicateTool { kind, name: entry.key().1.clone() }),
            Entry::Vacant(entry) => {
                entry.insert(Arc::new(tool));
                Ok(())
            }
        }
    }

    /// Returns the tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.get_as(CallKind::Tool, name)
    }

    /// Returns the tool that actions of this kind call by this name.
    pub fn get_as(&self, kind: CallKind, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(&(kind.as_str(), name.to_owned()))
    }

    /// Returns whether nothing can be called, of any kind.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Returns the tools, sorted by name, so that a prompt made of them is the same every time.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Tool> {
        self.iter_as(CallKind::Tool)
    }

    /// Returns the tools that actions of this kind call, sorted by name.
    pub fn iter_as(&self, kind: CallKind) -> impl Iterator<Item = &dyn Tool> {
        let all = self.tools.range((kind.as_str(), String::new())..);
        all.take_while(move |((word, _), _)| *word == kind.as_str()).map(|(_, tool)| &**tool)
    }

    /// Returns the names of the tools, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names_as(CallKind::Tool)
    }

    /// Returns the names of the tools that actions of this kind call, sorted.
    pub fn names_as(&self, kind: CallKind) -> impl Iterator<Item = &str> {
        self.iter_as(kind).map(Tool::name)
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}

/// The error that two tools of one kind have the same name. Leave one out, or rename it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateTool {
    kind: CallKind,
    name: String,
}

impl DuplicateTool {
    /// Returns the kind of the two tools.
    pub const fn kind(&self) -> CallKind {
        self.kind
    }

    /// Returns the name of the two tools.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for DuplicateTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.as_str();
        write!(
            f,
            "there are two of kind `{kind}` named `{}`; leave one out or rename it",
            self.name
        )
    }
}

impl std::error::Error for DuplicateTool {}
