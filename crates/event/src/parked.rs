//! A run that waits for answers to its questions, as the log keeps it.

use std::str::FromStr;

use crate::action::CallKind;
use crate::fields::{Fields, ReadEntryError};
use crate::grant::Grants;
use crate::json::Object;
use crate::preview_diff::PreviewDiff;

/// The record that a run waits for answers about calls of a turn. Their calls have not started.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Parked {
    /// The wire text of the turn. A later process reads it again, because parts of an answer that
    /// wait for a call are not stored as events.
    pub wire: String,
    /// The dialect of the text, such as `sigil`; empty for a workflow, which has no text.
    pub dialect: String,
    /// Whether delimiters count anywhere in a line of the text.
    pub inline: bool,
    /// The families of native forms that were also read in the text (P-44), such as `hermes`.
    pub families: Vec<String>,
    /// The identity of the folder that the tools saw; empty without one. An answer counts only
    /// there.
    pub root: String,
    /// The questions about the turn's calls, in the order in which they were asked.
    pub questions: Vec<OpenQuestion>,
    /// The ids of the turn's calls that have started and run agents or workflows which wait for
    /// answers themselves.
    pub inside: Vec<String>,
}

/// A question whether a call may run that waits for its answer, with everything that a person needs
/// to answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct OpenQuestion {
    /// The call's id.
    pub id: String,
    /// The call as its loop has it, such as `each[].save`, if it is one for an item of a loop. The
    /// questions with the same one differ only in their items, and can be shown as one.
    pub item_of: Option<String>,
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The name of the called tool, of any kind.
    pub tool: String,
    /// The exact arguments, a JSON object.
    pub args: String,
    /// The SHA-256 of the arguments, in hex.
    pub args_sha256: String,
    /// The target of the call, if its tool names one.
    pub target: Option<String>,
    /// The effect of the call on its target, if its tool describes it.
    pub effect: Option<String>,
    /// The lines that the call would change in files, if its tool shows them.
    pub diff: Option<PreviewDiff>,
    /// The calls that an approval for the whole conversation would cover.
    pub scope: String,
    /// Wider scopes that such an approval may cover instead, the narrowest first.
    pub wider_scopes: Vec<String>,
    /// The doors that a yes opens for the call.
    pub grants: Grants,
    /// The reason why a person has to say yes to this very call, if there is one.
    pub risk: Option<String>,
    /// The reason why a person is asked, such as a rule or the mode; none in an older log.
    pub why: Option<String>,
}

impl OpenQuestion {
    /// Returns the question as a JSON object on one line.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(128);
        let mut object = Object::open(&mut out);
        self.write(&mut object);
        object.close();
        out
    }

    fn write(&self, to: &mut Object<'_>) {
        to.string("id", &self.id);
        if let Some(item_of) = &self.item_of {
            to.string("item_of", item_of);
        }
        to.string("kind", self.kind.as_str());
        to.string("tool", &self.tool);
        to.string("args", &self.args);
        to.string("args_sha256", &self.args_sha256);
        for (key, text) in [("target", &self.target), ("effect", &self.effect)] {
            if let Some(text) = text {
                to.string(key, text);
            }
        }
        if let Some(diff) = &self.diff {
            to.object("diff", |to| diff.write(to));
        }
        to.string("scope", &self.scope);
        if !self.wider_scopes.is_empty() {
            to.strings("wider_scopes", self.wider_scopes.iter().map(String::as_str));
        }
        self.grants.write(to);
        if let Some(risk) = &self.risk {
            to.string("risk", risk);
        }
        if let Some(why) = &self.why {
            to.string("why", why);
        }
    }

    fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        let kind = CallKind::from_str(&fields.text("kind")?);
        Ok(Self {
            id: fields.text("id")?,
            item_of: fields.maybe("item_of"),
            kind: kind.map_err(|why| ReadEntryError::new(format!("`kind`: {why}")))?,
            tool: fields.text("tool")?,
            args: fields.text("args")?,
            args_sha256: fields.text("args_sha256")?,
            target: fields.maybe("target"),
            effect: fields.maybe("effect"),
            diff: fields.object("diff").map(|diff| PreviewDiff::read(&diff)).transpose()?,
            scope: fields.text("scope")?,
            wider_scopes: fields.strings("wider_scopes"),
            grants: Grants::read(fields)?,
            risk: fields.maybe("risk"),
            why: fields.maybe("why"),
        })
    }
}

impl Parked {
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("wire", &self.wire);
        to.string("dialect", &self.dialect);
        if self.inline {
            to.bool("inline", true);
        }
        if !self.families.is_empty() {
            to.strings("families", self.families.iter().map(String::as_str));
        }
        if !self.root.is_empty() {
            to.string("root", &self.root);
        }
        to.objects("questions", &self.questions, OpenQuestion::write);
        if !self.inside.is_empty() {
            to.strings("inside", self.inside.iter().map(String::as_str));
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        let questions = fields.objects("questions").ok_or_else(|| {
            ReadEntryError::new("`questions` is missing, or not an array of objects")
        })?;
        let questions = questions.iter().map(OpenQuestion::read).collect::<Result<_, _>>()?;
        Ok(Self {
            wire: fields.text("wire")?,
            dialect: fields.text("dialect")?,
            inline: fields.get("inline") == Some("true"),
            families: fields.strings("families"),
            root: fields.maybe("root").unwrap_or_default(),
            questions,
            inside: fields.strings("inside"),
        })
    }
}
