//! The hooks of a session: the selection for an event, and their joint decision.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use silcrow_event::{HookEffect, HookRun};
use silcrow_sanitize::sanitize_line;
use tokio::time::{Instant, timeout};

use crate::hook::{Hook, HookEvent};
use crate::hook_call::HookCall;
use crate::observer::HookObserver;
use crate::process::{HookProcess, PersonProcess};
use crate::verdict::{HookOutcome, HookVerdict};

/// The hooks of a session. Clones share the reports of their runs.
///
/// The crate's first page has an example.
#[derive(Clone)]
pub struct Hooks {
    hooks: Arc<[Hook]>,
    folder: PathBuf,
    own: Arc<dyn HookProcess>,
    /// The process that runs the hooks of a project.
    confined: Option<Arc<dyn HookProcess>>,
    reports: Arc<Mutex<Vec<Option<HookReport>>>>,
    observer: Arc<OnceLock<Box<dyn HookObserver>>>,
}

/// The last run of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookReport {
    /// The time that it took.
    pub time: Duration,
    /// The outcome, in a word or a sentence.
    pub outcome: String,
}

impl Hooks {
    /// Creates hooks that run in a folder. A person's hooks run in their shell. A project's hooks need a
    /// process that [confines](Self::with_confined_process) them, and count as failed without one.
    ///
    /// ```
    /// use silcrow_hooks::{Hook, HookEvent, Hooks};
    ///
    /// let hooks = Hooks::new([Hook::new(HookEvent::Stop, "make check")], "/work");
    /// assert!(hooks.has(HookEvent::Stop) && !hooks.has(HookEvent::PreToolUse));
    /// ```
    pub fn new(hooks: impl Into<Vec<Hook>>, folder: impl Into<PathBuf>) -> Self {
        let (hooks, folder) = (hooks.into(), folder.into());
        let own = Arc::new(PersonProcess::new(&folder));
        let reports = Arc::new(Mutex::new(vec![None; hooks.len()]));
        let observer = Arc::default();
        Self { hooks: hooks.into(), folder, own, confined: None, reports, observer }
    }

    /// Sets the process that runs the hooks of the person.
    #[must_use]
    pub fn with_process(self, own: impl HookProcess + 'static) -> Self {
        Self { own: Arc::new(own), ..self }
    }

    /// Sets the process that runs the hooks of a project.
    #[must_use]
    pub fn with_confined_process(self, confined: impl HookProcess + 'static) -> Self {
        Self { confined: Some(Arc::new(confined)), ..self }
    }

    /// Sets the observer of runs, for all clones. The first one counts.
    pub fn set_observer(&self, observer: impl HookObserver + 'static) {
        let _ = self.observer.set(Box::new(observer));
    }

    /// Returns whether it has no hooks.
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Returns whether a hook runs at an event.
    pub fn has(&self, event: HookEvent) -> bool {
        self.hooks.iter().any(|hook| hook.event == event)
    }

    /// Returns the hooks, each with its last run.
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use silcrow_hooks::{Hook, HookCall, HookEvent, Hooks};
    ///
    /// let hooks = [Hook::new(HookEvent::PreToolUse, "true"), Hook::new(HookEvent::Stop, "true")];
    /// let hooks = Hooks::new(hooks, ".");
    /// hooks.run(&HookCall::before_tool("c1", "shell", "{}")).await;
    /// // Only the first one has run.
    /// let has_run: Vec<_> = hooks.all().iter().map(|(_, report)| report.is_some()).collect();
    /// assert_eq!(has_run, [true, false]);
    /// # });
    /// # }
    /// ```
    pub fn all(&self) -> Vec<(Hook, Option<HookReport>)> {
        let reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        self.hooks.iter().cloned().zip(reports.iter().cloned()).collect()
    }

