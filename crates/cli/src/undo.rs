//! `silcrow undo`, which takes back changes of tools in files.
//!
//! This module finds the turns and the folder that are meant, and prints the files that were taken
//! back. `silcrow_tools` does the work.

use std::io::{self, Write as _};
use std::path::Path;

use silcrow_console::printer::write_json;
use silcrow_event::Json;
use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_tools::{
    ChangeJournal, FileOutcome, Root, UndoRefusal, UndoReport, UndoRequest, UndoneFile,
};

use crate::args::UndoArgs;
use crate::failure::{Failure, written};
use crate::host::host;
use crate::places::{self, StorePlace};
use crate::runtime;
use crate::stored_head::stored_head;
use silcrow_session::tools::protected_root;
use silcrow_session::undo::{ChangedRoot, last_run, tell_undo};

/// Takes changes of a conversation back.
pub(crate) fn undo(args: &UndoArgs) -> Result<(), Failure> {
    let place = StorePlace::choose(args.store.as_deref())?;
    place.kept()?;
    let Some(journal) = place.changes() else { return Ok(()) };
    if let Some(folder) = place.missing() {
        let folder = folder.display();
        return Err(Failure::given(format!("no store found in {folder}")));
    }
    let runtime = runtime::current()?;
    let request = runtime.block_on(request(args, &place))?;
    let root = root(args.root.as_deref(), &journal, &request, &place)?;
    let report = journal.undo(&root, &request).map_err(|error| failed(&error))?;
    if !args.dry_run {
        let told = runtime.block_on(async {
            let store = place.open_stored(&host()).await?.store();
            let told = tell_undo(&*store, &request.conversation, &report, args.redo).await;
            told.map_err(|error| places::failure(&error))
        });
        if let Err(failure) = told {
            // The files are restored all the same. If stderr is closed, the remark is lost.
            let why = failure.message();
            let _ = writeln!(io::stderr(), "silcrow: the model is not told of it: {why}");
        }
    }
    print(&report, args)
}

/// Returns the request, with the turns of the last run by default.
async fn request(args: &UndoArgs, place: &StorePlace) -> Result<UndoRequest, Failure> {
    let store = place.open_stored(&host()).await?.store();
    let (id, _) = stored_head(&*store, &args.conversation).await?;
    let id = &*id;
    let request = match (args.redo, args.turn.or(args.from)) {
        (true, _) => UndoRequest::redo(id),
        (false, Some(first)) if args.from.is_some() => {
            UndoRequest::new(id).with_turns(first.get()..=u32::MAX)
        }
        (false, Some(turn)) => UndoRequest::new(id).with_turns(turn.get()..=turn.get()),
        // Damaged events are left out; `silcrow log verify` reports them.
        (false, None) => last_run(&*store, id).await.map_err(|error| places::failure(&error))?,
    };
    let request = if args.dry_run { request.with_dry_run() } else { request };
    Ok(if args.root.is_some() { request.with_moved_root() } else { request })
}

/// Opens the given folder, or the one in which the changes were made. Without changes any folder
/// will do.
pub(crate) fn root(
    given: Option<&Path>,
    journal: &ChangeJournal,
    request: &UndoRequest,
    place: &StorePlace,
) -> Result<Root, Failure> {
    if let Some(path) = given {
        return Ok(protected_root(path, place)?);
    }
    Ok(ChangedRoot::find(journal, request, place)?.one("--root")?)
}

/// Prints a line for each file, and fails if something could not be taken back.
fn print(report: &UndoReport, args: &UndoArgs) -> Result<(), Failure> {
    if report.files.is_empty() && report.refusals.is_empty() && report.uncovered.is_empty() {
        return nothing();
    }
    let mut out = io::stdout();
    for file in &report.files {
        written(match args.json {
            true => write_json(&mut out, &json(file)),
            false => {
                let word = word(file.outcome, args.dry_run);
                writeln!(out, "{word} {}", sanitize_line(&file.path))
            }
        })?;
    }
    for kept_out in &report.uncovered {
        if args.json {
            written(write_json(&mut out, &uncovered_json(kept_out)))?;
        } else {
            let (path, why) = (sanitize_line(&kept_out.path), sanitize_line(&kept_out.why));
            // If stderr is closed, the remark is lost.
            let _ = writeln!(io::stderr(), "silcrow: not taken back: {path}: {why}");
        }
    }
    for refusal in &report.refusals {
        if args.json {
            written(write_json(&mut out, &refusal_json(refusal)))?;
        } else {
            let diff = refusal.diff.as_deref().unwrap_or_default();
            let (path, why) = (sanitize_line(&refusal.path), sanitize_line(&refusal.why));
            let hint = match refusal.root {
                Some(_) => "; give --root DIR if its files are the same",
                None => "",
            };
            // If stderr is closed, the exit code says that something was refused.
            let _ = write!(io::stderr(), "silcrow: {path}: {why}{hint}\n{}", sanitize(diff));
        }
    }
    match (report.refusals.is_empty(), report.files.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => Err(Failure::running("nothing was taken back; see what is named above")),
        (false, false) => {
            Err(Failure::running("not everything was taken back; see what is named above"))
        }
    }
}

const fn word(outcome: FileOutcome, dry_run: bool) -> &'static str {
    match (outcome, dry_run) {
        (FileOutcome::Restored, true) => "would be restored:",
        (FileOutcome::Removed, true) => "would be removed:",
        _ => outcome.as_str(),
    }
}

fn json(file: &UndoneFile) -> String {
    format!("{{\"file\":{},\"outcome\":\"{}\"}}", Json::string(&file.path), file.outcome.as_str())
}

fn refusal_json(refusal: &UndoRefusal) -> String {
    let diff = refusal.diff.as_deref().map(|diff| format!(",\"diff\":{}", Json::string(diff)));
    let (file, why) = (Json::string(&refusal.path), Json::string(&refusal.why));
    let diff = diff.unwrap_or_default();
    format!("{{\"file\":{file},\"outcome\":\"refused\",\"why\":{why}{diff}}}")
}

fn uncovered_json(uncovered: &UndoRefusal) -> String {
    let (file, why) = (Json::string(&uncovered.path), Json::string(&uncovered.why));
    format!("{{\"file\":{file},\"outcome\":\"uncovered\",\"why\":{why}}}")
}

fn nothing() -> Result<(), Failure> {
    // If stderr is closed, the notice is lost.
    let _ = writeln!(io::stderr(), "silcrow: there is nothing to take back");
    Ok(())
}

fn failed(error: &io::Error) -> Failure {
    Failure::running(format!("cannot take changes back: {error}"))
}
