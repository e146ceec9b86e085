use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::Kind;
use silcrow_plan as plan;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinError, JoinSet};

use crate::approve::{Answer, Approver, Extent, Question};
use crate::call::{Call, Means, message, refused};
use crate::cancel::Cancel;
use crate::context::Context;
use crate::journal::{Journal, Unwritten};
use crate::near::near;
use crate::news::{Ended, News};
use crate::tool::{Args, Failure};
use crate::toolbox::Toolbox;
use crate::validate::{Subset, Validator};

/// Runs calls in parallel. Each attempt that was started and not stopped ends once.
///
/// The runner belongs to one loop, which hands calls in with [`start`](Self::start) and waits at
/// [`next`](Self::next). Dropping it stops what runs.
pub struct Runner {
    toolbox: Arc<Toolbox>,
    approver: Arc<dyn Approver>,
    validator: Arc<dyn Validator>,
    journal: Arc<dyn Journal>,
    settings: Settings,
    conversation: String,
    turn: u32,
    root: Option<PathBuf>,
    path: Vec<String>,
    cancel: Cancel,
    /// Calls that wait for a yes, in call order.
    unapproved: VecDeque<Call>,
    /// It was told that the first of them is asked about.
    announced: bool,
    /// One question at most: about the first of them.
    asking: JoinSet<Answer>,
    /// Tools and what a person allowed of them for the conversation.
    granted: BTreeSet<(&'static str, String, String)>,
    /// Calls that wait for a place.
    waiting: VecDeque<Call>,
    running: JoinSet<Ended>,
    /// How to stop each of them, by id.
    stops: HashMap<String, AbortHandle>,
    /// What is told before anything is waited for.
    told: VecDeque<News>,
    /// What running calls have to tell.
    heard: mpsc::Receiver<News>,
    news: mpsc::Sender<News>,
}

/// The bounds of a [`Runner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct Settings {
    /// Tools that run at once; further calls wait in order.
    pub max_parallel: NonZeroUsize,
    /// Bytes of text that one call may give to the model; what is cut is counted in a last line.
    pub output_cap: usize,
    /// How long an attempt may take at most, whatever the model says.
    pub longest: Duration,
}

impl Default for Settings {
    /// 16 tools, 256 KiB, an hour.
    fn default() -> Self {
        const SIXTEEN: NonZeroUsize = NonZeroUsize::new(16).expect("16 is not zero");
        Self { max_parallel: SIXTEEN, output_cap: 256 * 1024, longest: Duration::from_secs(3600) }
    }
}

/// Pieces of news that running calls may be ahead of whoever listens.
const NEWS: usize = 256;

impl Runner {
    /// A runner of these tools, with the default settings and the [`Subset`] validator.
    pub fn new(toolbox: Arc<Toolbox>, approver: Arc<dyn Approver>) -> Self {
        let (news, heard) = mpsc::channel(NEWS);
        Self {
            toolbox,
            approver,
            validator: Arc::new(Subset),
            journal: Arc::new(Unwritten),
            settings: Settings::default(),
            conversation: String::new(),
            turn: 0,
            root: None,
            path: Vec::new(),
            cancel: Cancel::new(),
            unapproved: VecDeque::new(),
            announced: false,
            asking: JoinSet::new(),
            granted: BTreeSet::new(),
            waiting: VecDeque::new(),
            running: JoinSet::new(),
            stops: HashMap::new(),
            told: VecDeque::new(),
            heard,
            news,
        }
    }

    /// The same runner with other bounds.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// The same runner with somebody who is told before each call starts.
    #[must_use]
    pub fn with_journal(self, journal: impl Journal + 'static) -> Self {
        Self { journal: Arc::new(journal), ..self }
    }

    /// The same runner with another validator.
    #[must_use]
    pub fn with_validator(self, validator: Arc<dyn Validator>) -> Self {
        Self { validator, ..self }
    }

