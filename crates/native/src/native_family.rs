//! The families of native forms, and which one a model has.
//!
//! This module has names. `families` has the marks.

use std::fmt;
use std::str::FromStr;

use crate::families;
use crate::family_data::FamilyData;
use crate::family_kind::FamilyKind;

/// A family of models that write thoughts and calls in the same form.
///
/// ```
/// use silcrow_native::NativeFamily;
///
/// let family: NativeFamily = "hermes".parse()?;
/// assert_eq!(NativeFamily::of_model("Qwen/Qwen2.5-7B-Instruct"), Some(family));
/// assert!(NativeFamily::all().count() > 60);
/// # Ok::<(), silcrow_native::UnknownFamily>(())
/// ```
#[derive(Clone, Copy)]
pub struct NativeFamily {
    pub(crate) data: &'static FamilyData,
}

/// The error that no family has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFamily(String);

impl NativeFamily {
    /// Returns all families, in the order of their names.
    pub fn all() -> impl Iterator<Item = Self> {
        families::ALL.iter().flat_map(|group| group.iter()).map(|data| Self { data })
    }

    /// Returns the family of a model by its name, if a part of the name is known. The longest part
    /// that is known decides. A chat template is a better source, if the caller has it.
    ///
    /// ```
    /// use silcrow_native::NativeFamily;
    ///
    /// let family = NativeFamily::of_model("zai-org/GLM-4.7-Flash").unwrap();
    /// assert_eq!(family.name(), "glm47");
    /// assert_eq!(NativeFamily::of_model("gpt-2"), None);
    /// ```
    pub fn of_model(model: &str) -> Option<Self> {
        let model = model.to_lowercase();
        let patterns = Self::all().flat_map(|family| {
            family.data.models.iter().map(move |pattern| (pattern.len(), pattern, family))
        });
        let known = patterns.filter(|(_, pattern, _)| model.contains(**pattern));
        known.max_by_key(|(length, _, _)| *length).map(|(_, _, family)| family)
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.data.name
    }

    /// Returns the encoding of its calls.
    pub fn kind(self) -> FamilyKind {
        self.data.kind
    }

    /// Returns whether its marks are special tokens, so that a server has to be asked to keep them
    /// in the text: `skip_special_tokens: false`.
    pub fn needs_special_tokens(self) -> bool {
        self.data.needs_special_tokens
    }
}

impl PartialEq for NativeFamily {
    fn eq(&self, other: &Self) -> bool {
        self.data.name == other.data.name
    }
}

impl Eq for NativeFamily {}

impl fmt::Debug for NativeFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NativeFamily").field(&self.data.name).finish()
    }
}

impl fmt::Display for NativeFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.data.name)
    }
}

impl FromStr for NativeFamily {
    type Err = UnknownFamily;

    fn from_str(name: &str) -> Result<Self, UnknownFamily> {
        let mut all = Self::all();
        all.find(|family| family.data.name == name || family.data.aliases.contains(&name))
            .ok_or_else(|| UnknownFamily(name.to_owned()))
    }
}

impl fmt::Display for UnknownFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown native family `{}`; `NativeFamily::all` lists the families", self.0)
    }
}

impl std::error::Error for UnknownFamily {}
