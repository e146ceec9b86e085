//! Runs commands in a sandbox of the kernel, and ends whole process trees.
//!
//! ```toml
//! [dependencies]
//! silcrow-sandbox = "0.1"
//! ```
//!
//! ```rust,standalone_crate
//! use std::io::Read as _;
//!
//! use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxOptions};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // First of all: this program is also the helper that confines commands.
//!     silcrow_sandbox::run_helper_if_asked();
//!
//!     let sandbox = Sandbox::new(SandboxOptions::new(".").with_protected(".git"))?;
//!     assert_eq!(sandbox.level().to_string(), "files and network");
//!
//!     let script = "ls / 2>/dev/null || echo denied; sleep 1000 & exit 3";
//!     let mut process = sandbox.spawn(&ConfinedCommand::shell(script))?;
//!     let mut output = String::new();
//!     process.stdout.read_to_string(&mut output)?;
//!     assert_eq!(output, "denied\n");
//!     // The process in the background has ended, too.
//!     assert_eq!(process.end.wait()?.code, Some(3));
//!     Ok(())
//! }
//! ```
//!
//! All code here is safe Rust, so nothing runs between `fork` and `exec`. Instead the program
//! starts itself again, twice:
//!
//! ```text
//! program ── socket ── supervisor ── socket ── keeper ── command ── …
//!                      ends the tree           confines itself, then starts the command
//! ```
//!
//! With namespaces there is also a *holder*, one for all commands of a sandbox. It keeps their
//! shared network and creates sockets in it for the program.
//!
//! The supervisor adopts orphans and ends everything beneath it when the command ends, when
//! [`ProcessGuard`] is dropped, or when the program dies for any reason. [`ProcessOutcome`] has the
//! number of processes that were still running when the command had ended.
//!
//! No other program, such as bubblewrap, and no privileges are needed.
//!
//! On macOS there is only the supervisor. It starts the command through the system's `sandbox-exec`
//! with a Seatbelt profile, and ends its process group; this was never tried on a Mac. Programs can
//! ask for the actual confinement: [`Sandbox::level`], [`Sandbox::network_opening`]. The rest of
//! this page is about Linux.
//!
//! # Layers
//!
//! [`Sandbox::new`] finds out what works on this machine by trying to break out, and uses the best
//! of these layers. A layer that fails is an error and never skipped silently. A program that
//! starts often can [remember](SandboxOptions::with_trial_memory) in a file that all layers work;
//! the trials then run before the first command instead.
//!
//! | | Landlock and seccomp | and namespaces |
//! |---|---|---|
//! | needed | Linux 5.13 | user namespaces, or root |
//! | read | the root, the system without its secrets, toolchains, and what the caller adds | the same |
//! | write | the root, a temporary folder, and what the caller adds | the same, and a separate `/dev/shm` |
//! | modes and times of other files | can be changed, if the user may | cannot be changed |
//! | extended attributes and flags of files, and giving them to other users | denied, even in the root | as outside, in the root |
//! | memory, messages and semaphores of System V, and POSIX queues | cannot be used | the command's own |
//! | priorities, processors and memory of other processes | cannot be changed | the same |
//! | a file with a secret name | cannot be read, and nothing can be made in its folder | looks empty, and cannot be written |
//! | a protected path that exists | cannot be changed, and nothing can be made, removed or renamed in its folder | cannot be changed |
//! | the same while another process replaces it | nothing changes | the new file is not protected from commands that run |
//! | a protected path that does not exist | cannot be made, and nothing else in its folder | can be made; after the command it is renamed to `NAME.set-aside-1` |
//! | a protected name in an existing folder | directly beneath the root like a protected path; deeper, a change is reported after the command | cannot be changed |
//! | a protected name that does not exist | can be made; after the command it is renamed to `NAME.set-aside-1` | the same |
//! | network | only socket pairs within the command | the loopback interface of a network that [all commands share](SharedNetwork), and nothing outside of it |
//! | local sockets | only socket pairs within the command | sockets of commands; sockets of other programs are absent or covered, except one that is made while the command runs, in a folder that it sees, before Linux 7.1, which is reported after the command |
//! | files that cannot be read | are visible by name | are absent |
//! | other processes | cannot be read or traced; only from Linux 6.12 on cannot be signalled, except the program and its helpers, which never can; their command lines can be read | cannot be seen |
//! | the repository's data, for a command [with git](ConfinedCommand::with_git) | hooks, settings, attributes and pointers to other git folders are put back after the command | they cannot be changed; what git may lack, such as `commondir`, is renamed after the command |
//! | the end of the tree | a loop finds and kills everything; if the supervisor is killed, orphans may be left | the kernel ends it at once |
//!
//! Before each command, files with secret names are searched for in the first 200,000 entries and
//! 64 levels; [`ProcessOutcome`] says which were hidden, and whether some of the tree was not
//! searched. Not hidden are files that get such a name while a command runs, hard links under other
//! names, and contents that git has stored.
//!
//! A [read-only](ConfinedCommand::read_only) command changes nothing outside of the temporary
//! folder, and has no network and no sockets except socket pairs, in both columns. A command that
//! sees [secrets by name](ConfinedCommand::with_secrets) has no local sockets either: it could pass
//! its open files on. Without seccomp, at the level `files only`, sockets are open.
//!
//! A command can get doors that others lack: the [git data](ConfinedCommand::with_git) of the
//! repository [around the root](SandboxOptions::with_repository), [another path to
//! read](ConfinedCommand::with_readable) or [to write](ConfinedCommand::with_writable), or [no
//! walls at all](ConfinedCommand::without_walls). A door closes with its command.
//!
//! Under the right to change git's data, everything that makes git run programs stays guarded,
//! including in the git folders of submodules and of linked working trees: `hooks`, `config` and
//! the files that it names in the git folder, `config.worktree`, `info/attributes`,
//! `objects/info/alternates`, `modules`, `branches`, `remotes`, the pointers `commondir` and
//! `gitdir`, and the rest of a rebase with new `exec` lines. With namespaces, those that are
//! missing are made empty, which means nothing to git. A linked working tree beneath the root can
//! be made and removed; its `.git` stays if it leads to its own folder in the repository. Git
//! itself gets settings that keep it from writing `config` for a new branch. Without namespaces
//! only one such command runs at a time, the rest of the root can be changed, too, and its
//! protected paths are put back in the same way.
//!
//! Protected names are searched for before and after a command, however many other names there are,
//! and while it runs if [`ConfinedCommand::with_look_every`] says so; [`ProcessOutcome`] lists the
//! findings, and anything that could not be read. A third helper, the *watcher*, does this. It is
//! confined to listing and renaming beneath the command's folders, and follows no links.
//!
//! Every command runs without new privileges, terminal, inherited descriptors or core dumps, cannot
//! create setuid or setgid programs, and gets an empty standard input, a new session, a short
//! environment and [`ResourceLimits`].
//!
//! # What this crate does not do
//!
//! - It does not decide which commands may run.
//! - It has no clock: the caller stops a command that takes too long.
//! - It does not limit the memory of a whole tree, disk space or the processor.
//! - It does not protect a folder from commands that have it as their root, except for protected
//!   paths.
//! - It does not filter names: names beneath a hidden folder inside a readable one may be listed.
//! - It does not confine 32-bit programs: on x86-64 they are killed.
//! - It confines nothing on Windows: commands run as the user, and are only started and ended.

