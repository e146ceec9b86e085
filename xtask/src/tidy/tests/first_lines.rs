use crate::tidy::first_lines::check;
use crate::tidy::source::SourceFile;

#[test]
fn a_module_without_docs_is_found() {
    assert_eq!(lines("use std::fmt;\n"), [1]);
    assert_eq!(lines("// A note.\n//! Docs.\n"), [1]);
    assert_eq!(lines("//! Docs.\n\nuse std::fmt;\n"), [0; 0]);
}

#[test]
fn a_functions_docs_begin_with_a_verb() {
    for docs in ["The id of the call.", "Whether it ended.", "As written.", "Return the id."] {
        for item in ["pub fn a() {}", "pub const fn a() {}", "pub async fn a() {\n}"] {
            assert_eq!(found(docs, item), 1, "{docs} {item}");
        }
        assert_eq!(found(docs, "fn a() {}"), 0, "{docs}");
        assert_eq!(found(docs, "pub(crate) fn a() {}"), 0, "{docs}");
    }
    for docs in ["Returns the id.", "Is called once.", "`push` once more.", "§end, escaped."] {
        assert_eq!(found(docs, "pub fn a() {}"), 0, "{docs}");
    }
}

#[test]
fn other_docs_do_not_begin_as_half_a_sentence() {
    let items =
        ["pub struct A;", "pub a: u8,", "pub const A: u8 = 1;", "#[non_exhaustive]\npub enum A {}"];
    for item in items {
        for docs in ["In bytes.", "Of the call.", "What a call gave."] {
            assert_eq!(found(docs, item), 1, "{docs} {item}");
        }
        for docs in ["The length in bytes.", "For each call, the id.", "Whether it ended."] {
            assert_eq!(found(docs, item), 0, "{docs} {item}");
        }
    }
}

#[test]
fn what_is_in_a_public_enum_or_trait_is_public() {
    assert_eq!(
        lines("//! A.\npub enum A {\n    /// In bytes.\n    B,\n}\n/// In bytes.\nfn b() {}\n"),
        [3]
    );
    let held = "//! A.\npub trait A {\n    /// The id.\n    fn id(&self) -> u8;\n}\n/// The id.\nfn b() {}\n";
    assert_eq!(lines(held), [3]);
    assert_eq!(lines("//! A.\nenum A {\n    /// In bytes.\n    B,\n}\n"), [0; 0]);
}

#[test]
fn only_the_first_paragraph_counts_and_attributes_do_not() {
    let docs = "//! A.\n/// Returns it.\n///\n/// In bytes.\n#[must_use]\n#[cfg(\n    unix\n)]\npub fn a() {}\n";
    assert_eq!(lines(docs), [0; 0]);
    assert_eq!(lines(&docs.replace("Returns it", "Whose it is")), [2]);
    let tests = "//! A.\n#[cfg(test)]\nmod tests {\n    /// In bytes.\n    pub fn a() {}\n}\n";
    assert_eq!(lines(tests), [0; 0]);
}

fn found(docs: &str, item: &str) -> usize {
    lines(&format!("//! A module.\n\n/// {docs}\n{item}\n")).len()
}

fn lines(text: &str) -> Vec<usize> {
    let mut findings = Vec::new();
    check("a.rs", &SourceFile::new(text.to_owned()), &mut findings);
    findings.iter().map(|finding| finding.line).collect()
}
