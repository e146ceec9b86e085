//! A model without tools as a tool: each call is one request in plain text.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::{Entry, Event, Json, Message, Metric, Role, error_chain};
use silcrow_exec::{Budget, BudgetExhausted, BudgetLimits};
use silcrow_provider::{Delta, Estimate, FinishReason, Provider, Request, Sampling};
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::clock::RunClock;
use crate::error::Error;
use crate::inner::{members, text};
use crate::metered::{MeteredRequest, unsaved};
use crate::step_kind::StepKind;

/// A model without tools that calls may ask: `llm {prompt, text, system, max_length}`.
///
/// With [`with_models`](Self::with_models) the argument `model` chooses one of several models.
///
/// The request and the answer are plain text: the system prompt explains no dialect, and delimiters
/// in the answer have no meaning. Reasoning is dropped. A call fails if the answer is longer than
/// 1 MiB, has no text, or is cut off.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::Llm;
/// use silcrow_provider::ScriptedModel;
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
///
/// let model = ScriptedModel::parse("A rainy day. §end", 1);
/// let llm = Llm::new("summary", "Summarizes a text.", model);
/// let args = ToolArgs::new(r#"{"prompt":"Summarize.","text":"It rained all day."}"#);
/// let output = llm.call(args, &CallContext::new("c", "a1")).await.unwrap();
/// // Delimiters have no meaning in the answer.
/// assert_eq!(output.content, "A rainy day. §end");
/// # });
/// ```
#[derive(Clone)]
pub struct Llm {
    name: String,
    description: String,
    instructions: Option<String>,
    sampling: Sampling,
    provider: Arc<dyn Provider>,
    /// The models that a call may choose, by name.
    models: Vec<(String, Arc<dyn Provider>)>,
    schema: String,
}

impl Llm {
    /// Creates a tool with this name that asks a model.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        provider: impl Provider + 'static,
    ) -> Self {
        let (name, description) = (name.into(), description.into());
        let sampling = Sampling::new();
        let (provider, schema) = (Arc::new(provider), schema(&[]));
        let (instructions, models) = (None, Vec::new());
        Self { name, description, instructions, sampling, provider, models, schema }
    }

    /// Sets the models that a call may choose by the argument `model`, each with its name. Without that
    /// argument the model of [`new`](Self::new) answers.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use silcrow_agent::Llm;
    /// use silcrow_provider::{Provider, ScriptedModel};
    /// use silcrow_tool::Tool as _;
    ///
    /// let small: Arc<dyn Provider> = Arc::new(ScriptedModel::parse("short", 1));
    /// let llm = Llm::new("brief", "Makes it short.", ScriptedModel::parse("long", 1))
    ///     .with_models([("small".to_owned(), small)]);
    /// assert!(llm.schema().contains(r#""enum":["small"]"#));
    /// ```
    #[must_use]
    pub fn with_models(
        self,
        models: impl IntoIterator<Item = (String, Arc<dyn Provider>)>,
    ) -> Self {
        let models = Vec::from_iter(models);
        Self { schema: schema(&models), models, ..self }
    }

    /// Sets the system text of every call; the `system` argument of a call is appended to it.
    #[must_use]
    pub fn with_instructions(self, text: impl Into<String>) -> Self {
        Self { instructions: Some(text.into()), ..self }
    }

    /// Sets the sampling options of each request.
    #[must_use]
    pub fn with_sampling(self, sampling: Sampling) -> Self {
        Self { sampling, ..self }
    }

    /// Returns this with the model that a call chooses. Without models to choose from, the argument is
    /// ignored.
    fn choosing(&self, args: ToolArgs<'_>) -> Result<Self, ToolError> {
        let members = members(args)?;
        let chosen = members.iter().find(|member| member.key() == "model").map(text);
        let Some(chosen) = chosen.filter(|_| !self.models.is_empty()) else {
            return Ok(self.clone());
        };
        let Some((_, provider)) = self.models.iter().find(|(name, _)| *name == chosen) else {
            let names: Vec<_> = self.models.iter().map(|(name, _)| format!("`{name}`")).collect();
            let why = format!("unknown model `{chosen}`; use one of {}", names.join(", "));
            return Err(ToolError::new(why));
        };
        Ok(Self { provider: Arc::clone(provider), ..self.clone() })
    }

    /// Returns the messages of a call.
    fn messages(&self, args: ToolArgs<'_>) -> Result<Vec<Message>, ToolError> {
        let mut system = Vec::from_iter(self.instructions.clone());
        let (mut prompt, mut material, mut length) = (None, None, None);
        for member in members(args)? {
            match member.key() {
                "prompt" => prompt = Some(text(&member)),
                "text" => material = Some(text(&member)),
                "system" => system.push(text(&member)),
                "max_length" => {
                    length = Some(format!("Write at most {} words.", member.value()));
                }
                _ => {}
            }
        }
        let texts: Vec<_> = prompt.into_iter().chain(material).collect();
        if texts.iter().all(|text| text.trim().is_empty()) {
            return Err(ToolError::new(
                "`prompt` and `text` are missing: say what the model is to do",
            ));
        }
        let user = Message::new(
            Role::User,
            texts.into_iter().chain(length).collect::<Vec<_>>().join("\n\n"),
        );
        let system = (!system.is_empty()).then(|| Message::new(Role::System, system.join("\n\n")));
        Ok(system.into_iter().chain([user]).collect())
    }
}