#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    expect(dead_code, reason = "nothing is confined on this system")
)]
mod command;
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    expect(dead_code, reason = "nothing is confined on this system")
)]
mod command_doors;
mod default_paths;
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    expect(dead_code, reason = "nothing is confined on this system")
)]
mod environment;
mod error;
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    expect(dead_code, reason = "nothing is confined on this system")
)]
mod git_environment;
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    expect(dead_code, reason = "nothing is confined on this system")
)]
mod level;
mod limits;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", all(test, target_os = "linux")))]
mod macos;
mod network;
#[cfg(not(target_os = "linux"))]
mod no_network;
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    expect(dead_code, reason = "nothing is confined on this system")
)]
mod options;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod other;
mod owned_file;
mod paths;
mod process;
mod program;
mod read_only;
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    expect(dead_code, reason = "nothing is confined on this system")
)]
mod repository;
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    expect(dead_code, reason = "nothing is confined on this system")
)]
mod sandbox;
mod search_path;
mod settings_files;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod supervised;
mod system;
mod temp_folder;

pub use crate::command::ConfinedCommand;
pub use crate::error::{Error, ErrorKind};
pub use crate::level::{SandboxLayers, SandboxLevel};
pub use crate::limits::ResourceLimits;
pub use crate::network::{NetworkOpening, SharedNetwork};
pub use crate::options::SandboxOptions;
pub use crate::process::{
    ConfinedProcess, ProcessEnd, ProcessGuard, ProcessOutcome, ProtectedChanges,
};
pub use crate::program::{harden_this_process, run_helper_if_asked};
pub use crate::repository::repository_settings;
pub use crate::sandbox::Sandbox;
