//! The watcher: it looks at a command's changes of files that programs run automatically.
//!
//! It is the outermost helper, if there is anything to search for. It starts the supervisor, and
//! then confines itself to listing and renaming in the folders that the command may change. So the
//! watcher reads and changes nothing elsewhere, whatever a command puts in its way.
//!
//! ```text
//! program ── socket ── watcher ── socket ── supervisor ── …
//! ```

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use landlock::{ABI, Access as _, AccessFs, PathBeneath, RulesetCreatedAttr as _};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::setsid;
use rustix::thread::set_no_new_privs;

use super::chain::{poll_again, start};
use super::git_guard::GitGuard;
use super::held_folder::HeldFolder;
use super::start_file_changes::StartFileChanges;
use super::start_files::StartFiles;
use super::{SUPERVISE, capabilities, files, receive_namespaces, send_namespaces, socket};
use crate::supervised::own_id;
use crate::supervised::settings::{self, HelperReport, HelperSettings};

pub(super) fn run() -> io::Result<()> {
    let program = socket()?;
    let Some(namespaces) = receive_namespaces(&program)? else { return Ok(()) };
    let Some(settings) = settings::read::<HelperSettings>(&program)? else { return Ok(()) };
    let report = watch(&program, settings, &namespaces).unwrap_or_else(HelperReport::failed);
    settings::write(&program, &report)
}

fn watch(
    program: &UnixStream,
    mut settings: HelperSettings,
    namespaces: &[OwnedFd],
) -> Result<HelperReport, String> {
    setsid().map_err(failed("get a session"))?;
    let (mut child, supervisor) = start(SUPERVISE).map_err(failed("start the supervisor"))?;
    let passed: Vec<_> = namespaces.iter().map(|namespace| namespace.as_fd()).collect();
    send_namespaces(&supervisor, &passed).map_err(failed("pass on the network"))?;
    let roots = settings.watched.iter().map(|path| HeldFolder::open(path));
    let roots = roots.collect::<io::Result<Vec<_>>>().map_err(failed("open the root"))?;
    let mut git = GitGuard::open(&settings).map_err(failed("open the repository"))?;
    confine(&roots, &settings).map_err(failed("confine what looks at files"))?;
    let mut start_files = StartFiles::note(roots, &mut settings);
    if let Some(git) = &mut git {
        git.note(&mut settings).map_err(failed("guard the repository"))?;
    }
    settings.guardians.push(own_id());
    settings::write(&supervisor, &settings).map_err(failed("send settings"))?;
    pass_on_end(program, &supervisor).map_err(failed("start a thread"))?;

    let every = settings.look_every_ms.map(Duration::from_millis);
    let (mut pause, mut room) = (every, MOST_EARLY);
    let mut held_back = StartFileChanges::default();
    while !is_over(&supervisor, pause).map_err(failed("wait"))? {
        let begin = Instant::now();
        look_at_git(&mut git, false, &mut held_back);
        held_back.add(start_files.look());
        let length = held_back.length();
        if length > 0 && length <= room {
            room -= length;
            let report = HelperReport { is_running: true, ..HelperReport::default() };
            // A program that is gone is the end of the command, which comes next.
            let _ = settings::write(program, &std::mem::take(&mut held_back).reported(report));
        }
        pause = every.map(|every| every.max(begin.elapsed() * SHARE));
    }
    let report = settings::read::<HelperReport>(&supervisor).map_err(failed("read the report"))?;
    // It exits right after its report.
    let _ = child.wait();
    look_at_git(&mut git, true, &mut held_back);
    held_back.add(start_files.look());
    let report = report.ok_or("the supervisor of the command ended without a report")?;
    Ok(held_back.reported(report))
}

/// Looks at the repository, before the start files: whether a new `.git` may stay depends on it.
fn look_at_git(git: &mut Option<GitGuard>, is_last: bool, changes: &mut StartFileChanges) {
    if let Some(git) = git {
        git.look(is_last, changes);
    }
}

