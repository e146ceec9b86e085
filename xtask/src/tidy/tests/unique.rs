use crate::tidy::source::SourceFile;
use crate::tidy::unique::TypeNames;

/// Returns the files and lines that define a name which is already used.
fn twice(files: &[(&str, &str)]) -> Vec<(String, usize)> {
    let (mut types, mut findings) = (TypeNames::default(), Vec::new());
    for (file, text) in files {
        types.push(file, &SourceFile::parse(text).unwrap(), &mut findings);
    }
    findings.into_iter().map(|finding| (finding.file, finding.line)).collect()
}

#[test]
fn a_type_that_is_defined_twice_is_found() {
    let first = ("a.rs", "/// One.\npub struct Line<'a>(&'a str);\n");
    for second in [
        "pub enum Line {}\n",
        "pub trait Line: Send {}\n",
        "pub type Line = u8;\n",
        "struct Line;\n",
        "pub(crate) struct Line;\n",
        "mod inner {\n    pub(super) struct Line;\n}\n",
    ] {
        assert_eq!(
            twice(&[first, ("b.rs", second)]),
            [("b.rs".to_owned(), 1 + usize::from(second.starts_with("mod")))],
            "{second}"
        );
    }
}

#[test]
fn local_types_shared_names_and_text_are_fine() {
    let first = ("a.rs", "pub struct Line;\npub struct Error;\n");
    for second in [
        "impl Iterator for X {\n    type Line = u8;\n}\n",
        "fn f() {\n    struct Line;\n}\n",
        "pub struct Lines;\n",
        "pub struct Error;\n",
        "/// ```\n/// pub struct Line;\n/// ```\n",
        "const A: &str = \"\npub struct Line;\n\";\n",
        "#[cfg(test)]\nmod tests {\n    pub struct Line;\n}\n",
    ] {
        assert_eq!(twice(&[first, ("b.rs", second)]), [], "{second}");
    }
}

#[test]
fn a_riddle_is_found() {
    assert_eq!(twice(&[("a.rs", "struct What;\npub struct WhatIf;\n")]), [("a.rs".to_owned(), 1)]);
}
