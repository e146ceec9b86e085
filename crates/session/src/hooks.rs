//! The hooks of a session: the person's, and the project's if the person trusts their contents.
//!
//! This module finds the files and confines the hooks of a project; `silcrow_hooks` runs them.

mod confined;
mod files;

use std::path::Path;
use std::sync::Arc;

use silcrow_environment::KEY_VARIABLES;
use silcrow_hooks::{HookedTool, Hooks, PersonProcess};
use silcrow_shell::{Sandbox, SandboxLevel};
use silcrow_tool::{Tool, Toolbox};

use confined::ConfinedHooks;
pub(crate) use files::HookFiles;
pub use files::{hook_counts, revoke_hooks, trust_hooks};

impl HookFiles {
    /// Returns the hooks that run in a folder, and lines about those that cannot.
    pub(crate) fn hooks(&self, root: &Path, sandbox: &Arc<Sandbox>) -> (Hooks, Vec<String>) {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let is_confined = sandbox.level() != SandboxLevel::None;
        let mut hooks = self.hooks.clone();
        let mut notices = Vec::new();
        if !is_confined && hooks.iter().any(|hook| !hook.is_own) {
            hooks.retain(|hook| hook.is_own);
            notices.push(
                "the hooks of the project are left out, because no sandbox confines them"
                    .to_owned(),
            );
        }
        let own = PersonProcess::new(&root).without_variables(KEY_VARIABLES);
        let confined = ConfinedHooks::new(Arc::clone(sandbox), &root);
        (Hooks::new(hooks, root).with_process(own).with_confined_process(confined), notices)
    }
}

/// Has the calls of tools run hooks.
pub(crate) fn hooked(tools: &Toolbox, hooks: &Hooks) -> Toolbox {
    if hooks.is_empty() {
        return tools.clone();
    }
    let mut all = Toolbox::new();
    for tool in tools.names().filter_map(|name| tools.get(name)) {
        let tool: Arc<dyn Tool> = Arc::new(HookedTool::new(Arc::clone(tool), hooks));
        all.add(tool).expect("a toolbox has each name once");
    }
    all
}
