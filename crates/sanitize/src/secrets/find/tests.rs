use proptest::prelude::*;

use super::LEAST;
use crate::Secrets;

const KEY: &str = "sk-Canary/0123+wXyZ_98765";

fn redact(text: &str) -> String {
    Secrets::new([KEY]).redact(text, "[key]")
}

#[test]
fn a_secret_is_found_in_every_form() {
    for form in [
        "sk-Canary/0123+wXyZ_98765",
        "SK-CANARY/0123+WXYZ_98765",
        "sk-Canary/01\n23+wXyZ_98765",
        "sk-Canary/01\r\n   23+wXyZ_98765",
        "s k - C a n a r y / 0 1 2 3 + w X y Z _ 9 8 7 6 5",
        "sk-Canary\u{200B}/0123+wXyZ_98765",
        "sk-Canar",
        "sk-Canary/0123",
        "yZ_98765",
        "nary/0123+wX",
        r"sk-Canary\/0123+wXyZ_98765",
        r"sk-Canary\u002f0123+wXyZ_98765",
        r"sk-Canary\u002F0123\u002bwXyZ_98765",
        r"\u0073k-Canary/0123+wXyZ_98765",
        r"sk-Canary\x2f0123+wXyZ_98765",
        r"sk-Cana\nry/0123+wXyZ_98765",
        r"sk-Cana\\nry/0123+wXyZ_98765",
        "sk-Canary%2F0123%2BwXyZ_98765",
        "sk-Canary%252f0123%252bwXyZ_98765",
        "sk-Canary&#47;0123&#x2B;wXyZ_98765",
        r"%73%6B%2D%43%61%6E%61%72%79%2F",
    ] {
        assert_eq!(redact(form), "[key]", "{form}");
        assert_eq!(redact(&format!("§ {form} ~")), "§ [key] ~", "{form}");
    }
}

#[test]
fn non_secrets_stay_unchanged() {
    for text in ["", "sk-Cana", "Z_98765", "sk-Canà/ry", "a sk- Cana", "100 %", "&&#;&x;", "%"] {
        assert_eq!(redact(text), text);
    }
    assert_eq!(redact(r"C:\new \ud83d \u{73}"), r"C:\new \ud83d \u{73}");
    // A short one is found as it is, and only so.
    let short = Secrets::new(["s3cret", "ключ-к-дому"]);
    assert_eq!(short.redact("a s3cret, a S3CRET, s3 cret", "*"), "a *, a S3CRET, s3 cret");
    assert_eq!(short.redact("«ключ-к-дому»", "*"), "«*»");
    assert_eq!(Secrets::default().redact("sk-Canary", "*"), "sk-Canary");
}

#[test]
fn adjacent_secrets_are_masked_separately() {
    assert_eq!(redact(&format!("{KEY}{KEY},{KEY}")), "[key][key],[key]");
}

/// One character of a key, in one of the spellings that servers use.
fn written(char: char, form: u8) -> String {
    let code = char as u32;
    match form {
        0 => char.to_ascii_uppercase().to_string(),
        1 => char.to_ascii_lowercase().to_string(),
        2 => format!("%{code:02x}"),
        3 => format!("\\u{code:04X}"),
        4 => format!("&#{code};"),
        5 => format!("{char}\n"),
        6 => format!("{char}\\n"),
        7 => format!("%25{code:02X}"),
        _ => char.to_string(),
    }
}

proptest! {
    #[test]
    fn encoded_secrets_leave_no_pieces(
        // Without characters that begin an escape.
        key in r"[!-$'-\[\]-~]{8,40}",
        forms in prop::collection::vec(0u8..12, 40),
        cut in (0usize..40, 0usize..40),
        around in ("[ §é🗼.]{0,20}", "[ §é🗼.]{0,20}"),
    ) {
        let start = cut.0.min(key.len() - LEAST);
        let end = (start + LEAST + cut.1).min(key.len());
        let piece = key[start..end].chars().zip(forms);
        let piece: String = piece.map(|(char, form)| written(char, form)).collect();
        let (before, after) = (around.0 + "§", format!("§{}", around.1));
        let redacted = Secrets::new([&key]).redact(&format!("{before}{piece}{after}"), "[key]");
        prop_assert!(redacted.starts_with(&format!("{before}[key]")), "{}", redacted);
        prop_assert!(redacted.ends_with(&after), "{}", redacted);
        // Only white space at its end may be left of the piece.
        let left = redacted[before.len()..redacted.len() - after.len()].replace("[key]", "");
        prop_assert!(left.trim().is_empty() || left == "\\n", "{:?}", left);
    }

    #[test]
    fn secrets_of_any_characters_are_found(
        key in "[!-~]{1,40}",
        before in "[ -~\n]{0,20}",
        after in "[ -~\n]{0,20}",
    ) {
        let redacted = Secrets::new([&key]).redact(&format!("{before}{key}{after}"), "");
        prop_assert!(key.len() < LEAST || !redacted.contains(&key), "{}", redacted);
        prop_assert!(redacted.len() <= before.len() + after.len());
    }

    #[test]
    fn chunked_masking_equals_whole_masking(
        text in "[a-m0-4%&\\\\ \n§]{0,60}",
        at in 0usize..60,
    ) {
        let secrets = Secrets::new(["nopqrstuvwxyz5678", KEY]);
        prop_assert_eq!(&secrets.redact(&text, "*"), &text);
        let whole = format!("{text}{KEY}{text}");
        let at = (0..=at.min(whole.len())).rev().find(|at| whole.is_char_boundary(*at)).unwrap();
        let (mut one, mut other) = (whole[..at].to_owned(), whole[at..].to_owned());
        secrets.redact_pieces(&mut [&mut one, &mut other]);
        prop_assert_eq!(one + &other, secrets.redact(&whole, "[secret]"));
    }
}
