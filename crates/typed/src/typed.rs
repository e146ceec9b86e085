use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use silcrow_exec::{CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::schema;

/// A tool of this name that runs this function. The description is for the model: a sentence or
/// two.
///
/// # Panics
///
/// If `A` is not read from a JSON object, as the arguments of every call are.
pub fn typed<A, F, R>(
    name: impl Into<String>,
    description: impl Into<String>,
    run: F,
) -> Typed<A, F>
where
    A: DeserializeOwned + JsonSchema,
    F: Fn(A, CallContext) -> R + Send + Sync,
    R: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    let schema = schema::of::<A>();
    Typed {
        name: name.into(),
        description: description.into(),
        schema,
        policy: ToolPolicy::default(),
        covers: None,
        run,
        reads: PhantomData,
    }
}

/// A tool made by [`typed`].
pub struct Typed<A, F> {
    name: String,
    description: String,
    schema: String,
    policy: ToolPolicy,
    covers: Option<Box<Covers<A>>>,
    run: F,
    reads: PhantomData<fn() -> A>,
}

/// What a yes for the conversation covers.
type Covers<A> = dyn Fn(&A) -> String + Send + Sync;

impl<A, F> Typed<A, F> {
    /// The same tool, treated otherwise.
    #[must_use]
    pub fn policy(self, policy: ToolPolicy) -> Self {
        Self { policy, ..self }
    }

    /// The same tool with a say in what a person's yes for the whole conversation covers: all calls
    /// for whose arguments this gives the same text ([`Preview::scope`]).
    #[must_use]
    pub fn covering(self, covers: impl Fn(&A) -> String + Send + Sync + 'static) -> Self {
        Self { covers: Some(Box::new(covers)), ..self }
    }
}

impl<A, F, R> Tool for Typed<A, F>
where
    A: DeserializeOwned,
    F: Fn(A, CallContext) -> R + Send + Sync,
    R: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
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
        let preview = read.map(|read| match &self.covers {
            Some(covers) => Preview::new(covers(&read)),
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
            Ok(args) => (self.run)(args, context.clone()).boxed(),
            Err(why) => async { Err(why) }.boxed(),
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