    /// The same runner for a turn of a conversation, as its tools will see it.
    #[must_use]
    pub fn in_turn(self, conversation: impl Into<String>, turn: u32) -> Self {
        Self { conversation: conversation.into(), turn, ..self }
    }

    /// The same runner with the folder that the run works in.
    #[must_use]
    pub fn at(self, root: impl Into<PathBuf>) -> Self {
        Self { root: Some(root.into()), ..self }
    }

    /// The same runner under a stop sign: what it starts stops when that is up.
    #[must_use]
    pub fn under(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.child(), ..self }
    }

    /// The same runner for an agent that others called, the outermost first.
    #[must_use]
    pub fn within(self, path: Vec<String>) -> Self {
        Self { path, ..self }
    }

    /// Nobody is asked about calls of this kind and name that this covers: a person allowed it for
    /// the conversation.
    pub fn grant(&mut self, kind: Kind, name: impl Into<String>, covers: impl Into<String>) {
        self.granted.insert((kind.as_str(), name.into(), covers.into()));
    }

    /// Starts an attempt at a call: at once, when there is a place, or when somebody said yes to
    /// it, as its tool's policy has it. A call that cannot run is answered with a failure that says
    /// why.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn start(&mut self, ready: plan::Ready) {
        let Some(tool) = self.toolbox.get_as(ready.kind(), ready.name()).cloned() else {
            return self.refuse(&ready, "unknown tool", &self.unknown(&ready));
        };
        if let Err(why) = self.validator.check(tool.schema(), ready.args()) {
            return self.refuse(&ready, "bad arguments", &why);
        }
        let policy = tool.policy();
        let asks = policy.needs_approval && ready.attempt() == 1;
        let covers = if asks { tool.covers(Args::new(ready.args())) } else { String::new() };
        let call = Call { ready, tool, policy, covers };
        if asks {
            self.unapproved.push_back(call);
        } else {
            self.waiting.push_back(call);
        }
        self.go_on();
    }

    /// Waits for what there is to tell; `None` if nothing runs and nothing waits. Cancel-safe.
    pub async fn next(&mut self) -> Option<News> {
        loop {
            self.go_on();
            if let Some(news) = self.told.pop_front() {
                return Some(news);
            }
            self.ask();
            if self.running.is_empty() && self.asking.is_empty() {
                return None;
            }
            tokio::select! {
                biased;
                Some(news) = self.heard.recv() => {
                    // A thread that a tool left behind has nothing to tell any more.
                    let is_late = matches!(&news, News::Progress(progress) if !self.stops.contains_key(&progress.id));
                    if !is_late {
                        return Some(news);
                    }
                }
                Some(ended) = self.running.join_next() => match ended {
                    Ok(ended) => {
                        self.stops.remove(&ended.id);
                        return Some(News::Ended(ended));
                    }
                    // Tools panic further in, so this mistake is our own.
                    Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
                    // It was stopped, or the runtime is shutting down.
                    Err(_) => {}
                },
                Some(answer) = self.asking.join_next() => return Some(self.answered(answer)),
            }
        }
    }

    /// Stops one call: it is dropped, never starts, or is asked about no more. Its plan answers it.
    pub fn stop(&mut self, id: &str) {
        if self.unapproved.front().is_some_and(|call| call.ready.id() == id) {
            self.asking = JoinSet::new();
            self.announced = false;
        }
        self.unapproved.retain(|call| call.ready.id() != id);
        self.waiting.retain(|call| call.ready.id() != id);
        self.told.retain(|news| !matches!(news, News::Ended(ended) if ended.id == id));
        if let Some(running) = self.stops.remove(id) {
            running.abort();
        }
    }

    /// Stops everything at once: running tools are dropped, waiting calls never start, questions
    /// are taken back. None of these calls has an outcome here, their plan answers
    /// them (P-28). [`start`](Self::start) begins anew.
    pub fn cancel(&mut self) {
        std::mem::take(&mut self.cancel).trigger();
        self.unapproved.clear();
        self.announced = false;
        self.asking = JoinSet::new();
        self.waiting.clear();
        self.running = JoinSet::new();
        self.stops.clear();
        self.told.clear();
    }

    /// Fills the free places, and tells of the next question.
    fn go_on(&mut self) {
        while let Some(call) = self.unapproved.front()
            && !self.announced
        {
            let (kind, name) = (call.ready.kind(), call.ready.name());
            let key = (kind.as_str(), name.to_owned(), call.covers.clone());
            if self.granted.contains(&key) {
                self.waiting.extend(self.unapproved.pop_front());
            } else {
                self.told.push_back(News::Asked { id: call.ready.id().to_owned() });
                self.announced = true;
            }
        }
        while self.running.len() < self.settings.max_parallel.get()
            && let Some(call) = self.waiting.pop_front()
        {
            let id = call.ready.id().to_owned();
            let context = Context::new(&*self.conversation, &*id, self.cancel.child());
            let context = context.in_turn(self.turn).at(self.root.clone());
            let context = context.within(self.path.clone());
            let Settings { output_cap, longest, .. } = self.settings;
            let means = Means {
                journal: Arc::clone(&self.journal),
                context: context.telling(self.news.clone()),
                output_cap,
                longest,
            };
            let stop = self.running.spawn(call.run(means));
            self.stops.insert(id, stop);
        }
    }

    /// Puts the question that was told of.
    fn ask(&mut self) {
        if self.announced
            && self.asking.is_empty()
            && let Some(Call { ready, covers, .. }) = self.unapproved.front()
        {
            let (approver, ready, covers) =
                (Arc::clone(&self.approver), ready.clone(), covers.clone());
            self.asking.spawn(async move {
                let question = Question {
                    id: ready.id(),
                    tool: ready.name(),
                    args: ready.args(),
                    covers: &covers,
                };
                approver.ask(question).await
            });
        }
    }

    fn answered(&mut self, answer: Result<Answer, JoinError>) -> News {
        let answer = answer.unwrap_or_else(|error| {
            let payload = error.try_into_panic();
            let said = payload.as_deref().map_or("it was stopped", message);
            Answer::Deny(format!("nobody could be asked: {said}"))
        });
        self.announced = false;
        // A call that is stopped takes its question with it.
        let call = self.unapproved.pop_front().expect("the question is about the first");
        let (id, covers) = (call.ready.id().to_owned(), call.covers.clone());
        match &answer {
            Answer::Allow(extent) => {
                if *extent == Extent::Conversation {
                    self.grant(call.ready.kind(), call.ready.name(), &*covers);
                }
                self.waiting.push_back(call);
            }
            Answer::Deny(reason) => {
                self.refuse(&call.ready, "denied", &Failure::new(reason.clone()));
            }
        }
        News::Answered { id, answer, covers }
    }

    fn refuse(&mut self, ready: &plan::Ready, summary: &str, why: &Failure) {
        let ended = refused(ready, summary, why, self.settings.output_cap);
        self.told.push_back(News::Ended(ended));
    }

    fn unknown(&self, ready: &plan::Ready) -> Failure {
        let (kind, name) = (ready.kind(), ready.name());
        let word = kind.as_str();
        let known = || self.toolbox.names_as(kind);
        let meant = near(name, known())
            .first()
            .map(|near| format!(" Did you mean `{near}`?"))
            .unwrap_or_default();
        let names: Vec<_> = known().map(|name| format!("`{name}`")).collect();
        let there_are = match &names[..] {
            [] => format!("There is no {word} at all."),
            [one] => format!("There is {one}."),
            names => format!("There are {}.", names.join(", ")),
        };
        Failure::new(format!("there is no {word} `{name}`.{meant} {there_are}"))
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("settings", &self.settings)
            .field("unapproved", &self.unapproved.len())
            .field("waiting", &self.waiting.len())
            .field("running", &self.running.len())
            .finish_non_exhaustive()
    }
}
