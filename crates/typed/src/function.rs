//! Tools from functions of several arguments.
//!
//! The names of arguments are not known at run time, so the caller passes them. Everything else
//! follows from the types: the schema of each argument, and whether it is required.

use std::collections::BTreeMap;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use silcrow_tool::{ArgumentErrors, CallContext, ToolError, ToolOutput};

use crate::schema;
use crate::typed::Typed;

/// Creates a tool from an async function of up to six arguments and their names.
///
/// An argument is optional if its type accepts `null`, as `Option<i64>` does. The function returns
/// the text that the model reads, as a `String`, or a [`ToolOutput`]. If the arguments need
/// descriptions or limits, or the function needs the call's context, use [`typed`](crate::typed()).
///
/// ```
/// use silcrow_tool::{Tool as _, ToolError};
/// use silcrow_typed::tool_fn;
///
/// async fn divide(a: f64, b: Option<f64>) -> Result<String, ToolError> {
///     match b {
///         Some(0.0) => Err(ToolError::new("`b` must not be 0")),
///         b => Ok((a / b.unwrap_or(1.0)).to_string()),
///     }
/// }
///
/// let tool = tool_fn("divide", "Divides `a` by `b`.", ["a", "b"], divide);
/// assert!(tool.schema().contains(r#""required":["a"]"#));
/// ```
///
/// # Panics
///
/// Panics if two arguments have the same name.
pub fn tool_fn<A, F, const N: usize>(
    name: impl Into<String>,
    description: impl Into<String>,
    parameters: [&'static str; N],
    function: F,
) -> Typed<NamedArgs, impl Fn(NamedArgs, CallContext) -> FunctionResult + Send + Sync>
where
    F: ToolFunction<A, N>,
{
    let schema = schema::of_parameters(parameters, F::schemas);
    let run = move |args: NamedArgs, _| match args.reject_unknown(&parameters) {
        Ok(()) => function.call(parameters, &args),
        Err(error) => async { Err(error) }.boxed(),
    };
    Typed::new(name.into(), description.into(), schema, run)
}

/// The result of a [`ToolFunction`].
type FunctionResult = BoxFuture<'static, Result<ToolOutput, ToolError>>;

/// An async function of `N` arguments of the types `A`, for [`tool_fn`].
///
/// It is implemented for functions and closures; programs need not implement it.
pub trait ToolFunction<A, const N: usize>: Send + Sync {
    /// Returns the schema of each parameter, and whether it is required.
    #[doc(hidden)]
    fn schemas(generator: &mut SchemaGenerator) -> [(Schema, bool); N];

    /// Calls the function with the arguments of these names.
    #[doc(hidden)]
    fn call(&self, parameters: [&str; N], args: &NamedArgs) -> FunctionResult;
}

/// The arguments of a call to a function of [`tool_fn`], by name.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct NamedArgs(BTreeMap<String, Box<RawValue>>);

impl NamedArgs {
    /// Returns the JSON of an argument.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.get())
    }

    fn reject_unknown(&self, known: &[&str]) -> Result<(), ToolError> {
        let mut errors = ArgumentErrors::new();
        for name in self.0.keys().filter(|name| !known.contains(&&***name)) {
            errors.unknown(name, known.iter().copied());
        }
        errors.into_result()
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T, ToolError> {
        let json = self.get(name);
        serde_json::from_str(json.unwrap_or("null")).map_err(|error| match json {
            Some(_) => ToolError::new(format!("the arguments do not fit: `{name}`: {error}")),
            None => ToolError::new(format!("the arguments do not fit: `{name}` is missing")),
        })
    }
}

fn accepts_null<T: DeserializeOwned>() -> bool {
    serde_json::from_str::<T>("null").is_ok()
}

/// Implements [`ToolFunction`] for functions of several arguments.
macro_rules! tool_functions {
    ($($count:literal: $($name:ident $type:ident),*;)*) => {$(
        impl<F, R, O, $($type),*> ToolFunction<($($type,)*), $count> for F
        where
            F: Fn($($type),*) -> R + Send + Sync,
            R: Future<Output = Result<O, ToolError>> + Send + 'static,
            O: Into<ToolOutput>,
            $($type: DeserializeOwned + JsonSchema,)*
        {
            fn schemas(_generator: &mut SchemaGenerator) -> [(Schema, bool); $count] {
                [$((_generator.subschema_for::<$type>(), !accepts_null::<$type>())),*]
            }

            fn call(&self, parameters: [&str; $count], _args: &NamedArgs) -> FunctionResult {
                let [$($name),*] = parameters;
                $(
                    let $name = match _args.read::<$type>($name) {
                        Ok(value) => value,
                        Err(error) => return async { Err(error) }.boxed(),
                    };
                )*
                self($($name),*).map(|result| result.map(Into::into)).boxed()
            }
        }
    )*};
}

tool_functions! {
    0: ;
    1: a A;
    2: a A, b B;
    3: a A, b B, c C;
    4: a A, b B, c C, d D;
    5: a A, b B, c C, d D, e E;
    6: a A, b B, c C, d D, e E, f G;
}
