//! The tool `shell`: a command line, run in the sandbox.
//!
//! The tool has the sandbox and the background commands. The permissions of the run and the person
//! decide which commands run without a question, and which doors are open for them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_egress::EgressProxy;
use silcrow_event::Grant;
use silcrow_sandbox::{ConfinedCommand, Error, ErrorKind, Sandbox, SandboxLevel, SandboxOptions};
use silcrow_tool::{
    ApprovalNeed, CallContext, ChangeKeeper, Preview, Tool, ToolArgs, ToolError, ToolOutput,
    ToolPolicy,
};
use tokio::task::spawn_blocking;

use crate::access::{secret_risk, with_access};
use crate::arguments::{MOST, SCHEMA, ShellArgs};
use crate::background::BackgroundCommands;
use crate::command_shell::CommandShell;
use crate::drive::{MARGIN, drive};
use crate::kept::{KeptCommandFiles, keeps_all, not_undone};
use crate::network::{NetworkDoors, opens_whole_network};
use crate::output::CAP;
use crate::processes::ShellProcesses;
use crate::running::RunningCommand;
use crate::tool_names::SHELL;

/// The tool `shell`, which runs a command line in the sandbox.
///
/// Each call needs approval, unless permissions allow the command. The effects of a command cannot
/// be undone, unless a [keeper](Self::with_keeper) keeps the files before it.
///
/// ```
/// use silcrow_shell::{Sandbox, SandboxOptions, Shell};
/// use silcrow_tool::Tool as _;
///
/// let folder = tempfile::tempdir()?;
/// // A program that makes its own sandbox passes it; `open` makes the best one of this machine.
/// let shell = Shell::new(Sandbox::unconfined(SandboxOptions::new(folder.path()))?);
/// assert_eq!((shell.name(), shell.processes().name()), ("shell", "shell_processes"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shell {
    sandbox: Arc<Sandbox>,
    background: Arc<BackgroundCommands>,
    network: NetworkDoors,
    program: CommandShell,
    keeper: Option<Arc<dyn ChangeKeeper>>,
    /// The reason why no sandbox works here.
    failure: Option<Error>,
}

impl Shell {
    /// Creates the tool with the best sandbox that works here. If none does, the tool works without
    /// confinement, and each call [needs](Preview::needs) the grant `outside`.
    ///
    /// # Errors
    ///
    /// Returns an error if the options name a folder that cannot be used, or if the system refuses a
    /// process.
    pub fn open(options: SandboxOptions) -> Result<Self, Error> {
        match Sandbox::new(options.clone()) {
            Err(error) if error.kind() == ErrorKind::Unavailable => {
                let shell = Self::new(Sandbox::unconfined(options)?);
                Ok(Self { failure: Some(error), ..shell })
            }
            sandbox => Ok(Self::new(sandbox?)),
        }
    }

    /// Creates the tool without walls, because the person has switched the sandbox off. Each call
    /// [needs](Preview::needs) the grant `outside`, as if no sandbox worked.
    ///
    /// # Errors
    ///
    /// Fails as [`open`](Self::open) does.
    pub fn off(options: SandboxOptions) -> Result<Self, Error> {
        Sandbox::unconfined(options).map(Self::new)
    }

    /// Creates the tool with a sandbox.
    pub fn new(sandbox: impl Into<Arc<Sandbox>>) -> Self {
        let program = CommandShell::of_this_system();
        let (background, keeper) = (Arc::default(), None);
        let network = NetworkDoors::new(EgressProxy::new());
        Self { sandbox: sandbox.into(), background, network, program, keeper, failure: None }
    }

    /// Sets the keeper of files, so that the changes of commands can be shown and undone. The
    /// preview of a call then lists only changes that cannot be undone.
    #[must_use]
    pub fn with_keeper(self, keeper: Arc<dyn ChangeKeeper>) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// Replaces the proxy that leads commands to granted hosts when namespaces confine them.
    #[must_use]
    pub fn with_egress(self, proxy: EgressProxy) -> Self {
        Self { network: NetworkDoors::new(proxy), ..self }
    }

