//! The names of the formats.

use silcrow_grammar::GrammarFormat;

#[test]
fn a_name_is_parsed_and_printed() {
    for format in GrammarFormat::ALL {
        assert_eq!(format.as_str().parse(), Ok(format));
        assert_eq!(format!("{format:>5}"), format!(" {}", format.as_str()));
    }
}

#[test]
fn an_unknown_name_is_an_error() {
    for name in ["", "Gbnf", "gbnf ", "ebnf"] {
        let error = name.parse::<GrammarFormat>().unwrap_err();
        assert_eq!(error.to_string(), "unknown grammar format; the formats are gbnf and lark");
    }
}
