//! Runs a model's calls: tools in parallel, with timeouts, approvals and cancellation.
//!
//! A tool is a name, a description, a schema and one async function:
//!
//! ```toml
//! [dependencies]
//! futures-util = "0.3"
//! serde = { version = "1", features = ["derive"] }
//! silcrow-event = "0.1"
//! silcrow-exec = "0.1"
//! silcrow-plan = "0.1"
//! silcrow-tool = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use std::sync::Arc;
//!
//! use futures_util::FutureExt as _;
//! use futures_util::future::BoxFuture;
//! use silcrow_event::Call;
//! use silcrow_exec::{CallUpdate, Runner};
//! use silcrow_plan::{Plan, PlanDecision};
//! use silcrow_tool::{CallContext, DenyAll, Tool, ToolArgs, ToolError, ToolOutput, Toolbox};
//!
//! struct Add;
//!
//! impl Tool for Add {
//!     fn name(&self) -> &str {
//!         "add"
//!     }
//!     fn description(&self) -> &str {
//!         "Adds two numbers."
//!     }
//!     fn schema(&self) -> &str {
//!         r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},
//!             "required":["a","b"],"additionalProperties":false}"#
//!     }
//!     fn call<'a>(
//!         &'a self,
//!         args: ToolArgs<'a>,
//!         _: &'a CallContext,
//!     ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
//!         async move {
//!             #[derive(serde::Deserialize)]
//!             #[serde(deny_unknown_fields)]
//!             struct Numbers {
//!                 a: i64,
//!                 b: i64,
//!             }
//!             let Numbers { a, b } = args.read()?;
//!             Ok(ToolOutput::new("added", (a + b).to_string()))
//!         }
//!         .boxed()
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut tools = Toolbox::new();
//!     tools.add(Add)?;
//!     let mut runner = Runner::new(Arc::new(tools), Arc::new(DenyAll));
//!
//!     let mut plan = Plan::new();
//!     plan.push(Call::parse("a1", r#"{"name": "add", "args": {"a": 2, "b": 3}}"#)?);
//!     plan.reach_execution_point();
//!     while let Some(PlanDecision::Start(ready)) = plan.decide() {
//!         runner.start(ready);
//!     }
//!     let Some(CallUpdate::Ended(ended)) = runner.next().await else { panic!() };
//!     assert_eq!((&*ended.id, ended.outcome.content.text()), ("a1", "5".into()));
//!     Ok(())
//! }
//! ```
//!
//! A [`Toolbox`] holds tools by name, and other things that actions may call, such as agents, by
//! kind and name. A [`Runner`] runs each attempt at a call and reports [`CallUpdate`]s: approvals,
//! progress, and the outcome. Each attempt ends exactly once. An unknown name, invalid arguments, a
//! denial, a timeout and a panic are outcomes too, each with a message for the model. A call that
//! is stopped is dropped at once, together with its [`ProcessGroup`] if it has one, and has no
//! outcome; only work passed to [`CallContext::run_to_end`], such as storing how a nested run
//! ended, continues.
//!
//! A [`CallDriver`] pairs a runner with a plan: it starts the calls that the plan chooses, reports
//! outcomes back to the plan, and waits out the pauses before retries. The agent's loop, workflows
//! and recovery all use it.
//!
//! A tool's policy says which of its calls need approval. An [`Approver`] may have [`Permissions`]
//! that decide instead: allow, ask or deny. Before the decision, the tool describes the effect of
//! the call ([`Tool::preview`]). Right before the call runs, the tool describes it again, and the
//! call runs only with the arguments, scope and target that were approved. An approval covers
//! further attempts only if the tool declares that repeating a call is safe.
//!
//! A call runs with the doors that its question named ([`CallContext::grants`]). If it needs
//! another door while it runs ([`CallContext::ask_for`]), the same permissions and the same
//! approver decide, and the decision is reported before the door opens. The call's time limits
//! pause meanwhile. Such a question cannot be parked for a later process.
//!
//! If an output exceeds its cap, the model reads the beginning, the end, and the number of bytes
//! between them; a [`Spill`] keeps the whole output where the model can read it. Until then the
//! whole output is in memory, so a tool with endless output should collect it in a [`HeadTail`],
//! which keeps both ends. A tool's own remark about its output, such as "nothing found", is a
//! notice of the [`ToolOutput`] rather than content, because a file may contain the same words.
//!
//! Calls that compensate for others run apart from the rest, and a cancellation does not reach them
//! (P-32). A tool says whether it can undo its own calls ([`Tool::can_undo`]); undoing needs no
//! approval, because it only restores an earlier state.
//!
//! A [`Budget`] limits a run as a whole. Each [`CallContext`] carries it, so it also limits
//! everything that calls run. Its [`Purse`] pays for requests to models: it reserves the maximum
//! cost of a request in a [`Ledger`] for each account, and later replaces that by the actual cost:
//!
//! ```
//! use silcrow_event::{Spending, SpendingLimit, Usage};
//! use silcrow_exec::{Budget, BudgetLimits, Overdraft, ReserveError, SpendingLimits};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//!     let run = SpendingLimit { tokens: Some(1000), ..SpendingLimit::default() };
//!     let spending = SpendingLimits { run, ..SpendingLimits::default() };
//!     let budget = Budget::new(BudgetLimits { spending, ..BudgetLimits::default() });
//!     let tokens = |tokens| Spending { tokens, ..Spending::default() };
//!
//!     let reserved = budget.purse().reserve(tokens(800), Overdraft::Denied).await.unwrap();
//!     let full = budget.purse().reserve(tokens(800), Overdraft::Denied).await.unwrap_err();
//!     assert!(matches!(full, ReserveError::Exhausted(_)));
//!     // The answer was short, so the next request fits.
//!     reserved.settle(tokens(100), Usage::default()).await?;
//!     assert!(budget.purse().reserve(tokens(800), Overdraft::Denied).await.is_ok());
//!     Ok(())
//! }
//! ```
//!
//! This crate decides nothing: `silcrow-plan` decides which calls start and when to retry, and the
//! agent's loop stores the results. It confines nothing: each tool must stay within its bounds. It
//! cannot end a thread that a tool started; it stops waiting for it and cancels the call's
//! [`CancellationToken`].

