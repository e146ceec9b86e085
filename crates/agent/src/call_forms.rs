//! The forms in which a run reads calls.

use std::fmt;
use std::str::FromStr;

use silcrow_event::UnknownWord;
use silcrow_native::NativeFamily;

/// The forms in which a run reads calls (P-44).
///
/// ```
/// use silcrow_agent::CallForms;
///
/// let families = CallForms::Known.families("compatible:http://localhost:8080/v1#Qwen2.5-7B");
/// assert_eq!(Vec::from_iter(families.iter().map(|family| family.name())), ["hermes"]);
/// assert!(CallForms::Known.families("rehearsal").is_empty());
/// assert!(CallForms::Own.families("compatible:http://localhost:8080/v1#Qwen2.5-7B").is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-44 knows these")]
pub enum CallForms {
    /// Only the dialect. A call in any other form is reported to the model, which is asked again.
    Own,
    /// Also the native form of the model's family, if the name of the model says which it is. For any
    /// other model the [most frequent forms](Self::frequent) are read once an answer of the run was in
    /// vain.
    #[default]
    Known,
    /// The vendor's own tool calling (P-45): requests declare the tools, and calls and results are
    /// sent in the forms of the API. Calls have no text form, so control blocks, names for outputs
    /// and grammars are not available. The text of an answer is read as with
    /// [`Known`](Self::Known).
    Native,
}

impl CallForms {
    /// Lists every choice.
    pub const ALL: [Self; 3] = [Self::Own, Self::Known, Self::Native];

    /// Returns the name of the choice: `own`, `known` or `native`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Known => "known",
            Self::Native => "native",
        }
    }

    /// Returns whether calls are made in the vendor's own way.
    pub const fn is_native(self) -> bool {
        matches!(self, Self::Native)
    }

    /// Returns the families whose forms are read from the first answer on. `model` is the
    /// [name](silcrow_provider::Provider::name) of the provider.
    pub fn families(self, model: &str) -> Vec<NativeFamily> {
        // An address may contain the name of a family, too.
        let model = model.rsplit_once('#').map_or(model, |(_, model)| model);
        match self {
            Self::Own => Vec::new(),
            Self::Known | Self::Native => NativeFamily::of_model(model).into_iter().collect(),
        }
    }

    /// Returns the families whose forms are read after an answer in vain, if no others are.
    pub fn frequent(self) -> Vec<NativeFamily> {
        match self {
            Self::Own => Vec::new(),
            Self::Known | Self::Native => {
                FREQUENT.iter().filter_map(|name| name.parse().ok()).collect()
            }
        }
    }
}

impl fmt::Display for CallForms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for CallForms {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|forms| forms.as_str() == word);
        found.ok_or_else(|| UnknownWord::new("form of calls", Self::ALL.map(Self::as_str)))
    }
}

/// Families with marks that no prose has, each for many models.
const FREQUENT: [&str; 7] =
    ["hermes", "qwen3_coder", "mistral_args", "glm47", "kimi_k2", "deepseek_v31", "minimax_m2"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frequent_family_is_known() {
        let names: Vec<_> =
            CallForms::Known.frequent().iter().map(|family| family.name()).collect();
        assert_eq!(names, FREQUENT);
    }
}
