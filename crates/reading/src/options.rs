//! The options of a reader, as a JSON object that every language can write.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use silcrow_native::{NativeFamily, ToolSchemas};
use silcrow_parser::{Dialect, Options};

/// The options of an [`FormReader`](crate::FormReader).
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct ReaderOptions {
    /// The form of the text.
    pub form: WireForm,
    /// Whether texts come in pieces, at once. Otherwise they come as a whole.
    pub chunks: bool,
    /// Whether calls also come in pieces, while they are written.
    pub call_text: bool,
    /// Whether the text begins within a thought that the prompt has opened (P-38).
    pub open_thought: bool,
    /// The schemas of the tools, which give types to arguments of native forms.
    pub tools: Option<Arc<ToolSchemas>>,
}

/// The form of a text: a dialect, or the native forms of models.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a text has delimiters of ours or of a model")]
pub enum WireForm {
    /// A dialect of the protocol.
    Dialect(Options),
    /// Families of native forms; if a text fits several, the first one counts.
    Native(Vec<NativeFamily>),
}

/// The error for unusable options, with the member and its allowed values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongOptions(String);

impl ReaderOptions {
    /// Creates options for whole events.
    ///
    /// ```
    /// use silcrow_reading::{ReaderOptions, WireForm};
    ///
    /// let options = ReaderOptions::new(WireForm::named("hermes")?);
    /// assert!(!options.chunks);
    /// # Ok::<(), silcrow_reading::WrongOptions>(())
    /// ```
    pub const fn new(form: WireForm) -> Self {
        Self { form, chunks: false, call_text: false, open_thought: false, tools: None }
    }

    /// Reads options from a JSON object: `form`, the name of a dialect or the names of families with
    /// commas between them, or `model`, whose name decides the family; `inline`, `chunks`, `call_text` and
    /// `open_thought`; and `tools`, a list as in a request of Chat Completions.
    ///
    /// ```
    /// use silcrow_reading::{ReaderOptions, WireForm};
    ///
    /// let options = ReaderOptions::parse(r#"{"form": "hermes", "chunks": true}"#)?;
    /// assert!(options.chunks && matches!(options.form, WireForm::Native(_)));
    /// assert!(ReaderOptions::parse(r#"{"form": "morse"}"#).is_err());
    /// # Ok::<(), silcrow_reading::WrongOptions>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the member that cannot be used, and why.
    pub fn parse(json: &str) -> Result<Self, WrongOptions> {
        let value = object(json)?;
        let form = match (value["form"].as_str(), value["model"].as_str()) {
            (Some(name), _) => WireForm::named(name)?,
            (None, Some(model)) => WireForm::of_model(model)?,
            (None, None) => WireForm::Dialect(Dialect::Sigil.into()),
        };
        let is = |member: &str| value[member].as_bool().unwrap_or(false);
        let form = match form {
            WireForm::Dialect(options) => WireForm::Dialect(options.with_inline(is("inline"))),
            native => native,
        };
        Ok(Self {
            form,
            chunks: is("chunks"),
            call_text: is("call_text"),
            open_thought: is("open_thought"),
            tools: value["tools"].as_array().map(|tools| Arc::new(schemas(tools))),
        })
    }
}

impl WireForm {
    /// Returns the dialect of this name, or the families of these names, which commas separate.
    ///
    /// ```
    /// use silcrow_reading::WireForm;
    ///
    /// assert!(matches!(WireForm::named("hermes,mistral_args"), Ok(WireForm::Native(two)) if two.len() == 2));
    /// assert!(WireForm::named("esperanto").unwrap_err().to_string().starts_with("`esperanto`"));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the name that nothing has.
    pub fn named(name: &str) -> Result<Self, WrongOptions> {
        if let Ok(dialect) = name.parse::<Dialect>() {
            return Ok(Self::Dialect(dialect.into()));
        }
        let families = name.split(',').map(|one| {
            one.trim().parse().map_err(|_| {
                WrongOptions::new(format!(
                    "`{}` is neither a dialect (sigil, phase, action) nor a family of native forms, \
                     which `families` lists",
                    one.trim()
                ))
            })
        });
        families.collect::<Result<_, _>>().map(Self::Native)
    }

    /// Returns the native form of a model, if a part of its name is known.
    ///
    /// # Errors
    ///
    /// Returns the name of the model if it is not known.
    pub fn of_model(model: &str) -> Result<Self, WrongOptions> {
        let family = NativeFamily::of_model(model).ok_or_else(|| {
            WrongOptions::new(format!(
                "the native form of the model `{model}` is not known; name its family, which `families` \
                 lists"
            ))
        });
        family.map(|family| Self::Native(vec![family]))
    }
}

impl WrongOptions {
    /// Creates the error with this text.
    ///
    /// ```
    /// let wrong = silcrow_reading::WrongOptions::new("form: there is none");
    /// assert_eq!(wrong.to_string(), "form: there is none");
    /// ```
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for WrongOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for WrongOptions {}

/// Reads a JSON object.
pub(crate) fn object(json: &str) -> Result<Value, WrongOptions> {
    let value: Value = serde_json::from_str(json)
        .map_err(|why| WrongOptions::new(format!("the options are not JSON: {why}")))?;
    match value.is_object() {
        true => Ok(value),
        false => Err(WrongOptions::new("the options are not a JSON object")),
    }
}

/// Returns the schemas of declared tools: `{"name", "parameters"}`, in a member `function` or not.
fn schemas(tools: &[Value]) -> ToolSchemas {
    tools.iter().fold(ToolSchemas::new(), |schemas, tool| {
        let tool = tool.get("function").unwrap_or(tool);
        match tool["name"].as_str() {
            Some(name) => schemas.with_tool(name, tool["parameters"].clone()),
            None => schemas,
        }
    })
}
