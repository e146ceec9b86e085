//! Finds the name of a call while its body is still being written.
//!
//! A finder searches the keys of the outermost object, and is done after the first string with the
//! key `name`. It does not parse the body.

use silcrow_event::CallTextFragment;

use crate::repair::repair;

/// An incremental search for the member `name` of a call. It reads each byte once, but bytes of
/// keys and of the name twice.
#[derive(Debug, Default)]
pub(crate) struct NameFinder {
    /// The number of open brackets.
    depth: u32,
    /// The start of the current string.
    string: Option<usize>,
    escaped: bool,
    /// Whether a member's colon has passed, in the outermost object.
    in_value: bool,
    /// Whether that member's key is `name`.
    is_name: bool,
    /// Whether the search is over.
    is_done: bool,
    found: Option<String>,
}

impl NameFinder {
    /// Returns the name, if it is known.
    pub(crate) fn as_str(&self) -> Option<&str> {
        self.found.as_deref()
    }

    /// Follows a body that continues at `from`. Returns the position of the quote that completes
    /// the name.
    pub(crate) fn follow(&mut self, body: &str, from: usize) -> Option<usize> {
        if self.is_done || !body.starts_with('{') {
            return None;
        }
        for (at, &byte) in body.as_bytes().iter().enumerate().skip(from) {
            match (self.string, byte) {
                (Some(_), _) if self.escaped => self.escaped = false,
                (Some(_), b'\\') => self.escaped = true,
                (Some(start), b'"') => {
                    self.string = None;
                    if self.depth == 1 {
                        self.take(&body[start..=at]);
                    }
                    if self.is_done {
                        return self.found.is_some().then_some(at);
                    }
                }
                (Some(_), _) => {}
                (None, b'"') => self.string = Some(at),
                (None, b'{' | b'[') => self.depth += 1,
                (None, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
                (None, b':') if self.depth == 1 => self.in_value = true,
                (None, b',') if self.depth == 1 => self.in_value = false,
                (None, _) => {}
            }
        }
        None
    }

    /// Takes a string of the outermost object.
    fn take(&mut self, json: &str) {
        if !self.in_value {
            self.is_name = is_key(json);
        } else if self.is_name {
            self.is_done = true;
            self.found = read(json).filter(|name| name.len() <= CallTextFragment::MAX_NAME);
        }
    }
}

/// The length of the key with every letter escaped.
const LONGEST_KEY: usize = r#""\u006e\u0061\u006d\u0065""#.len();

fn is_key(json: &str) -> bool {
    json == "\"name\"" || (json.len() <= LONGEST_KEY && read(json).is_some_and(|key| key == "name"))
}

/// Parses a string as it will be parsed when the body is complete.
fn read(json: &str) -> Option<String> {
    let plain = serde_json::from_str(json);
    plain.or_else(|error| repair(json).map_or(Err(error), |json| serde_json::from_str(&json))).ok()
}
