use crate::tidy::source::SourceFile;
use crate::tidy::unique::PublicTypes;

/// Returns the files and lines that define a name which is already used.
fn twice(files: &[(&str, &str)]) -> Vec<(String, usize)> {
    let (mut types, mut findings) = (PublicTypes::default(), Vec::new());
    for (file, text) in files {
        types.push(file, &SourceFile::new((*text).to_owned()), &mut findings);
    }
    findings.into_iter().map(|finding| (finding.file, finding.line)).collect()
}

#[test]
fn a_public_type_that_is_defined_twice_is_found() {
    let first = ("a.rs", "/// One.\npub struct Line<'a>(&'a str);\n");
    for second in ["pub enum Line {\n", "pub trait Line: Send {\n", "pub type Line = u8;\n"] {
        assert_eq!(twice(&[first, ("b.rs", second)]), [("b.rs".to_owned(), 1)], "{second}");
    }
}

#[test]
fn private_types_shared_names_and_text_are_fine() {
    let first = ("a.rs", "pub struct Line;\npub struct Error;\n");
    for second in [
        "struct Line;\n",
        "pub(crate) struct Line;\n",
        "pub struct Lines;\n",
        "pub struct Error;\n",
        "/// ```\n/// pub struct Line;\n/// ```\n",
        "const A: &str = \"\npub struct Line;\n\";\n",
        "#[cfg(test)]\nmod tests {\n    pub struct Line;\n}\n",
    ] {
        assert_eq!(twice(&[first, ("b.rs", second)]), [], "{second}");
    }
}
