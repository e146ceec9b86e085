//! Reads the members of JSON objects.
//!
//! It reads numbers, words and lists in the form of our JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::json::{self, Json};
use crate::scan;
use crate::seconds::Seconds;
use crate::unknown_word::UnknownWord;

/// The members of a JSON object, each as JSON text. Of several with one name the last one counts.
#[derive(Default)]
pub(crate) struct Fields<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Fields<'a> {
    pub(crate) fn read(object: &'a str) -> Result<Self, ReadEntryError> {
        // An answer has six members.
        let mut members = Vec::with_capacity(8);
        let mut has_names = true;
        let scanned = scan::object(object, |key, value| match json::text(&object[key]) {
            Some(name) => members.push((name, &object[value])),
            None => has_names = false,
        });
        match scanned.filter(|()| has_names) {
            Some(()) => Ok(Self(members)),
            None => Self::of_unusual(object),
        }
    }

    /// Reads an object that nests deeper than the scanner goes, or returns its error.
    #[cold]
    fn of_unusual(object: &'a str) -> Result<Self, ReadEntryError> {
        match serde_json::from_str::<BTreeMap<String, &RawValue>>(object) {
            Ok(members) => {
                let members = members.into_iter();
                Ok(Self(members.map(|(name, value)| (Cow::Owned(name), value.get())).collect()))
            }
            Err(error) if error.is_data() => {
                Err(ReadEntryError("this is not a JSON object".to_owned()))
            }
            Err(error) => Err(ReadEntryError(format!("this is not valid JSON: {error}"))),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        let members = self.0.iter().rev();
        members.into_iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    pub(crate) fn maybe(&self, key: &str) -> Option<String> {
        json::text(self.get(key)?).map(Cow::into_owned)
    }

    pub(crate) fn text(&self, key: &str) -> Result<String, ReadEntryError> {
        self.chars(key).map(Cow::into_owned)
    }

    /// Returns the characters of a string.
    pub(crate) fn chars(&self, key: &str) -> Result<Cow<'a, str>, ReadEntryError> {
        match self.get(key) {
            Some(text) => {
                json::text(text).ok_or_else(|| ReadEntryError(format!("`{key}` is not a string")))
            }
            None => Err(ReadEntryError(format!("`{key}` is missing"))),
        }
    }

    pub(crate) fn json(&self, key: &str) -> Option<Json> {
        Json::parse(self.get(key)?)
    }

    /// Returns the members of each object of an array, or `None` if it is not an array of objects.
    pub(crate) fn objects(&self, key: &str) -> Option<Vec<Self>> {
        let items: Vec<&'a RawValue> = serde_json::from_str(self.get(key)?).ok()?;
        items.into_iter().map(|item| Self::read(item.get()).ok()).collect()
    }

    /// Returns the members of an object, or `None` if no object has this name.
    pub(crate) fn object(&self, key: &str) -> Option<Self> {
        Self::read(self.get(key)?).ok()
    }

    /// Returns the strings of an array, or an empty list if the member is anything else.
    pub(crate) fn strings(&self, key: &str) -> Vec<String> {
        self.get(key).and_then(|array| serde_json::from_str(array).ok()).unwrap_or_default()
    }

    /// Reads a number exactly as it is written.
    pub(crate) fn number<T: FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// Returns a duration from its number of seconds.
    pub(crate) fn duration(&self, key: &str) -> Option<Duration> {
        self.number(key).map(|Seconds(duration)| duration)
    }

    pub(crate) fn word<T: FromStr<Err = UnknownWord>>(
        &self,
        key: &str,
        default: T,
    ) -> Result<T, ReadEntryError> {
        let Some(word) = self.maybe(key) else { return Ok(default) };
        word.parse().map_err(|unknown: UnknownWord| {
            let words = unknown.words().join(", ");
            ReadEntryError(format!("`{key}` is `{word}`; it may be {words}"))
        })
    }
}

/// The error that a line is not an event, with the reason.
///
/// ```
/// use silcrow_event::read_entry;
///
/// let why = |line| read_entry(line).unwrap_err().to_string();
/// assert_eq!(why(r#"{"type":"respond"}"#), "`content` is missing");
/// assert_eq!(why("[1]"), "this is not a JSON object");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadEntryError(String);

impl ReadEntryError {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for ReadEntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadEntryError {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::Fields;

    #[test]
    fn last_of_repeated_members_wins() {
        let fields = Fields::read(r#"{"a": 1, "\u0061": "two\n", "b": [3 ] }"#).unwrap();
        assert_eq!(fields.text("a").unwrap(), "two\n");
        assert_eq!(fields.get("b"), Some("[3 ]"));
    }

    #[test]
    fn a_value_may_be_nested_deeply() {
        let value = "[".repeat(300) + &"]".repeat(300);
        let object = format!(r#"{{"a": {value}}}"#);
        assert_eq!(Fields::read(&object).unwrap().get("a"), Some(&*value));
    }

    /// Returns members, and texts that are not members.
    fn member() -> impl Strategy<Value = String> {
        let name =
            prop::sample::select(vec![r#""a""#, r#""\u0061""#, r#""b ""#, r#""\ud800""#, "b"]);
        let value = prop::sample::select(vec![
            "1",
            "-0.5e+3",
            "01",
            r#""x\n""#,
            "\"x\n\"",
            " true ",
            "null",
            r#"[{"c": []} ]"#,
            "[",
            "",
        ]);
        (name, value).prop_map(|(name, value)| format!("{name} :{value}"))
    }

    proptest! {
        #[test]
        fn members_match_serde_json(
            members in prop::collection::vec(member(), 0..4),
            end in prop::sample::select(vec!["}", " } ", "", ",}", "}}"]),
        ) {
            let object = format!(" {{{}{end}", members.join(","));
            let wanted: Option<BTreeMap<String, &RawValue>> = serde_json::from_str(&object).ok();
            let fields = Fields::read(&object).ok();
            prop_assert_eq!(fields.is_some(), wanted.is_some(), "{}", object);
            let (Some(fields), Some(wanted)) = (fields, wanted) else { return Ok(()) };
            prop_assert!(fields.0.iter().all(|(name, _)| wanted.contains_key(&**name)));
            for (name, value) in wanted {
                prop_assert_eq!(fields.get(&name), Some(value.get()));
            }
        }
    }
}
