//! Data that a vendor wants back unchanged.
//!
//! Such data names the model that it belongs to.

use crate::fields::Fields;
use crate::json::Object;

/// A vendor's data for an event, such as the signature of a thought. It is returned unchanged to
/// the model that wrote it, and to no other (P-45).
///
/// It may hold thoughts, so it is as sensitive as they are. It is for the vendor alone: it is not
/// shown, and no other model receives it.
///
/// ```
/// use silcrow_event::{Event, OpaqueData, Think, ThoughtOrigin};
///
/// let opaque = OpaqueData::new("anthropic:claude-sonnet-4", r#"{"signature":"Eq=="}"#);
/// let think = Think { opaque: Some(Box::new(opaque)), ..Think::by_provider("hm") };
/// assert!(Event::Think(think).to_json().contains("Eq=="));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OpaqueData {
    model: String,
    data: String,
}

impl OpaqueData {
    /// Creates data of the model with this [name](https://docs.rs/silcrow-provider).
    pub fn new(model: impl Into<String>, data: impl Into<String>) -> Self {
        Self { model: model.into(), data: data.into() }
    }

    /// Returns the name of the model that wrote it, such as `anthropic:claude-sonnet-4`.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the data, if it is of the model with this name.
    pub fn for_model(&self, model: &str) -> Option<&str> {
        (self.model == model).then_some(&*self.data)
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("model", &self.model);
        to.string("data", &self.data);
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Option<Box<Self>> {
        let fields = fields.object("opaque")?;
        Some(Box::new(Self { model: fields.maybe("model")?, data: fields.maybe("data")? }))
    }
}

impl std::fmt::Debug for OpaqueData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let len = self.data.len();
        f.debug_struct("OpaqueData").field("model", &self.model).field("len", &len).finish()
    }
}