    /// Returns the tool `shell_processes`, which lists, reads and stops the background commands of
    /// this one.
    pub fn processes(&self) -> ShellProcesses {
        ShellProcesses::new(Arc::clone(&self.sandbox), Arc::clone(&self.background))
    }

    /// Returns the sandbox that holds the commands.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Returns the sandbox, for other commands that run in it.
    pub fn shared_sandbox(&self) -> Arc<Sandbox> {
        Arc::clone(&self.sandbox)
    }

    /// Returns the reason why no sandbox works here, if [`open`](Self::open) found none.
    pub const fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// Returns the folder that a command runs in: its path without links, and relative to the root.
    fn folder(&self, args: &ShellArgs) -> Result<(PathBuf, String), ToolError> {
        let named = args.folder.as_deref().unwrap_or(".");
        let root = self.sandbox.root();
        let wrong = |why: &str| {
            let words = format!(
                "`folder` is {named:?}, which {why}; name a folder beneath the root, such as \
                 \".\" or \"src\""
            );
            ToolError::new(words)
        };
        let path = root.join(named).canonicalize().map_err(|_| wrong("does not exist"))?;
        let relative = path.strip_prefix(root).map_err(|_| wrong("is outside the root"))?;
        if !path.is_dir() {
            return Err(wrong("is not a folder"));
        }
        let shown = relative.to_str().ok_or_else(|| wrong("has a name that is not UTF-8"))?;
        let shown = if shown.is_empty() { "." } else { shown }.to_owned();
        Ok((path, shown))
    }

    /// Describes a call. Its scope has the exact command and its time limit, so an approval covers
    /// no other command and no longer time.
    async fn describe(&self, args: &ShellArgs) -> Result<Preview, ToolError> {
        let (path, folder) = self.folder(args)?;
        let level = self.sandbox.level();
        let is_outside = level == SandboxLevel::None;
        let place = match is_outside {
            true => format!("in {folder}, without a sandbox"),
            false => format!("in {folder}, sandbox: {level}"),
        };
        let mut effect = format!("runs for at most {} s", args.timeout().as_secs());
        if args.background {
            effect = "runs in the background until it is stopped".to_owned();
        }
        let preview = Preview::new(format!("{}\n{place}", args.command));
        let preview = preview.with_needs(args.needs.grants(&path)?);
        if let Some(reason) = args.needs.reason() {
            effect.push_str(&format!("; the model's reason to leave the sandbox: {reason}"));
        }
        if !is_outside && opens_whole_network(&self.sandbox, &preview.needs) {
            effect.push_str("; without namespaces that opens the whole network");
        }
        if let Some(stays) = not_undone(self.keeper.is_some(), level, &preview.needs) {
            effect.push_str("; ");
            effect.push_str(stays);
        }
        let preview = preview.with_target(place).with_effect(effect);
        let preview = match args.background {
            true => preview.outliving_call(),
            false => preview.with_time_limit(args.timeout()),
        };
        let preview = preview.with_time_in_scope();
        if is_outside {
            return Ok(preview.with_needs([Grant::Outside].into_iter().collect()));
        }
        // It may look through many folders.
        let sandbox = Arc::clone(&self.sandbox);
        let can_enforce = spawn_blocking(move || sandbox.can_enforce_read_only()).await;
        let preview = match can_enforce {
            Ok(true) => preview.enforceably_read_only(),
            _ => preview,
        };
        let risk = secret_risk(&self.sandbox, &path, &args.command);
        Ok(risk.into_iter().fold(preview, Preview::with_risk))
    }

