//! The options, and the names of the dialects.

use silcrow_lex::{Dialect, Options};

#[test]
fn a_dialect_converts_into_options_with_the_defaults() {
    for dialect in Dialect::ALL {
        let options = Options::from(dialect);
        assert_eq!((options.dialect, options.inline), (dialect, false));
        assert_eq!(options, Options::new(dialect));
        assert!(options.with_inline(true).inline);
    }
}

#[test]
fn a_name_is_parsed_and_printed() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.as_str().parse(), Ok(dialect));
        assert_eq!(format!("{dialect:>8}"), format!("{:>8}", dialect.as_str()));
    }
}

#[test]
fn an_unknown_name_is_an_error() {
    for name in ["", "Sigil", "sigil ", "rune"] {
        let error = name.parse::<Dialect>().unwrap_err();
        assert_eq!(error.to_string(), "unknown dialect; the dialects are sigil, phase and action");
    }
}
