//! Secrets in text that arrives in pieces, and texts that look like keys.

use proptest::prelude::*;
use silcrow_sanitize::{Secret, SecretMasker, Secrets, mask_key_shapes};

fn masked(secrets: &Secrets, pieces: &[&str]) -> String {
    let (mut masker, mut out) = (SecretMasker::new(secrets.clone()), String::new());
    for piece in pieces {
        masker.push(piece, &mut out);
    }
    masker.finish(&mut out);
    out
}

#[test]
fn a_name_cannot_break_json_or_a_line() {
    let secrets = Secrets::named([Secret::new("0123456789", "a\"b\n\u{202e}\\")]);
    assert_eq!(secrets.mask("\"0123456789\""), "\"[secret a_b___]\"");
    assert!(!format!("{secrets:?}").contains("0123"));
}

#[test]
fn short_secrets_are_not_masked() {
    let secrets = Secrets::new(["test", " ", "1234567"]);
    assert_eq!(secrets.mask("a test 1234567"), "a test 1234567");
    assert!(Secrets::new([""]).is_empty());
}

#[test]
fn key_like_strings_are_masked_unlike_words() {
    for (text, shown) in [
        ("key sk-ant-api03-abcdefgh_ijk, and", "key [key], and"),
        ("(ghp_0123456789abcdefghij)", "([key])"),
        ("AKIAIOSFODNN7EXAMPLE", "[key]"),
        ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.abc-_", "Bearer [key]"),
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb",
            "a\n[key]\nb",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMII", "[key]"),
        ("-----BEGIN CERTIFICATE-----\nMII", "-----BEGIN CERTIFICATE-----\nMII"),
        ("sk-", "sk-"),
        ("sk-learn and risk-assessment-of-all", "sk-learn and risk-assessment-of-all"),
        ("AKIAIOS", "AKIAIOS"),
        ("naïve 東京 sk-é", "naïve 東京 sk-é"),
    ] {
        assert_eq!(mask_key_shapes(text), shown);
    }
}

proptest! {
    #[test]
    fn the_result_is_the_same_for_every_cut(
        text in "[abé]{0,40}",
        keys in prop::collection::vec("[abé]{6,12}", 0..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let secrets = Secrets::new(&keys);
        // Keys in the text, and ends that begin one.
        let text = format!("{}{text}{}", keys.join(""), keys.first().map_or("", |key| {
            &key[..key.floor_char_boundary(5)]
        }));
        let mut ends: Vec<_> =
            cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        ends.extend([0, text.len()]);
        ends.sort_unstable();
        let pieces: Vec<_> = ends.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect();
        let whole = secrets.mask(&text).into_owned();
        prop_assert_eq!(masked(&secrets, &pieces), &*whole);
        let chars: Vec<_> = text.chars().map(String::from).collect();
        let chars: Vec<_> = chars.iter().map(|char| &**char).collect();
        prop_assert_eq!(masked(&secrets, &chars), &*whole);
        for key in keys.iter().filter(|key| key.len() >= Secrets::SHORTEST) {
            prop_assert!(!whole.contains(key.as_str()));
        }
    }

    #[test]
    fn a_text_without_keys_stays(text in "[ -~é\n]{0,60}") {
        let is_long = |word: &str| word.len() >= 15;
        let words = text.split(|char: char| !char.is_ascii_alphanumeric() && !"-_.".contains(char));
        if !words.into_iter().any(is_long) && !text.contains("BEGIN") {
            prop_assert_eq!(mask_key_shapes(&text), &*text);
        }
    }
}