mod account_store;
mod activity;
mod approval_queue;
mod approved;
mod attempt_host;
mod budget;
mod call;
mod call_failure;
mod call_terms;
mod canonical;
mod driver;
mod fitted;
mod journal;
mod ledger;
mod limits;
mod masked;
mod matched_tool;
mod overdraft;
mod preview;
mod prices;
mod purse;
mod recorded;
mod recorded_args;
mod requests;
mod rollback_count;
mod runner;
mod spilled;
mod stop_on_drop;
mod task_tracker;
mod trace;
mod undo_coverage;
mod unique_keys;
mod update;
mod wall;

pub use account_store::{AccountError, AccountStore};
pub use approved::ApprovalSubject;
pub use budget::{AgentPermit, Budget, BudgetExhausted, BudgetLimits, BudgetResource};
pub use driver::{CallDriver, DriverEvent};
pub use journal::{Journal, NoJournal};
pub use ledger::{AccountKind, Ledger, SpendingExhausted, SpendingLimits};
pub use limits::RunnerLimits;
pub use overdraft::Overdraft;
pub use prices::{ModelPrice, PriceTable};
pub use purse::{Purse, Reservation, ReserveError};
pub use recorded::RecordedResults;
pub use runner::Runner;
pub use silcrow_tool::ProcessGroup;
pub use silcrow_tool::{
    ApprovalDecision, ApprovalNeed, ApprovalRequest, ApprovalScope, ApprovedScope, Approver,
    ArgumentErrors, BasicValidator, CallAccess, CallContext, CancellationToken, ChangeKeeper,
    DeltaKind, DenyAll, DuplicateTool, FileDelta, FileDiff, HeadTail, KeptBefore, KeptOutcome,
    ParkAll, Permission, PermissionRequest, Permissions, Preview, PreviewDiff, Scope, Secret,
    Secrets, SerialApprover, Spill, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy, ToolSource,
    Toolbox, Validator, WithPermissions, closest_names,
};
pub use undo_coverage::ToolCoverage;
pub use update::{CallOutcome, CallUpdate};
