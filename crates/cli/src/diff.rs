//! `silcrow diff`, which shows a conversation's changes in files.
//!
//! This module chooses the conversation and prints. `silcrow_tools` finds the changes.

use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use silcrow_console::pager::PagedOutput;
use silcrow_console::patch::{write_patch, write_stat};
use silcrow_console::printer::write_json;
use silcrow_event::{FileDelta, Json};
use silcrow_sanitize::sanitize_line;
use silcrow_session::undo::last_run;
use silcrow_store::Store;
use silcrow_term::Theme;
use silcrow_tools::{FileDifference, RunDifference, UndoRequest};

use crate::args::DiffArgs;
use crate::conversation::{ConversationOwner, listed};
use crate::failure::{Failure, written};
use crate::host::host;
use crate::places::{self, StorePlace};
use crate::runtime;
use crate::stored_head::stored_head;
use crate::undo;

/// Shows the changes of a conversation in files.
pub(crate) fn diff(args: &DiffArgs) -> Result<(), Failure> {
    let place = StorePlace::choose(args.store.as_deref())?;
    place.kept()?;
    let Some(journal) = place.changes() else { return Ok(()) };
    if let Some(folder) = place.missing() {
        let folder = folder.display();
        return Err(Failure::given(format!("no store found in {folder}")));
    }
    // The pager needs the runtime, too.
    runtime::block_on(async {
        let request = request(args, &place).await?;
        let root = undo::root(args.root.as_deref(), &journal, &request, &place)?;
        let difference = journal.difference(&root, &request);
        let difference = difference
            .map_err(|error| Failure::running(format!("cannot read what has changed: {error}")))?;
        print(&difference, args)
    })
}

async fn request(args: &DiffArgs, place: &StorePlace) -> Result<UndoRequest, Failure> {
    let store = place.open_stored(&host()).await?.store();
    let typed = match &args.conversation {
        Some(typed) => typed.clone(),
        None => latest(&*store, args.root.as_deref().unwrap_or_else(|| Path::new("."))).await?,
    };
    let (id, _) = stored_head(&*store, &typed).await?;
    let request = match (args.last, args.turn) {
        (_, Some(turn)) => UndoRequest::new(&*id).with_turns(turn.get()..=turn.get()),
        (false, None) => UndoRequest::new(&*id),
        // Damaged events are left out; `silcrow log verify` reports them.
        (true, None) => last_run(&*store, &id).await.map_err(|error| places::failure(&error))?,
    };
    Ok(if args.root.is_some() { request.with_moved_root() } else { request })
}

/// Returns the conversation of a folder that was changed last.
async fn latest(store: &dyn Store, folder: &Path) -> Result<String, Failure> {
    let all = listed(store, ConversationOwner::Anybody).await?;
    let latest = all.latest_in(folder).map(|one| one.conversation.clone());
    latest.ok_or_else(|| {
        Failure::given(
            "no conversation has worked in this folder; name one, as silcrow log lists them",
        )
    })
}

fn print(difference: &RunDifference, args: &DiffArgs) -> Result<(), Failure> {
    let RunDifference { files, uncovered, refusals, .. } = difference;
    if let Some(refusal) = refusals.first() {
        let path = sanitize_line(&refusal.path).into_owned();
        return Err(Failure::running(format!("{path}: {}", refusal.why)));
    }
    if files.is_empty() && uncovered.is_empty() {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "silcrow: no call has changed a file that is kept");
        return Ok(());
    }
    let is_terminal = io::stdout().is_terminal();
    let mut out = PagedOutput::start(is_terminal && !args.no_pager && !args.stat);
    let theme = if is_terminal { silcrow_console::styles::theme(None) } else { Theme::PLAIN };
    let shown = match (args.json, args.stat) {
        (true, _) => files.iter().try_for_each(|file| write_json(&mut out, &json(file))),
        (false, true) => {
            let deltas: Vec<_> = files.iter().map(|file| &file.delta).collect();
            write_stat(&mut out, &deltas)
        }
        (false, false) if is_terminal => {
            files.iter().try_for_each(|file| write_patch(&mut out, &file.patch, &theme))
        }
        (false, false) => files.iter().try_for_each(|file| out.write_all(file.patch.as_bytes())),
    };
    let shown = shown.and_then(|()| out.finish());
    // Leaving the pager early is not an error.
    written(match shown {
        Err(error) if is_terminal && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        shown => shown,
    })?;
    let changed = files.iter().filter(|file| file.has_changed_since);
    let changed =
        changed.map(|file| (&*file.delta.path, "it has changed since, and that is shown, too"));
    let uncovered = uncovered.iter().map(|one| (&*one.path, &*one.why));
    for (path, why) in changed.chain(uncovered.filter(|_| !args.json)) {
        // If stderr is closed, the remark is lost.
        let _ = writeln!(io::stderr(), "silcrow: {}: {}", sanitize_line(path), sanitize_line(why));
    }
    Ok(())
}

fn json(file: &FileDifference) -> String {
    let FileDelta { path, kind, added, removed, .. } = &file.delta;
    format!(
        "{{\"file\":{},\"kind\":\"{kind}\",\"added\":{added},\"removed\":{removed},\"changed_since\":{},\
         \"patch\":{}}}",
        Json::string(path),
        file.has_changed_since,
        Json::string(&file.patch),
    )
}
