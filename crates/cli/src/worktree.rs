//! `--worktree`: a run or a session in a worktree of git; and `silcrow worktree`, which lists and removes them.

use std::io::{self, Write as _};

use silcrow_sanitize::sanitize_line;
use silcrow_session::Worktree;

use crate::args::{AgentArgs, WorktreeArgs, WorktreeCommand};
use crate::failure::{Failure, written};
use crate::host::notice;

/// Lists worktrees, or removes one.
pub(crate) fn command(args: &WorktreeArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match &args.command {
        WorktreeCommand::List => {
            for worktree in Worktree::list(&args.root)? {
                let (state, folder) = (worktree.state()?, worktree.folder().display().to_string());
                let (name, folder) = (worktree.name(), sanitize_line(&folder));
                written(writeln!(out, "{name:<20} {state:<28} {folder}"))?;
            }
            Ok(())
        }
        WorktreeCommand::Remove { name } => {
            let worktree = Worktree::existing(&args.root, name)?;
            let state = worktree.state()?;
            match state.is_empty() {
                true => written(writeln!(out, "{}", worktree.close()?)),
                false => Err(Failure::given(format!(
                    "{name} has {state}, and is kept; commit and merge them, or remove it with git"
                ))),
            }
        }
    }
}

/// Opens the worktree that the arguments name, which is the root from now on.
pub(crate) fn open(args: &mut AgentArgs) -> Result<Option<Worktree>, Failure> {
    let Some(name) = &args.worktree else { return Ok(None) };
    let worktree = Worktree::open(&args.root, name)?;
    worktree.folder().clone_into(&mut args.root);
    Ok(Some(worktree))
}

/// Closes a worktree after the work in it, and prints its fate.
pub(crate) fn closed(worktree: Option<Worktree>, done: Result<(), Failure>) -> Result<(), Failure> {
    match worktree.map(Worktree::close).transpose() {
        Ok(line) => line.iter().for_each(|line| notice(line)),
        // The outcome of the work matters more.
        Err(error) => notice(error.message()),
    }
    done
}
