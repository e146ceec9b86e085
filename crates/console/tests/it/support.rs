//! Agents that play a script, with the real tools for files in a folder and with a policy.

use std::path::Path;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::Agent;
use silcrow_console::approve::TerminalApprover;
use silcrow_policy::{PermissionMode, Policy, SharedPolicy};
use silcrow_provider::ScriptedModel;
use silcrow_store::MemoryStore;
use silcrow_tool::{
    ApprovalNeed, CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy, Toolbox,
    WithPermissions,
};
use silcrow_tools::{FileRead, FileWrite, Root};
use tokio::sync::oneshot;

/// Returns the policy of a mode in a folder. The mode may change during a run.
pub(crate) fn policy(mode: PermissionMode, folder: &Path) -> Arc<SharedPolicy> {
    Arc::new(SharedPolicy::new(Policy::new(mode).with_root(folder)))
}

/// Returns an agent that plays a script in a folder.
pub(crate) fn agent(
    script: &str,
    folder: &Path,
    policy: &Arc<SharedPolicy>,
    approver: TerminalApprover,
    held: Option<oneshot::Receiver<()>>,
) -> Agent {
    let root = Root::open(folder).unwrap();
    let mut tools = Toolbox::new();
    tools.add(FileRead::new(&root)).unwrap();
    tools.add(FileWrite::new(&root)).unwrap();
    tools.add(HeldTool(Mutex::new(held))).unwrap();
    let permissions = WithPermissions::new(Arc::clone(policy), approver);
    Agent::new(ScriptedModel::parse(script, 1), MemoryStore::new())
        .with_tools(tools)
        .with_approver(permissions)
        .with_call_text()
}

/// A tool whose call lasts until something is sent.
struct HeldTool(Mutex<Option<oneshot::Receiver<()>>>);

impl Tool for HeldTool {
    fn name(&self) -> &str {
        "hold"
    }

    fn description(&self) -> &str {
        "Waits."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object","properties":{}}"#
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { approval: ApprovalNeed::Never, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        _args: ToolArgs<'a>,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let held = self.0.lock().unwrap().take();
            if let Some(held) = held {
                let _ = held.await;
            }
            Ok(ToolOutput::new("waited", "waited"))
        }
        .boxed()
    }
}

/// Returns the shown text with a letter in place of times and sizes, which differ each time.
pub(crate) fn steady(shown: &str) -> String {
    let is_number = |word: &str| word.trim_start_matches(['~', '(']).parse::<f64>().is_ok();
    let lines = shown.lines().map(|line| {
        let words: Vec<_> = line.split(' ').collect();
        let units = words.iter().skip(1).chain([&""]);
        let steady = words.iter().zip(units).map(|(word, unit)| {
            let unit = unit.trim_end_matches([')', ',']);
            match *word {
                word if word.starts_with('~') && is_number(word) => "~N",
                word if word.starts_with("(first") => word,
                word if is_number(word) && matches!(unit, "ms" | "s") => "N",
                word => word,
            }
        });
        let line = steady.collect::<Vec<_>>().join(" ").replace("N ms", "N s");
        // Only a call that took long shows its time.
        line.strip_suffix(" · N s").map_or_else(|| line.clone(), str::to_owned)
    });
    lines.collect::<Vec<_>>().join("\n")
}