    /// Runs the hooks that an event concerns, in their order, until one blocks. The reason of a block names the
    /// hook.
    ///
    /// # Panics
    ///
    /// The future panics outside a tokio runtime.
    pub async fn run(&self, call: &HookCall) -> HookOutcome {
        let mut all = HookOutcome::default();
        let folder = self.folder.to_string_lossy();
        let mut told = None;
        for (index, hook) in self.hooks.iter().enumerate() {
            let is_meant = hook.event == call.event()
                && call.tool().is_none_or(|tool| hook.matcher.fits(tool));
            if !is_meant {
                continue;
            }
            let told = told.get_or_insert_with(|| call.to_json(&folder));
            let begun = Instant::now();
            let outcome = self.run_one(hook, told).await;
            let time = begun.elapsed();
            let report = HookReport { time, outcome: described(&outcome) };
            self.reports.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(report);
            let failure = outcome.as_ref().err().cloned();
            let outcome = outcome.unwrap_or_else(|why| self.failed(hook, &why));
            if let Some(observer) = self.observer.get() {
                let (effect, content) = effect(&outcome, failure);
                let mut run = HookRun::new(hook.event.as_str(), beginning(hook), effect);
                (run.id, run.tool) =
                    (call.call_id().map(str::to_owned), call.tool().map(str::to_owned));
                (run.content, run.time, run.is_of_project) = (content, time, !hook.is_own);
                observer.ran(call.conversation(), run).await;
            }
            all.context.extend(outcome.context);
            all.messages.extend(outcome.messages);
            match outcome.verdict {
                HookVerdict::GoOn => {}
                HookVerdict::Ask(why) => {
                    let name = name(hook);
                    all.verdict = HookVerdict::Ask(match &*why {
                        "" => format!("the hook {name} wants you to decide"),
                        why => format!("the hook {name} wants you to decide: {why}"),
                    });
                }
                HookVerdict::Block(why) => {
                    let name = name(hook);
                    all.verdict = HookVerdict::Block(match &*why {
                        "" => format!("the hook {name} says no"),
                        why => format!("the hook {name} says: {why}"),
                    });
                    return all;
                }
            }
        }
        all
    }

    async fn run_one(&self, hook: &Hook, told: &str) -> Result<HookOutcome, String> {
        let process = match (hook.is_own, &self.confined) {
            (true, _) => &self.own,
            (false, Some(confined)) => confined,
            (false, None) => return Err("hooks of a project run in a sandbox only".to_owned()),
        };
        let output = timeout(hook.timeout, process.run(hook, told))
            .await
            .map_err(|_| format!("it took longer than {} s", hook.timeout.as_secs_f64()))??;
        HookOutcome::read(hook, &output)
    }

    /// Returns the outcome of a failure: a guard blocks.
    fn failed(&self, hook: &Hook, why: &str) -> HookOutcome {
        let mut outcome = HookOutcome::default();
        match hook.event.is_guard() && !hook.goes_on {
            true => outcome.verdict = HookVerdict::Block(format!("it failed: {why}")),
            false => outcome.messages.push(format!("the hook {} failed: {why}", name(hook))),
        }
        outcome
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("hooks", &self.hooks).finish_non_exhaustive()
    }
}

/// Returns the name of a hook.
fn name(hook: &Hook) -> String {
    format!("`{}`", beginning(hook))
}

/// Returns the beginning of the command of a hook.
fn beginning(hook: &Hook) -> String {
    let command = sanitize_line(&hook.command);
    match command.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &command[..end]),
        None => command.into_owned(),
    }
}

/// Returns the effect of a run, and the text of the hook.
fn effect(outcome: &HookOutcome, failure: Option<String>) -> (HookEffect, String) {
    match &outcome.verdict {
        HookVerdict::Block(why) => (HookEffect::Blocked, why.clone()),
        HookVerdict::Ask(why) => (HookEffect::Asked, why.clone()),
        HookVerdict::GoOn if !outcome.context.is_empty() => {
            (HookEffect::Added, outcome.context.join("\n"))
        }
        HookVerdict::GoOn => match failure {
            Some(why) => (HookEffect::Failed, why),
            None => (HookEffect::Passed, outcome.messages.join("\n")),
        },
    }
}

fn described(outcome: &Result<HookOutcome, String>) -> String {
    match outcome.as_ref().map(|outcome| &outcome.verdict) {
        Ok(HookVerdict::GoOn) => "went on".to_owned(),
        Ok(HookVerdict::Ask(_)) => "asked".to_owned(),
        Ok(HookVerdict::Block(why)) => format!("blocked: {why}"),
        Err(why) => format!("failed: {why}"),
    }
}

/// The number of characters of a command that name a hook.
const LONGEST: usize = 60;
