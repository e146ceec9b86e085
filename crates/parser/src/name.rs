use silcrow_event::CallTextFragment;

use crate::repair::repair;

/// The name of a call whose body is still being written: the string that its member `name` holds.
/// No byte is looked at twice, save those of a key, and of the name.
#[derive(Debug, Default)]
pub(crate) struct Name {
    /// Brackets open.
    depth: u32,
    /// Where the string at hand begins.
    string: Option<usize>,
    escaped: bool,
    /// Of the body's own object: behind the colon of a member.
    in_value: bool,
    /// Its key is `name`.
    is_name: bool,
    /// There is nothing more to look for.
    over: bool,
    found: Option<String>,
}

impl Name {
    /// As far as it is known.
    pub(crate) fn as_str(&self) -> Option<&str> {
        self.found.as_deref()
    }

    /// Follows a body that goes on at `from`. Gives the place of the quote that makes the name
    /// known.
    pub(crate) fn follow(&mut self, body: &str, from: usize) -> Option<usize> {
        if self.over || !body.starts_with('{') {
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
                    if self.over {
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

    /// Takes a string of the body's own object.
    fn take(&mut self, json: &str) {
        if !self.in_value {
            self.is_name = is_key(json);
        } else if self.is_name {
            self.over = true;
            self.found = read(json).filter(|name| name.len() <= CallTextFragment::MAX_NAME);
        }
    }
}

/// The longest way to write the key: each letter by its number.
const LONGEST_KEY: usize = r#""\u006e\u0061\u006d\u0065""#.len();

fn is_key(json: &str) -> bool {
    json == "\"name\"" || (json.len() <= LONGEST_KEY && read(json).is_some_and(|key| key == "name"))
}

/// A string, as it will be read when the body is complete.
fn read(json: &str) -> Option<String> {
    let plain = serde_json::from_str(json);
    plain.or_else(|error| repair(json).map_or(Err(error), |json| serde_json::from_str(&json))).ok()
}