/// Confines this process to listing and renaming beneath the roots, and to reading there if there
/// is a repository. If the command may change the repository, its guarded files can be written.
fn confine(roots: &[HeldFolder], settings: &HelperSettings) -> Result<(), Box<dyn Error>> {
    capabilities::give_up()?;
    set_no_new_privs(true)?;
    let made = AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::MakeSym
        | AccessFs::MakeFifo
        | AccessFs::MakeSock
        | AccessFs::MakeChar
        | AccessFs::MakeBlock;
    let listing = AccessFs::ReadDir | AccessFs::RemoveFile | AccessFs::RemoveDir | made;
    let writing = listing | AccessFs::ReadFile | AccessFs::WriteFile;
    let repository = settings.repository.as_ref();
    let of_roots = match repository {
        None => listing,
        // The kernel guards the paths in the roots, or they have to be put back.
        Some(it) if it.is_granted && !settings.layers.namespaces => writing,
        Some(_) => listing | AccessFs::ReadFile,
    };
    let mut rules = files::ruleset()?;
    for root in roots {
        let rights = of_roots & AccessFs::from_all(ABI::V1);
        rules = rules.add_rule(PathBeneath::new(root.opened(), rights))?;
    }
    if let Some(repository) = repository
        && let Ok(common) = HeldFolder::open(&repository.common)
    {
        let reading = AccessFs::ReadDir | AccessFs::ReadFile;
        let rights = if repository.is_granted { writing } else { reading };
        let rights = rights & AccessFs::from_all(ABI::V1);
        rules = rules.add_rule(PathBeneath::new(common.opened(), rights))?;
    }
    files::restrict(rules).map(drop)
}

/// Ends the supervisor's input when the program's ends, even while this process looks at files.
fn pass_on_end(program: &UnixStream, supervisor: &UnixStream) -> io::Result<()> {
    let (program, supervisor) = (program.try_clone()?, supervisor.try_clone()?);
    let thread = thread::Builder::new().name("sandbox-end".to_owned());
    thread.spawn(move || {
        let mut end = [PollFd::new(&program, PollFlags::IN)];
        let _ = poll_again(&mut end, None);
        // It fails if the supervisor has ended.
        let _ = supervisor.shutdown(Shutdown::Write);
    })?;
    Ok(())
}

/// Waits for the report of the supervisor, for a while; returns whether it is there.
fn is_over(supervisor: &UnixStream, pause: Option<Duration>) -> io::Result<bool> {
    let pause = pause.map(Timespec::try_from).transpose().map_err(io::Error::other)?;
    let mut end = [PollFd::new(supervisor, PollFlags::IN)];
    Ok(poll_again(&mut end, pause.as_ref())? > 0)
}

impl StartFileChanges {
    fn add(&mut self, later: Self) {
        self.set_aside.extend(later.set_aside);
        self.changed.extend(later.changed);
        self.restored.extend(later.restored);
        self.is_cut = later.is_cut;
    }

    /// Returns the number of bytes of the paths.
    fn length(&self) -> usize {
        let length = |paths: &[PathBuf]| paths.iter().map(|path| path.as_os_str().len()).sum();
        let (aside, changed): (usize, usize) = (length(&self.set_aside), length(&self.changed));
        aside + changed + length(&self.restored)
    }

    fn reported(self, report: HelperReport) -> HelperReport {
        let Self { set_aside, changed, restored, is_cut } = self;
        HelperReport { set_aside, changed, restored, is_cut, ..report }
    }
}

fn failed<E: Display>(what: &'static str) -> impl FnOnce(E) -> String {
    move |error| format!("the sandbox cannot {what}: {error}")
}

/// The bytes of paths that are sent before the end, so that a program that does not read them
/// stops nothing.
const MOST_EARLY: usize = 32 * 1024;

/// A look that takes long is made as much more rarely.
const SHARE: u32 = 20;
