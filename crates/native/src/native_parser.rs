//! The parser: text in, fragments out.
//!
//! This module has the parts of a turn. The other files of the parser read text, headers and
//! bodies: `text_state.rs`, `header_state.rs` and `body_state.rs`.

use std::sync::Arc;

use silcrow_event::Fragment;

use crate::body_reader::BodyReader;
use crate::call_sink::{CallSink, Emit};
use crate::family_data::FamilyData;
use crate::marks::MarkTable;
use crate::native_family::NativeFamily;
use crate::quote_tracker::QuoteTracker;
use crate::tool_schemas::ToolSchemas;

/// A parser of one answer of a model, in the forms of one family or of several.
///
/// The joined fragments are the same wherever the text is cut. There are no errors: a call that
/// cannot be read is an [`InvalidCall`](silcrow_event::InvalidCall), and a mark that does not count
/// is text.
///
/// ```
/// use silcrow_native::{Fragment, NativeParser};
///
/// let mut parser = NativeParser::new("qwen3_coder".parse()?);
/// let mut calls = Vec::new();
/// let mut take = |fragment: Fragment<'_>| {
///     if let Fragment::Call(call) = fragment {
///         calls.push(format!("{} {}", call.name(), call.args()));
///     }
/// };
/// for chunk in ["<tool_call>\n<function=ls>\n<para", "meter=path>\nsrc\n</parameter>\n</function>"] {
///     parser.push(chunk, &mut take);
/// }
/// parser.finish(&mut take);
/// assert_eq!(calls, [r#"ls {"path":"src"}"#]);
/// # Ok::<(), silcrow_native::UnknownFamily>(())
/// ```
#[derive(Debug)]
pub struct NativeParser {
    pub(crate) families: Vec<&'static FamilyData>,
    pub(crate) table: MarkTable,
    pub(crate) tools: Option<Arc<ToolSchemas>>,
    pub(crate) sink: CallSink,
    pub(crate) mode: ParserMode,
    has_begun: bool,
    /// The number of bytes that were read.
    pub(crate) at: i64,
    /// Whether text is a thought.
    pub(crate) is_thought: bool,
    /// Whether text belongs to a call that cannot be read, or to no message.
    pub(crate) is_hidden: bool,
    /// Whether the section has had only blanks so far.
    pub(crate) is_blank: bool,
    /// Whether only blanks and marks were read after a call.
    pub(crate) follows_call: bool,
    /// The number of line breaks that may still be dropped after a mark.
    pub(crate) line_breaks: u8,
    /// The number of openers that turned out to be text, so that their closers are text, too.
    pub(crate) refused: u32,
    pub(crate) quotes: QuoteTracker,
    /// Text that may become a mark.
    pub(crate) held: String,
    /// The length of the prompt's end, if it is read as text that is not emitted.
    pub(crate) prompt: usize,
    pub(crate) header: String,
    pub(crate) header_family: usize,
    /// Whether the prompt began the header, so that it may be missing.
    pub(crate) is_prompted: bool,
    pub(crate) reader: Option<BodyReader>,
    /// Whether it is certain that the body is a call.
    pub(crate) is_committed: bool,
    /// The text of a body that may turn out to not be one, with the mark before it.
    pub(crate) raw: String,
    /// The marks that open the body, each with a different reading.
    pub(crate) openers: Vec<usize>,
    pub(crate) opener: usize,
}

/// The thing that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParserMode {
    Text,
    Header,
    Body,
    /// Nothing: the following text does not belong to the turn.
    Stopped,
}

impl NativeParser {
    /// Creates a parser for the answers of one family.
    pub fn new(family: NativeFamily) -> Self {
        Self::for_families(&[family])
    }

