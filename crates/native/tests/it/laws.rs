//! The laws over mutated cases and over arbitrary text.

use proptest::prelude::*;
use silcrow_native::NativeFamily;

use crate::cases::cases;
use crate::reading::{Joined, Setup};
use crate::surface;

/// Changes of a text: the kind, the place, and the length.
type Changes = Vec<(u8, prop::sample::Index, u8)>;

fn changes() -> impl Strategy<Value = Changes> {
    prop::collection::vec((0_u8..6, any::<prop::sample::Index>(), 0_u8..24), 0..5)
}

fn changed(text: &str, other: &str, changes: &Changes) -> String {
    let mut text: Vec<char> = text.chars().collect();
    let other: Vec<char> = other.chars().collect();
    for (kind, index, length) in changes {
        if text.is_empty() {
            break;
        }
        let at = index.index(text.len());
        let end = (at + usize::from(*length)).min(text.len());
        match kind {
            0 => text.truncate(at),
            1 => drop(text.drain(at..end)),
            2 => {
                let copy: Vec<char> = text[at..end].to_vec();
                text.splice(end..end, copy);
            }
            3 if !other.is_empty() => {
                let from = index.index(other.len());
                let to = (from + usize::from(*length)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
            4 => text.splice(at..at, "<\n`\"é".chars()).for_each(drop),
            _ => text.splice(at..at, other.iter().copied()).for_each(drop),
        }
    }
    text.into_iter().collect()
}

proptest! {
    /// A changed case means the same however it is cut, with the text of another case in it.
    #[test]
    fn changed_cases_do_not_depend_on_the_cuts(
        one: prop::sample::Index, two: prop::sample::Index, changes in changes(),
        seed: u64, in_thought: bool,
    ) {
        let cases = CASES.with(|cases| {
            let (one, two) = (one.index(cases.len()), two.index(cases.len()));
            (cases[one].setup.clone(), changed(&cases[one].text, &cases[two].text, &changes))
        });
        let (mut setup, text) = cases;
        setup.in_thought = in_thought;
        setup.check(&text, seed);
    }

    /// Every family reads any text.
    #[test]
    fn any_text_is_read(text in "[<>\\[\\]{}\"'`|:=,a-f /_\n\\PC]{0,60}", seed: u64) {
        for family in NativeFamily::all() {
            Setup::new(family).check(&text, seed);
        }
    }

    /// All families together are split-invariant, too.
    #[test]
    fn families_together_do_not_depend_on_the_cuts(
        one: prop::sample::Index, two: prop::sample::Index, changes in changes(), seed: u64,
    ) {
        let (setup, text) = CASES.with(|cases| {
            let (one, two) = (one.index(cases.len()), two.index(cases.len()));
            let mut setup = cases[one].setup.clone();
            setup.families.extend(cases[two].setup.families.iter().copied());
            (setup, changed(&cases[one].text, &cases[two].text, &changes))
        });
        setup.check(&text, seed);
    }

    /// The properties that the fuzz targets check.
    #[test]
    fn surfaces_hold(bytes in prop::collection::vec(any::<u8>(), 2..80)) {
        surface::json(&bytes);
        surface::parameters(&bytes);
        surface::elements(&bytes);
        surface::expression(&bytes);
        surface::loose(&bytes);
        surface::messages(&bytes);
    }

    /// Text without marks is given unchanged.
    #[test]
    fn plain_text_is_unchanged(text in "[a-z .,é漢\n]{1,80}") {
        for family in NativeFamily::all() {
            let read = Setup::new(family).check(&text, 3);
            let is_same = matches!(&read[..], [Joined::Answer(same)] if *same == text);
            prop_assert!(is_same, "{family}: {read:?}");
        }
    }
}

thread_local! {
    static CASES: Vec<crate::cases::NativeCase> = cases();
}
