//! `silcrow log`, which shows what is stored and maintains a store.
//!
//! This module dispatches to the subcommands. It knows whether there is a store.

mod age;
mod diff;
mod follow;
mod inside;
mod maintain;
mod show;

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use silcrow_sanitize::escape_json;
use silcrow_store::search::{Query, SearchedUser};
use tokio::runtime::Builder;

use crate::args::{LogArgs, LogCommand};
use crate::failure::{Failure, written};
use crate::fork::fork;
use crate::places::{self, StorePlace};

/// Runs a subcommand of `silcrow log`.
pub(crate) fn log(args: &LogArgs) -> Result<(), Failure> {
    let command = match (&args.command, &args.conversation) {
        (Some(_), Some(conversation)) => {
            return Err(Failure::given(format!(
                "`{conversation}` comes before the subcommand; put it after the subcommand"
            )));
        }
        (Some(command), None) => command.clone(),
        (None, Some(conversation)) => {
            LogCommand::Show { conversation: conversation.clone(), follow: args.follow }
        }
        (None, None) => LogCommand::List { user: None, all: false },
    };
    let store = match &command {
        LogCommand::Migrate { folder: Some(folder) } => Some(folder.as_path()),
        _ => args.store.as_deref(),
    };
    let StorePlace::Folder(folder) = StorePlace::choose(store)? else {
        return Err(Failure::given("a store in memory ends with its process; give a folder"));
    };
    if is_empty(&folder) && !matches!(command, LogCommand::Import { .. }) {
        let folder = folder.display();
        let nothing = format!("there is no store in {folder} yet; `silcrow run` makes one");
        return Err(Failure::given(nothing));
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::running(format!("cannot start: {error}")))?;
    runtime.block_on(run(&command, folder, args.json))
}

/// Runs the command on the store in a folder. What it prints is JSON, one object a line, in a pipe
/// or if the person asked for that.
async fn run(command: &LogCommand, folder: PathBuf, json: bool) -> Result<(), Failure> {
    let for_programs = json || !io::stdout().is_terminal();
    if let LogCommand::Migrate { .. } = command {
        return maintain::migrate(&folder, for_programs).await;
    }
    if let LogCommand::Show { conversation, follow: true } = command {
        return follow::follow(&folder, conversation, for_programs).await;
    }
    // The file is opened first, so that a wrong name does not leave a new store behind.
    let mut lines = match command {
        LogCommand::Import { file, .. } => Some(open(file)?),
        _ => None,
    };
    let store = match command {
        LogCommand::Import { .. }
        | LogCommand::Fork { .. }
        | LogCommand::Delete { .. }
        | LogCommand::Compact
        | LogCommand::Mend => places::open_to_change(&folder).await?,
        _ => places::open(&folder).await?,
    };
    let output = match command {
        LogCommand::List { user, all } => {
            show::list(&*store, user.as_deref(), *all, for_programs).await?
        }
        LogCommand::Show { conversation, .. } => {
            return show::events(&*store, conversation, for_programs).await;
        }
        LogCommand::Search { words, except, user, limit } => {
            let except = except.clone();
            let user = user.clone().map_or(SearchedUser::Any, SearchedUser::One);
            let query = Query { words: words.join(" "), except, user, limit: limit.get() };
            show::search(&*store, &query, for_programs).await?
        }
        LogCommand::Export { conversation } => {
            return maintain::export(&*store, conversation.as_deref()).await;
        }
        LogCommand::Import { own, .. } => match &mut lines {
            Some(lines) => return maintain::import(&*store, lines, *own, for_programs).await,
            None => return Ok(()),
        },
        LogCommand::Diff { a, b } => diff::diff(&*store, [a, b], for_programs).await?,
        LogCommand::Fork { conversation, at, named } => {
            let (place, from) = (StorePlace::Folder(folder), (&**conversation, *at));
            return fork(&*store, &place, from, named.as_deref(), json).await;
        }
        LogCommand::Verify => return maintain::verify(&*store, for_programs).await,
        LogCommand::Delete { conversation } => {
            let place = StorePlace::Folder(folder);
            return maintain::delete(&store, conversation, &place, for_programs).await;
        }
        LogCommand::Compact => return maintain::compact(&store, for_programs).await,
        LogCommand::Mend => return maintain::mend(&store, for_programs).await,
        LogCommand::Migrate { .. } => return Ok(()),
    };
    let output = if for_programs { escape_json(&output) } else { output.into() };
    written(io::stdout().write_all(output.as_bytes()))
}

/// Returns whether a folder is empty or does not exist.
pub(crate) fn is_empty(folder: &Path) -> bool {
    match folder.read_dir() {
        Ok(mut names) => names.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

fn open(file: &Path) -> Result<Box<dyn BufRead + Send>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let failed = |error| Failure::given(format!("cannot read {}: {error}", file.display()));
    Ok(Box::new(BufReader::new(File::open(file).map_err(failed)?)))
}