    /// Creates a parser for the forms of several families at once. If a text fits several, the
    /// family that comes first counts.
    ///
    /// ```
    /// use silcrow_native::{Fragment, NativeFamily, NativeParser};
    ///
    /// let families: Vec<NativeFamily> = ["hermes", "mistral_args"]
    ///     .into_iter()
    ///     .filter_map(|name| name.parse().ok())
    ///     .collect();
    /// let mut parser = NativeParser::for_families(&families);
    /// let mut names = Vec::new();
    /// let mut take = |fragment: Fragment<'_>| {
    ///     if let Fragment::Call(call) = fragment {
    ///         names.push(call.name().to_owned());
    ///     }
    /// };
    /// parser.push("[TOOL_CALLS]a[ARGS]{}\n<tool_call>{\"name\": \"b\"}</tool_call>", &mut take);
    /// parser.finish(&mut take);
    /// assert_eq!(names, ["a", "b"]);
    /// ```
    pub fn for_families(families: &[NativeFamily]) -> Self {
        let families: Vec<_> = families.iter().map(|family| family.data).collect();
        let table = MarkTable::new(&families);
        let longest = table.marks.iter().map(|mark| mark.text.len()).max().unwrap_or(0);
        Self {
            families,
            table,
            tools: None,
            sink: CallSink::default(),
            mode: ParserMode::Text,
            has_begun: false,
            at: 0,
            is_thought: false,
            is_hidden: false,
            is_blank: true,
            follows_call: false,
            line_breaks: 0,
            refused: 0,
            quotes: QuoteTracker::START,
            held: String::with_capacity(longest + 4),
            prompt: 0,
            header: String::new(),
            header_family: 0,
            is_prompted: false,
            reader: None,
            is_committed: false,
            raw: String::new(),
            openers: Vec::new(),
            opener: 0,
        }
    }

    /// Sets the schemas of the tools, which give types to arguments that have none in the text.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use serde_json::json;
    /// use silcrow_native::{Fragment, NativeParser, ToolSchemas};
    ///
    /// let tools = ToolSchemas::new().with_tool("f", json!({"properties": {"n": {"type": "integer"}}}));
    /// let mut parser = NativeParser::new("glm47".parse()?).with_tools(Arc::new(tools));
    /// let mut args = String::new();
    /// let mut take = |fragment: Fragment<'_>| {
    ///     if let Fragment::Call(call) = fragment {
    ///         args = call.args().to_owned();
    ///     }
    /// };
    /// let text = "<tool_call>f<arg_key>n</arg_key><arg_value>1</arg_value></tool_call>";
    /// parser.push(text, &mut take);
    /// parser.finish(&mut take);
    /// assert_eq!(args, r#"{"n":1}"#);
    /// # Ok::<(), silcrow_native::UnknownFamily>(())
    /// ```
    #[must_use]
    pub fn with_tools(mut self, tools: Arc<ToolSchemas>) -> Self {
        self.tools = Some(tools);
        self
    }

    /// Says that the prompt has opened the thought, so that the text begins inside of it.
    ///
    /// ```
    /// use silcrow_native::{Fragment, NativeParser};
    ///
    /// let mut parser = NativeParser::new("hermes".parse()?).with_open_thought();
    /// let mut kinds = Vec::new();
    /// let mut take = |fragment: Fragment<'_>| {
    ///     if let Fragment::Text(text) = fragment {
    ///         kinds.push((text.kind.type_name(), text.text.to_owned()));
    ///     }
    /// };
    /// parser.push("Hm.</think>Yes.", &mut take);
    /// parser.finish(&mut take);
    /// assert_eq!(kinds, [("think", "Hm.".to_owned()), ("respond", "Yes.".to_owned())]);
    /// # Ok::<(), silcrow_native::UnknownFamily>(())
    /// ```
    #[must_use]
    pub fn with_open_thought(mut self) -> Self {
        self.is_thought = true;
        self
    }

    /// Makes the parser emit the arguments of calls while they are written, as pieces of JSON
    /// ([`Fragment::CallText`]). The pieces of a call are its arguments, unless the model gives a
    /// parameter twice; then the call has the last value only.
    ///
    /// ```
    /// use silcrow_native::{Fragment, NativeParser};
    ///
    /// let mut parser = NativeParser::new("hermes".parse()?).with_call_text();
    /// let mut written = String::new();
    /// let mut take = |fragment: Fragment<'_>| {
    ///     if let Fragment::CallText(piece) = fragment {
    ///         assert_eq!(piece.name, Some("note"));
    ///         written += piece.text;
    ///     }
    /// };
    /// parser.push("<tool_call>{\"name\": \"note\", \"arguments\": {\"text\": \"a", &mut take);
    /// parser.finish(&mut take);
    /// assert_eq!(written, r#"{"text": "a"#);
    /// # Ok::<(), silcrow_native::UnknownFamily>(())
    /// ```
    #[must_use]
    pub fn with_call_text(mut self) -> Self {
        self.sink.call_text = true;
        self
    }

