//! Runs the calls of a model: tools in parallel, with timeouts, approvals and cancellation.
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
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut tools = Toolbox::new();
//! tools.add(Add)?;
//! let mut runner = Runner::new(Arc::new(tools), Arc::new(DenyAll));
//!
//! let mut plan = Plan::new();
//! plan.push(Call::parse("a1", r#"{"name": "add", "args": {"a": 2, "b": 3}}"#)?);
//! plan.reach_execution_point();
//! while let Some(PlanDecision::Start(ready)) = plan.decide() {
//!     runner.start(ready);
//! }
//! let Some(CallUpdate::Ended(ended)) = runner.next().await else { panic!() };
//! assert_eq!((&*ended.id, ended.outcome.content.text()), ("a1", "5".into()));
//! # Ok(())
//! # }
//! ```
//!
//! A [`Toolbox`] holds tools by name, and what actions may call besides tools, such as agents, by
//! kind and name. A [`Runner`] runs each attempt at a call and reports [`CallUpdate`]s: approvals,
//! progress, and the outcome. Each attempt ends exactly once. An unknown name, arguments that do
//! not fit, a denial, a timeout and a panic are outcomes, too, each with a message for the model. A
//! call that is stopped is dropped at once, with its whole [`ProcessGroup`] if it has one, and has
//! no outcome. Only work that it passed to [`CallContext::run_to_end`], such as storing how a
//! nested run ended, continues.
//!
//! A [`CallDriver`] pairs a runner with a plan: it starts what the plan decides, passes the
//! outcomes of attempts to the plan, and waits for the pauses before retries. The agent's loop,
//! workflows and recovery all use it.
//!
//! The policy of a tool says which of its calls need approval. An [`Approver`] may have
//! [`Permissions`], which decide instead: allow, ask or deny. Before that, the tool describes what
//! the call would do ([`Tool::preview`]). Right before the call runs, the tool describes it again, and the call runs
//! only with the arguments, the scope and the target that were approved. An approval covers further
//! attempts only if the tool declares that repeating a call is safe.
//!
//! A call runs with the doors that its question named ([`CallContext::grants`]). A door that it asks
//! for while it runs ([`CallContext::ask_for`]) is decided by the same permissions and asked of the same
//! approver, and the answer is reported before the door opens. Its time limits stand still meanwhile.
//! Nobody waits at a wall for a later process.
//!
//! If an output exceeds its cap, the model reads its beginning, its end, and the number of bytes
//! between them; a [`Spill`] keeps the whole where the model can read it. Until then the whole
//! output is in memory, so a tool whose output may be endless collects it in a [`HeadTail`], which
//! keeps only both ends. A remark of a tool about its output, such as that nothing was found, is a
//! notice of the [`ToolOutput`] and not part of its content, because a file may contain the same
//! words.
//!
//! The calls that take others back run apart from all others: a cancellation does not reach them
//! (P-32). A tool says whether it can take its calls back ([`Tool::can_undo`]); it needs no approval
//! for that, because it only restores what it found.
//!
//! A [`Budget`] limits a run as a whole. It is a part of each [`CallContext`], so it also limits
//! what the calls run. Its [`Purse`] pays for requests to models: it reserves the most that a
//! request may cost in a [`Ledger`] for each account, and replaces that by its actual cost:
//!
//! ```
//! use silcrow_event::{Spending, SpendingLimit, Usage};
//! use silcrow_exec::{Budget, BudgetLimits, ReserveError, SpendingLimits};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let run = SpendingLimit { tokens: Some(1000), ..SpendingLimit::default() };
//! let spending = SpendingLimits { run, ..SpendingLimits::default() };
//! let budget = Budget::new(BudgetLimits { spending, ..BudgetLimits::default() });
//! let tokens = |tokens| Spending { tokens, ..Spending::default() };
//!
//! let reserved = budget.purse().reserve(tokens(800), false).await.unwrap();
//! let full = budget.purse().reserve(tokens(800), false).await.unwrap_err();
//! assert!(matches!(full, ReserveError::Exhausted(_)));
//! // The answer was short, so the next request fits.
//! reserved.settle(tokens(100), Usage::default()).await?;
//! assert!(budget.purse().reserve(tokens(800), false).await.is_ok());
//! # Ok(())
//! # }
//! ```
//!
//! This crate decides nothing: `silcrow-plan` decides what may start and when to try again, and the
//! agent's loop stores the results. It confines nothing either: each tool must stay within its own
//! bounds. It cannot end a thread that a tool started; it only stops waiting for it, and cancels
//! the call's [`CancellationToken`].

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

pub use approved::ApprovalSubject;
pub use budget::{AgentPermit, Budget, BudgetExhausted, BudgetLimits, BudgetResource};
pub use driver::{CallDriver, DriverEvent};
pub use journal::{Journal, NoJournal};
pub use ledger::{AccountKind, Ledger, SpendingExhausted, SpendingLimits};
pub use limits::RunnerLimits;
pub use prices::{ModelPrice, PriceTable};
pub use purse::{AccountError, AccountStore, Purse, Reservation, ReserveError};
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
