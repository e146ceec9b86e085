//! `--worktree`: a run or a session in a worktree of git.

use silcrow_session::Worktree;

use crate::args::AgentArgs;
use crate::failure::Failure;
use crate::host::notice;

/// Opens the worktree that the arguments name, which is the root from now on.
pub(crate) fn open(args: &mut AgentArgs) -> Result<Option<Worktree>, Failure> {
    let Some(name) = &args.worktree else { return Ok(None) };
    let worktree = Worktree::open(&args.root, name)?;
    worktree.folder().clone_into(&mut args.root);
    Ok(Some(worktree))
}

/// Closes a worktree after what was done in it, and says what became of it.
pub(crate) fn closed(worktree: Option<Worktree>, done: Result<(), Failure>) -> Result<(), Failure> {
    match worktree.map(Worktree::close).transpose() {
        Ok(line) => line.iter().for_each(|line| notice(line)),
        // What was done matters more.
        Err(error) => notice(error.message()),
    }
    done
}