    async fn run(
        &self,
        args: ToolArgs<'_>,
        context: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let args = ShellArgs::read(args)?;
        let (folder, shown) = self.folder(&args)?;
        let command = ConfinedCommand::new(self.program.words(&args.command));
        let command = command.with_folder(&folder);
        let command = with_access(command, &args.command, &folder, &self.sandbox, context)?;
        let (command, doors) =
            self.network.open(command, &args.command, &self.sandbox, context).await?;
        let sandbox = Arc::clone(&self.sandbox);
        let kept = KeptCommandFiles::begin(self.keeper.as_ref(), context).await;
        if args.background {
            let command = command.with_look_every(LOOK_EVERY);
            let running = RunningCommand::start(&sandbox, command, &args.command).await?;
            let running = running.with_doors(doors);
            running.end_call();
            let id = self.background.add(context, &args.command, &shown, running, kept)?;
            let words = format!("started {id}");
            return Ok(ToolOutput::new(words, "").with_notice(format!(
                "it runs in the background as {id}; `shell_processes` reads its output and stops it"
            )));
        }
        let limit = args.timeout();
        let watched = context.clone();
        // A call that is dropped still waits until its last process has ended.
        let driven = async move {
            kept.end_with(drive(&sandbox, command, doors, &args.command, limit, &watched).await)
                .await
        };
        let output = context.run_to_end(driven).await??;
        Ok(self.background.with_early_changes(context, output))
    }
}

impl Tool for Shell {
    fn name(&self) -> &'static str {
        SHELL
    }

    fn description(&self) -> &'static str {
        let level = self.sandbox.level();
        match (level.closes_network(), self.sandbox.hides_secrets()) {
            _ if level == SandboxLevel::None => DESCRIPTION_UNCONFINED,
            (true, false) => DESCRIPTION,
            (true, true) => DESCRIPTION_HIDING,
            (false, false) => DESCRIPTION_WITH_NETWORK,
            (false, true) => DESCRIPTION_WITH_NETWORK_HIDING,
        }
    }

    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy {
            sends_out: !self.sandbox.level().closes_network(),
            approval: ApprovalNeed::Always,
            timeout: MOST + MARGIN,
            output_cap: Some(CAP),
            ..ToolPolicy::default()
        }
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move { self.describe(&ShellArgs::read(args)?).await }.boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.run(args, context).boxed()
    }

    fn can_undo(&self, args: ToolArgs<'_>) -> bool {
        self.keeper.is_some() && keeps_all(args, &self.sandbox)
    }

    fn undo<'a>(
        &'a self,
        call: &'a str,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        match &self.keeper {
            Some(keeper) => keeper.undo(call, context),
            None => async { Err(ToolError::new("what commands change is not kept")) }.boxed(),
        }
    }
}

/// Describes the tool in a sandbox, including the network and secrets.
macro_rules! confined {
    ($more:literal) => {
        concat!(
            "Runs a shell command line in the folder of the project, in a sandbox: it writes only in \
             that folder and in $TMPDIR, .git and other protected paths are read-only",
            $more,
            " `needs` asks for more, such as git's data for a commit. Standard input is empty. Exit status and signal are in the notices; another status than 0 \
              is a failure."
        )
    };
}

const DESCRIPTION: &str = confined!(", and no server outside of it is reached.");

const DESCRIPTION_HIDING: &str = confined!(
    ", and no server outside of it is reached. Files that usually hold secrets look empty, unless the command names \
     them and a person agrees."
);

const DESCRIPTION_WITH_NETWORK: &str = confined!(".");

const DESCRIPTION_WITH_NETWORK_HIDING: &str = confined!(
    ". Files that usually hold secrets look empty, unless the command names them and a person agrees."
);

const DESCRIPTION_UNCONFINED: &str = "Runs a shell command line in the folder of the project, \
    without a sandbox. Standard input is empty. Exit status and signal are in the \
    notices; another status than 0 is a failure.";

/// The time between two looks at a background command's changes of files that programs run
/// automatically.
const LOOK_EVERY: Duration = Duration::from_secs(2);
