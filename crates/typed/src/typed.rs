//! Tools from functions of one struct and the call's context.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use silcrow_tool::{CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::schema;

/// Creates a tool from an async function of a struct and the call's context.
///
/// The description is for the model: a sentence or two. The function returns the text that the
/// model reads, as a `String`, or a [`ToolOutput`].
///
/// # Panics
///
/// Panics if `A` is not read from a JSON object, as the arguments of every call are.
pub fn typed<A, F, R, O>(
    name: impl Into<String>,
    description: impl Into<String>,
    run: F,
) -> Typed<A, F>
where
    A: DeserializeOwned + JsonSchema,
    F: Fn(A, CallContext) -> R + Send + Sync,
    R: Future<Output = Result<O, ToolError>> + Send + 'static,
    O: Into<ToolOutput>,
{
    Typed::new(name.into(), description.into(), schema::of_struct::<A>(), run)
}

/// A tool that [`typed`] or [`tool_fn`](crate::tool_fn) has created.
pub struct Typed<A, F> {
    name: String,
    description: String,
    schema: String,
    policy: ToolPolicy,
    approval_scope: Option<Box<ApprovalScopeOf<A>>>,
    run: F,
    args: PhantomData<fn() -> A>,
}

type ApprovalScopeOf<A> = dyn Fn(&A) -> String + Send + Sync;

impl<A, F> Typed<A, F> {
    pub(crate) fn new(name: String, description: String, schema: String, run: F) -> Self {
        let policy = ToolPolicy::default();
        Self { name, description, schema, policy, approval_scope: None, run, args: PhantomData }
    }

    /// Returns the tool with another policy.
    ///
    /// ```
    /// use silcrow_tool::{Tool as _, ToolPolicy};
    /// use silcrow_typed::tool_fn;
    ///
    /// let add = |a: i64, b: i64| async move { Ok((a + b).to_string()) };
    /// let add = tool_fn("add", "Adds two numbers.", ["a", "b"], add);
    /// let add = add.with_policy(ToolPolicy { read_only: true, ..ToolPolicy::default() });
    /// assert!(add.policy().read_only);
    /// ```
    #[must_use]
    pub fn with_policy(self, policy: ToolPolicy) -> Self {
        Self { policy, ..self }
    }

    /// Returns the tool with a function that computes the scope of an approval for the whole
    /// conversation ([`Preview::scope`]). The approval covers all calls for whose arguments the
    /// function returns the same text.
    ///
    /// Without it, an approval covers calls with exactly the same arguments.
    #[must_use]
    pub fn with_approval_scope(self, scope: impl Fn(&A) -> String + Send + Sync + 'static) -> Self {
        Self { approval_scope: Some(Box::new(scope)), ..self }
    }
}

impl<A, F, R, O> Tool for Typed<A, F>
where
    A: DeserializeOwned,
    F: Fn(A, CallContext) -> R + Send + Sync,
    R: Future<Output = Result<O, ToolError>> + Send + 'static,
    O: Into<ToolOutput>,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        &self.schema
    }

    fn policy(&self) -> ToolPolicy {
        self.policy
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        let read = args.read();
        let preview = read.map(|read| match &self.approval_scope {
            Some(scope) => Preview::new(scope(&read)),
            None => Preview::new(args.as_str()),
        });
        async { preview }.boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        match args.read() {
            Ok(args) => {
                let result = (self.run)(args, context.clone());
                result.map(|result| result.map(Into::into)).boxed()
            }
            Err(error) => async { Err(error) }.boxed(),
        }
    }
}

impl<A, F> fmt::Debug for Typed<A, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed")
            .field("name", &self.name)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
