//! A command's access to files, by the permissions of the run and the person's decisions.
//!
//! A command that runs because it is on a list can change nothing and has no network. Files that
//! usually hold secrets are visible only to a command that names them, after a yes that names them,
//! too. Access beyond the usual sandbox is in the grants of the call.

use std::path::{Path, PathBuf};

use silcrow_event::Grant;
use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxLevel};
use silcrow_tool::{CallAccess, CallContext, ToolError};

use crate::named_secrets::named_secrets;

/// Returns the risk of a command that names files which usually hold secrets, or `None` for another
/// command.
pub(crate) fn secret_risk(sandbox: &Sandbox, folder: &Path, command: &str) -> Option<String> {
    let named = named_secrets(sandbox, folder, command);
    let shown =
        |path: &PathBuf| path.strip_prefix(sandbox.root()).unwrap_or(path).display().to_string();
    let names: Vec<_> = named.iter().map(shown).collect();
    let them =
        if names.len() == 1 { "which usually holds secrets" } else { "which usually hold secrets" };
    (!names.is_empty()).then(|| format!("it may read {}, {them}", names.join(", ")))
}

/// Returns the command as the call may run it.
///
/// # Errors
///
/// Returns an error if the call may only read and the sandbox cannot enforce that, or if the
/// command is not confined and nobody has allowed that.
pub(crate) fn with_access(
    command: ConfinedCommand,
    text: &str,
    folder: &Path,
    sandbox: &Sandbox,
    context: &CallContext,
) -> Result<ConfinedCommand, ToolError> {
    let is_reading = context.access() == CallAccess::ReadOnly;
    let is_outside = context.grants().covers(&Grant::Outside);
    match (sandbox.level(), is_reading) {
        (SandboxLevel::None, true) => return Err(ToolError::new(NOT_ENFORCED)),
        (SandboxLevel::None, false) if !is_outside => return Err(ToolError::new(NOT_ALLOWED)),
        (_, false) if is_outside => return Ok(command.without_walls()),
        _ => {}
    }
    // A yes covers the files that its question named.
    let approved = context.approved().and_then(|preview| preview.risk.as_deref());
    let is_approved =
        approved.is_some() && approved == secret_risk(sandbox, folder, text).as_deref();
    let named = if is_approved { named_secrets(sandbox, folder, text) } else { Vec::new() };
    Ok(match context.access() {
        CallAccess::ReadOnly => command.with_secrets(named).read_only(),
        CallAccess::Usual => with_doors(command.with_secrets(named), context),
        CallAccess::WithSecrets => with_doors(command.with_all_secrets(), context),
    })
}

/// Opens the doors to files that the call was given.
fn with_doors(command: ConfinedCommand, context: &CallContext) -> ConfinedCommand {
    context.grants().iter().fold(command, |command, grant| match grant {
        Grant::Git => command.with_git(),
        Grant::Read(path) => command.with_readable(path),
        Grant::Write(path) => command.with_writable(path),
        Grant::Network(_) | Grant::Local(_) | Grant::Listen(_) | Grant::Outside => command,
    })
}

const NOT_ALLOWED: &str = "no sandbox holds commands here, so each needs the grant `outside`, and \
                           nobody has given it to this one";

const NOT_ENFORCED: &str = "no sandbox keeps a command from changing files and from the \
                            network here, and this command may only read";