impl Tool for Llm {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        &self.schema
    }

    /// Declares calls idempotent: asking twice changes nothing.
    fn policy(&self) -> ToolPolicy {
        ToolPolicy { idempotent: true, timeout: TIMEOUT, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let request = Request::new(self.messages(args)?);
            let request = request.with_sampling(self.sampling.clone());
            // A request that is stopped is still settled.
            let asked = self.choosing(args)?.ask(request, context.clone());
            context.run_to_end(asked).await?
        }
        .boxed()
    }
}

impl Llm {
    /// Makes a request, pays for it and reports its metric.
    async fn ask(self, request: Request, context: CallContext) -> Result<ToolOutput, ToolError> {
        let budget = match Budget::from_scope(context.scope()) {
            Some(budget) => budget.clone(),
            None => Budget::new(BudgetLimits::default()),
        };
        let above = context.agent_path().len() as u32 + 1;
        budget.take_request(above).map_err(|why| self.exhausted(&why))?;
        let (model, read) = (self.provider.name(), Estimate::of_messages(&request.messages));
        let metered = MeteredRequest::reserve(&budget, model, read, None, StepKind::Ordinary).await;
        let mut metered = metered.map_err(|why| self.unpaid(why.into_error(&budget)))?;
        let answered = tokio::select! {
            biased;
            () = context.cancellation().cancelled() => Err(self.failure("the call was stopped")),
            answered = self.answer(request, &mut metered, &budget) => answered,
        };
        let usage = metered.settle().await.map_err(|why| self.unpaid(unsaved(why)))?;
        let mut path = context.agent_path().to_vec();
        path.push(self.name.clone());
        let entry = Entry {
            timestamp: Some(RunClock::start().now()),
            agent_path: Some(path.join("/")),
            ..Event::Metric(Metric::new(usage, usage)).into()
        };
        context.report_event(entry).await;
        answered
    }

    /// Reads the answer to a request. The stream is dropped with the call, which hangs up.
    async fn answer(
        &self,
        request: Request,
        metered: &mut MeteredRequest,
        budget: &Budget,
    ) -> Result<ToolOutput, ToolError> {
        let mut deltas = self.provider.stream(request);
        let (mut text, mut thought) = (String::new(), 0);
        let finish = loop {
            let before = text.len() + thought;
            let delta = deltas.next().await;
            metered.push(delta.as_ref());
            match delta {
                Some(Ok(Delta::Text(piece))) => text.push_str(&piece),
                Some(Ok(Delta::Reasoning(text))) => thought += text.len(),
                Some(Ok(Delta::Done(finish))) => break finish,
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(self.failure(&error_chain(&error))),
                None => return Err(self.failure("it was cut off; ask again")),
            }
            if text.len() > MAX_BYTES {
                return Err(self.failure("it is longer than 1 MiB; ask for less"));
            }
            if thought > MAX_THOUGHT {
                return Err(self.failure("it thought about it for too long; ask for less"));
            }
            budget.add_bytes((text.len() + thought - before) as u64);
            let checked = metered.check(budget).await;
            if let Some(exhausted) = checked.map_err(|why| self.unpaid(unsaved(why)))? {
                return Err(self.exhausted(&exhausted));
            }
        };
        match finish {
            FinishReason::Length => {
                Err(self.failure("it reached the model's length limit; ask for less"))
            }
            FinishReason::Filter => {
                Err(self.failure("the provider withheld it; ask in another way"))
            }
            FinishReason::Stop | FinishReason::ToolUse if text.trim().is_empty() => {
                Err(self.failure("it holds no text; ask in another way"))
            }
            FinishReason::Stop | FinishReason::ToolUse => {
                Ok(ToolOutput::new(summary(&text), text.trim()))
            }
            finish => {
                Err(self.failure(&format!("it ended in a way that is not known ({finish:?})")))
            }
        }
    }

    fn unpaid(&self, error: Error) -> ToolError {
        match error.budget() {
            Some(exhausted) => self.exhausted(exhausted),
            None => self.failure(&error_chain(&error)),
        }
    }

    fn exhausted(&self, why: &BudgetExhausted) -> ToolError {
        self.failure(&format!("{why}; answer with what you have"))
    }

    fn failure(&self, why: &str) -> ToolError {
        ToolError::new(format!("no answer from `{}`: {why}", self.name))
    }
}

/// Returns the schema of the arguments.
fn schema(models: &[(String, Arc<dyn Provider>)]) -> String {
    let names: Vec<_> = models.iter().map(|(name, _)| Json::string(name).to_string()).collect();
    let model = match &names[..] {
        [] => r#""description":"not heeded: the model is fixed""#.to_owned(),
        names => format!(r#""enum":[{}],"description":"who answers""#, names.join(",")),
    };
    [SCHEMA, &model, r#"}},"additionalProperties":false}"#].concat()
}

/// The beginning of the schema, up to the details of the argument `model`.
const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""prompt":{"type":"string","description":"what the model is to do"},"#,
    r#""text":{"description":"what it is to do that with"},"#,
    r#""system":{"type":"string","description":"how it is to do it"},"#,
    r#""max_length":{"type":"integer","description":"how many words it may write"},"#,
    r#""model":{"type":"string","#,
);

/// The time limit of an answer.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The longest answer in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The longest reasoning in bytes, which is counted and dropped.
const MAX_THOUGHT: usize = 16 << 20;

fn summary(text: &str) -> String {
    match text.split_whitespace().count() {
        1 => "1 word".to_owned(),
        words => format!("{words} words"),
    }
}

impl fmt::Debug for Llm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Llm").field("name", &self.name).finish_non_exhaustive()
    }
}
