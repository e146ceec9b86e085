//! Sections as the events that they expect.

use serde_json::{Map, Value, json};

use crate::CaseSection;

impl CaseSection {
    /// Returns the event that the section expects, as JSON; `None` for a section that is not one.
    pub fn to_event(&self) -> Option<Value> {
        let text = || self.text.as_str().unwrap_or_default();
        let attributes = || self.attributes.iter().cloned().collect::<Map<_, _>>();
        let mut event = Map::new();
        let subject = match &*self.name {
            "think" | "respond" => {
                event = attributes();
                event.insert("content".to_owned(), json!(text()));
                None
            }
            "call" => {
                event.insert("content".to_owned(), json!(text()));
                if !self.attributes.is_empty() {
                    event.insert("action".to_owned(), json!(attributes()));
                }
                Some("id")
            }
            "invalid_call" | "block" => {
                event = attributes();
                Some("id")
            }
            "error" => {
                event = attributes();
                if !self.text.is_empty() {
                    event.insert("content".to_owned(), json!(text()));
                }
                Some("code")
            }
            "execute" | "end" => None,
            _ => return None,
        };
        if let (Some(key), Some(subject)) = (subject, &self.subject) {
            event.insert(key.to_owned(), json!(subject));
        }
        event.insert("type".to_owned(), json!(self.name));
        Some(Value::Object(event))
    }

    /// Returns the section that expects this event, the inverse of [`to_event`](Self::to_event);
    /// `None` for an event of a type that no section has.
    ///
    /// ```
    /// let event = serde_json::json!({"type": "error", "code": "stray_text", "at": 21});
    /// let section = silcrow_cases::CaseSection::from_event(&event).unwrap();
    /// assert_eq!(section.subject.as_deref(), Some("stray_text"));
    /// assert_eq!(section.to_event(), Some(event));
    /// ```
    pub fn from_event(event: &Value) -> Option<Self> {
        let mut fields = event.as_object()?.clone();
        let mut text = |key: &str| match fields.remove(key)? {
            Value::String(text) => Some(text),
            _ => None,
        };
        let name = text("type")?;
        let subject = match &*name {
            "call" | "invalid_call" | "block" => text("id"),
            "error" => text("code"),
            "think" | "respond" | "execute" | "end" => None,
            _ => return None,
        };
        let content = text("content").unwrap_or_default();
        if let Some(Value::Object(action)) = fields.remove("action") {
            fields.extend(action);
        }
        let attributes = fields.into_iter().collect();
        Some(Self { name, subject, attributes, text: content.as_str().into() })
    }

    /// Checks that the section has the parts of its event, and no others.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { name, subject, attributes, text } = self;
        if name != "emitted" && (text.is_cut() || text.as_str().is_none()) {
            return Err(format!("the text of `{name}` is UTF-8, and is not cut"));
        }
        let is_bare = matches!(&**name, "execute" | "end");
        if !text.is_empty() && (is_bare || matches!(&**name, "invalid_call" | "block")) {
            return Err(format!("`{name}` has no text"));
        }
        if !attributes.is_empty() && (is_bare || name == "emitted") {
            return Err(format!("`{name}` has no attributes"));
        }
        let has_subject = matches!(&**name, "call" | "invalid_call" | "block" | "error" | "result");
        if subject.is_some() && !has_subject {
            return Err(format!("`{name}` has no word after it"));
        }
        if subject.is_none() && has_subject && name != "call" {
            return Err(format!("`{name}` needs a word after it: an id, a code or a tool"));
        }
        Ok(())
    }
}
