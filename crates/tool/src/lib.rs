//! Defines tools that a model may call: everything the author of a tool imports.
//!
//! A tool is a name, a description, a schema and one async function:
//!
//! ```toml
//! [dependencies]
//! futures-util = "0.3"
//! serde = { version = "1", features = ["derive"] }
//! silcrow-tool = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use futures_util::future::BoxFuture;
//! use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput};
//!
//! struct Add;
//!
//! #[derive(serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Numbers {
//!     a: i64,
//!     b: i64,
//! }
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
//!         Box::pin(async move {
//!             let Numbers { a, b } = args.read()?;
//!             Ok(ToolOutput::new("added", (a + b).to_string()))
//!         })
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let context = CallContext::new("sums", "a1");
//!     let output = Add.call(ToolArgs::new(r#"{"a": 2, "b": 3}"#), &context).await?;
//!     assert_eq!(output.content.text(), "5");
//!     Ok(())
//! }
//! ```
//!
//! With `silcrow-typed`, an async function alone is a tool. A [`Toolbox`] collects tools by name,
//! for an agent or the runner of `silcrow-exec`.
//!
//! Tools can say more about themselves. A [`ToolPolicy`] says whether a tool changes something,
//! sends something out or needs approval, and how long a call may take. [`preview`](Tool::preview)
//! describes what a call would do, for the person who approves it. The [`CallContext`] tells a call
//! its conversation, folder and user, and accepts its progress and questions. This tool stops when
//! asked to, and describes each call beforehand:
//!
//! ```
//! use std::time::Duration;
//!
//! use futures_util::future::BoxFuture;
//! use silcrow_tool::{
//!     ApprovalNeed, CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
//! };
//!
//! struct Deploy;
//!
//! impl Tool for Deploy {
//!     fn name(&self) -> &str {
//!         "deploy"
//!     }
//!     fn description(&self) -> &str {
//!         "Deploys the app."
//!     }
//!     fn schema(&self) -> &str {
//!         r#"{"type":"object","additionalProperties":false}"#
//!     }
//!     fn policy(&self) -> ToolPolicy {
//!         let timeout = Duration::from_secs(600);
//!         ToolPolicy { approval: ApprovalNeed::Always, timeout, ..ToolPolicy::default() }
//!     }
//!     fn preview<'a>(
//!         &'a self,
//!         _: ToolArgs<'a>,
//!         _: &'a CallContext,
//!     ) -> BoxFuture<'a, Result<Preview, ToolError>> {
//!         let preview = Preview::new("deploy").with_target("app.example");
//!         Box::pin(async { Ok(preview.with_effect("replaces version 3 with 4")) })
//!     }
//!     fn call<'a>(
//!         &'a self,
//!         _: ToolArgs<'a>,
//!         context: &'a CallContext,
//!     ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
//!         Box::pin(async move {
//!             for step in ["build", "upload", "switch"] {
//!                 if context.cancellation().is_cancelled() {
//!                     return Err(ToolError::new(format!("stopped before the step `{step}`")));
//!                 }
//!                 context.progress("steps", step).await;
//!             }
//!             Ok(ToolOutput::new("deployed", "version 4 is live"))
//!         })
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), ToolError> {
//!     let context = CallContext::new("releases", "a1");
//!     let preview = Deploy.preview(ToolArgs::new("{}"), &context).await?;
//!     assert_eq!(preview.effect.as_deref(), Some("replaces version 3 with 4"));
//!     context.cancellation().cancel();
//!     let stopped = Deploy.call(ToolArgs::new("{}"), &context).await.unwrap_err();
//!     assert_eq!(stopped.to_string(), "stopped before the step `build`");
//!     Ok(())
//! }
//! ```
//!
//! A [`HeadTail`] keeps both ends of an endless output, and a [`ProcessGroup`] ends all processes
//! of a call.
//!
//! The other half of the crate decides which calls run: an [`Approver`] asks a person, and
//! [`Permissions`] decide what to ask about. A runner implements [`CallHost`].
//!
//! This crate runs no calls, processes or threads. Runner, budget and journal are in
//! `silcrow-exec`, rules in `silcrow-policy`, and tools in `silcrow-tools` and other crates.
//! [`BasicValidator`] checks the parts of JSON Schema that most tools need.

mod alias;
mod approval_request;
mod approve;
mod argument_errors;
mod call_access;
mod call_clock;
mod call_host;
mod call_preview;
mod cancellation;
mod change_keeper;
mod closest_names;
mod context;
mod door_row;
mod door_scope;
mod from_text;
mod granted_scope;
mod head_tail;
mod permissions;
mod process_group;
mod scope;
mod scope_extensions;
mod service;
mod spill;
mod tool;
mod tool_output;
mod tool_policy;
mod tool_source;
mod toolbox;
mod validate;
mod wake_gated;
mod with_permissions;

pub use alias::AliasTool;
pub use approval_request::{ApprovalRequest, ItemRequest};
pub use approve::{ApprovalDecision, ApprovalScope, Approver, DenyAll, ParkAll, SerialApprover};
pub use argument_errors::ArgumentErrors;
pub use call_access::CallAccess;
pub use call_host::CallHost;
pub use call_preview::Preview;
pub use cancellation::CancellationToken;
pub use change_keeper::{ChangeKeeper, KeptBefore, KeptOutcome};
pub use closest_names::closest_names;
pub use context::CallContext;
pub use head_tail::HeadTail;
pub use permissions::{ApprovedScope, Permission, PermissionRequest, Permissions};
pub use process_group::ProcessGroup;
pub use scope::Scope;
pub use service::{ServiceOperation, ServiceOperations, ServiceParameter};
pub use silcrow_event::{DeltaKind, FileDelta, FileDiff, PreviewDiff};
pub use silcrow_sanitize::{Secret, Secrets};
pub use spill::Spill;
pub use tool::{Tool, ToolArgs};
pub use tool_output::{ToolError, ToolOutput};
pub use tool_policy::{ApprovalNeed, ToolPolicy};
pub use tool_source::ToolSource;
pub use toolbox::{DuplicateTool, Toolbox};
pub use validate::{BasicValidator, Validator};
pub use wake_gated::WakeGated;
pub use with_permissions::WithPermissions;
