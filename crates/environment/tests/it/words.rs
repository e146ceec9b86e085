//! Laws of words: quoted words are split back, and a name is found wherever it is replaced.

use std::cell::RefCell;

use proptest::prelude::*;
use silcrow_environment::{expanded, quoted_word, split_words, variables_in};

proptest! {
    #[test]
    fn quoted_words_split_back_unchanged(list in prop::collection::vec("\\PC{0,12}", 0..5)) {
        let line: Vec<_> = list.iter().map(|word| quoted_word(word)).collect();
        prop_assert_eq!(split_words(&line.join(" ")), Some(list));
    }

    #[test]
    fn listed_variables_are_the_expanded_ones(word in "[ab$_{}1 é~/]{0,16}") {
        let asked = RefCell::new(Vec::new());
        let value = |name: &str| {
            asked.borrow_mut().push(name.to_owned());
            Ok(String::new())
        };
        expanded(&word, &value).unwrap();
        prop_assert_eq!(variables_in(&word).collect::<Vec<_>>(), asked.into_inner());
    }

    #[test]
    fn words_without_dollar_or_tilde_stay_unchanged(word in "[^$~]{0,16}") {
        let value = |_: &str| Err("nothing is asked for".to_owned());
        prop_assert_eq!(expanded(&word, &value), Ok(word.clone()));
    }
}
