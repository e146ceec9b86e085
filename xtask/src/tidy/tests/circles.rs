use crate::tidy::circles::{KnownCircle, check};
use crate::tidy::modules::Modules;
use crate::tidy::source::SourceFile;

const ROOT: (&str, &str) = ("lib", "mod a;\nmod b;\npub use a::A;\npub use b::{B, C};\n");

/// Returns the findings for a crate with these files.
fn found(files: &[(&str, &str)], known: &[KnownCircle]) -> Vec<String> {
    let mut modules = Modules::default();
    for (file, text) in files {
        modules.push(&format!("crates/x/src/{file}.rs"), &SourceFile::new((*text).to_owned()));
    }
    let mut findings = Vec::new();
    check(&modules.uses(), known, &mut findings);
    findings.into_iter().map(|finding| finding.what).collect()
}

#[test]
fn modules_that_use_each_other_are_found() {
    let b = ("b", "use crate::a::A;\npub struct B;\n");
    for a in [
        "use crate::b::B;\n",
        "use super::b::{self, B};\n",
        "use crate::{a, b::B as Other};\n",
        "use crate::B;\n",
        "fn f() { let b = crate::b::B; }\n",
        "fn f() -> super::B { todo() }\n",
    ] {
        let said = found(&[ROOT, ("a", a), b], &[]);
        assert_eq!(said.len(), 1, "{a}");
        assert!(said[0].contains("crates/x/src/a.rs, crates/x/src/b.rs;"), "{said:?}");
    }
}

#[test]
fn a_circle_may_be_longer_and_lie_deeper() {
    let files = [
        ROOT,
        ("a", "mod inner;\nuse inner::deep;\n"),
        ("a/inner", "pub mod deep;\n"),
        ("a/inner/deep", "use crate::b::B;\n"),
        ("b", "use crate::c::C;\n"),
        ("c", "use crate::a::inner::deep::D;\n"),
    ];
    let said = found(&files, &[]);
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("src/a/inner/deep.rs, crates/x/src/b.rs, crates/x/src/c.rs;"));
}

#[test]
fn exports_parents_tests_and_text_make_no_circle() {
    let b = ("b", "use crate::a::A;\n");
    for a in [
        "pub use crate::b::B;\n",
        "pub(crate) use crate::b::B;\n",
        "use std::b::B;\nuse b::B;\n",
        "// use crate::b::B;\nconst A: &str = \"use crate::b::B;\";\n",
        "#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n",
        "use crate::A;\nuse self::A as B;\n",
    ] {
        assert_eq!(found(&[ROOT, ("a", a), b], &[]), [""; 0], "{a}");
    }
    let parent = ("a", "mod inner;\nuse inner::I;\npub struct A;\n");
    assert_eq!(found(&[ROOT, parent, ("a/inner", "use super::A;\nuse crate::A;\n")], &[]), [""; 0]);
}

#[test]
fn a_known_circle_is_fine_until_it_grows_or_is_gone() {
    let known = [KnownCircle { files: &["crates/x/src/a.rs", "crates/x/src/b.rs"], reason: "one" }];
    let circle = [ROOT, ("a", "use crate::b::B;\n"), ("b", "use crate::a::A;\n")];
    assert_eq!(found(&circle, &known), [""; 0]);
    let more = [
        ROOT,
        ("a", "use crate::b::B;\n"),
        ("b", "use crate::c::C;\n"),
        ("c", "use crate::a::A;\n"),
    ];
    assert_eq!(found(&more, &known).len(), 2);
    let files_are_gone = found(&[ROOT], &known);
    assert!(files_are_gone[0].contains("is gone (one)"), "{files_are_gone:?}");
    let gone = found(&[ROOT, ("a", ""), ("b", "use crate::a::A;\n")], &known);
    assert_eq!(gone.len(), 1);
    assert!(gone[0].contains("is gone (one)"), "{gone:?}");
    let smaller = found(
        &circle,
        &[KnownCircle {
            files: &["crates/x/src/a.rs", "crates/x/src/b.rs", "crates/x/src/c.rs"],
            reason: "one",
        }],
    );
    assert!(smaller[0].contains("is gone (one)"), "{smaller:?}");
}