    /// Takes the next piece of the text, and emits the certain part.
    pub fn push(&mut self, text: &str, emit: &mut impl FnMut(Fragment<'_>)) {
        self.begin(emit);
        self.feed(text, emit);
        if self.is_committed {
            self.sink.flush(emit);
        }
    }

    /// Takes the end of the text, and emits the rest: first the pending part, and
    /// [`Fragment::Execute`] last if there was a call that can run.
    pub fn finish(mut self, emit: &mut impl FnMut(Fragment<'_>)) {
        self.close(emit);
        if self.sink.has_call {
            emit(Fragment::Execute);
        }
    }

    /// Takes the end of a text that was cut off, such as by a broken connection, and emits the rest
    /// without [`Fragment::Execute`]: nobody knows whether the model was done with its calls (P-14).
    ///
    /// ```
    /// use silcrow_native::{Fragment, NativeParser};
    ///
    /// let mut parser = NativeParser::new("hermes".parse()?);
    /// let (mut calls, mut runs) = (0, false);
    /// let mut take = |fragment: Fragment<'_>| match fragment {
    ///     Fragment::Call(_) => calls += 1,
    ///     Fragment::Execute => runs = true,
    ///     _ => {}
    /// };
    /// parser.push("<tool_call>\n{\"name\": \"pay\", \"arguments\": {}}\n</tool_call>", &mut take);
    /// parser.finish_cut(&mut take);
    /// assert_eq!((calls, runs), (1, false));
    /// # Ok::<(), silcrow_native::UnknownFamily>(())
    /// ```
    pub fn finish_cut(mut self, emit: &mut impl FnMut(Fragment<'_>)) {
        self.close(emit);
    }

    /// Emits what is pending, and closes what is open.
    fn close(&mut self, emit: &mut Emit<'_>) {
        self.begin(emit);
        self.end(emit);
        self.sink.close(emit);
    }

    /// Reads the end of the prompt, once, if the output continues from it.
    fn begin(&mut self, emit: &mut Emit<'_>) {
        if std::mem::replace(&mut self.has_begun, true) || self.is_thought {
            return;
        }
        if let Some(family) = self.families.iter().find(|family| !family.prompt.is_empty()) {
            let prompt = family.prompt;
            self.at = -length(prompt);
            self.prompt = prompt.len();
            self.feed(prompt, emit);
            if self.mode == ParserMode::Header {
                self.prompt = 0;
                self.header.clear();
                self.is_prompted = true;
            }
        }
    }

    /// Reads text, which may be text that was read before in another way.
    pub(crate) fn feed(&mut self, text: &str, emit: &mut Emit<'_>) {
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let used = match self.mode {
                ParserMode::Stopped => {
                    self.at += length(rest);
                    rest.len()
                }
                ParserMode::Text => self.read_text(rest, emit),
                ParserMode::Header => {
                    self.at += length(&rest[..character.len_utf8()]);
                    self.read_header(character, emit);
                    character.len_utf8()
                }
                ParserMode::Body => self.read_body(rest, character, emit),
            };
            rest = &rest[used..];
        }
    }

    fn end(&mut self, emit: &mut Emit<'_>) {
        loop {
            match self.mode {
                ParserMode::Stopped => return,
                ParserMode::Header => self.end_header(emit),
                ParserMode::Body => self.end_open_body(emit),
                ParserMode::Text if self.held.is_empty() => return,
                ParserMode::Text => self.settle(true, emit),
            }
        }
    }
}

/// Returns the length of a text in bytes.
pub(crate) fn length(text: &str) -> i64 {
    text.len() as i64
}
