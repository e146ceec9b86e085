//! Reads the inside of a tag: a bare name, or attributes.
//!
//! This module tracks quotes, because the end of a tag inside quotes is text.

use crate::parameter_form::TagForm;
use crate::parameter_values::WrittenType;

/// The inside of a tag so far.
#[derive(Debug, Default)]
pub(crate) struct TagText {
    text: String,
    quote: Option<char>,
}

impl TagText {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.quote = None;
    }

    /// Returns the text before the end of the tag.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Takes a character of a name without a tag.
    pub(crate) fn push_plain(&mut self, character: char) {
        self.text.push(character);
    }

    /// Takes a character, and returns whether the tag is complete. Its end is left out.
    pub(crate) fn push(&mut self, character: char, tag: &TagForm) -> bool {
        self.text.push(character);
        if tag.attribute.is_some() && matches!(character, '"' | '\'') {
            let before = &self.text[..self.text.len() - 1];
            match self.quote {
                Some(quote) if quote == character => self.quote = None,
                None if before.trim_end().ends_with('=') => self.quote = Some(character),
                _ => {}
            }
        }
        let is_end = self.quote.is_none() && self.text.ends_with(tag.close);
        if is_end {
            self.text.truncate(self.text.len() - tag.close.len());
        }
        is_end
    }

    /// Returns the name that the tag gives, or `None` if it gives none.
    pub(crate) fn value(&self, tag: &TagForm) -> Option<String> {
        let Some(attribute) = tag.attribute else {
            let name = self.text.trim();
            let unquoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
            return Some(unquoted.unwrap_or(name).to_owned());
        };
        let value = self.attribute(attribute)?;
        Some(if tag.decodes_entities { decode_entities(value) } else { value.to_owned() })
    }

    /// Returns the type of a value according to the tag.
    pub(crate) fn hint(&self, tag: &TagForm) -> WrittenType {
        if tag.attribute.is_none() {
            return WrittenType::Unknown;
        }
        if let Some(word) = self.attribute("string") {
            return if word == "true" { WrittenType::String } else { WrittenType::Json };
        }
        match self.attribute("type").filter(|_| tag.decodes_entities) {
            Some(kind) => WrittenType::Named(kind.to_owned()),
            None => WrittenType::Unknown,
        }
    }

    /// Returns the value of an attribute.
    fn attribute(&self, name: &str) -> Option<&str> {
        let mut rest = self.text.as_str();
        loop {
            rest = rest.trim_start();
            let (key, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (value, left) = match quote {
                Some(quote) => after[1..].split_once(quote).unwrap_or_else(|| (&after[1..], "")),
                None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
            };
            if key.trim() == name {
                return Some(value);
            }
            rest = left;
        }
    }
}

fn decode_entities(text: &str) -> String {
    let plain = text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
    plain.replace("&amp;", "&")
}
