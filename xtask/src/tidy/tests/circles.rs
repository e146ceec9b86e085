use crate::tidy::circles::{KnownCircle, check};
use crate::tidy::modules::Modules;
use crate::tidy::source::SourceFile;

const ROOT: (&str, &str) = ("lib", "mod a;\nmod b;\npub use a::A;\npub use b::{B, C};\n");

/// Returns the findings for a crate with these files.
fn found(files: &[(&str, &str)], known: &[KnownCircle]) -> Vec<String> {
    let mut modules = Modules::default();
    for (file, text) in files {
        modules.push(&format!("crates/x/src/{file}.rs"), SourceFile::parse(text).unwrap());
    }
    let mut findings = Vec::new();
    check(&modules.folders(), known, &mut findings);
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
        "use crate::b;\nfn f() -> b::B { todo() }\n",
        "pub use crate::b::B;\n",
    ] {
        let said = found(&[ROOT, ("a", a), b], &[]);
        assert_eq!(said.len(), 1, "{a}");
        assert!(
            said[0]
                .contains("circle: a, b; for example crates/x/src/a.rs uses crates/x/src/b.rs, "),
            "{said:?}"
        );
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
    let way = "circle: a, b, c; for example crates/x/src/a/inner/deep.rs uses crates/x/src/b.rs, \
               crates/x/src/b.rs uses crates/x/src/c.rs, \
               crates/x/src/c.rs uses crates/x/src/a/inner/deep.rs;";
    assert!(said[0].contains(way), "{said:?}");
}

/// Neither folder can be lifted out, although no file is in a circle.
#[test]
fn folders_make_a_circle_by_different_files() {
    let files = [
        ("lib", "mod a;\nmod b;\n"),
        ("a", "mod user;\npub mod used;\n"),
        ("a/user", "use crate::b::used::Used;\n"),
        ("a/used", "pub struct Other;\n"),
        ("b", "mod user;\npub mod used;\n"),
        ("b/user", "use crate::a::used::Other;\n"),
        ("b/used", "pub struct Used;\n"),
    ];
    let said = found(&files, &[]);
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("circle: a, b; for example crates/x/src/a/user.rs"), "{said:?}");
}

#[test]
fn a_circle_is_named_in_the_folder_that_has_it() {
    let files = [
        ("lib", "mod outer;\n"),
        ("outer", "mod a;\nmod b;\n"),
        ("outer/a", "use super::b::B;\n"),
        ("outer/b", "use crate::outer::a::A;\npub struct B;\n"),
    ];
    let known = [KnownCircle { folder: "crates/x/src/outer", modules: &["a", "b"], reason: "one" }];
    assert_eq!(found(&files, &[]).len(), 1);
    assert_eq!(found(&files, &known), [""; 0]);
}

/// A module that only exports what others define is a part of no way, and those others are.
#[test]
fn a_facade_hides_no_circle() {
    for facade in [
        "mod inner;\npub use inner::I;\n",
        "mod inner;\npub use self::inner::{I as I};\n",
        "mod inner;\npub use inner::*;\n",
        "mod inner;\npub mod shown {}\npub use self::inner as other;\npub use other::I;\n",
    ] {
        let files = [
            ("lib", "mod a;\nmod b;\nmod c;\npub use b::B;\npub use c::I;\n"),
            ("a", "use crate::I;\n"),
            ("b", "use crate::a::A;\npub struct B;\n"),
            ("c", facade),
            ("c/inner", "use crate::B;\npub struct I;\n"),
        ];
        let said = found(&files, &[]);
        assert_eq!(said.len(), 1, "{facade}");
        assert!(said[0].contains("circle: a, b, c;"), "{facade}: {said:?}");
    }
    // The definition counts, and not the way to it.
    let files = [
        ("lib", "mod a;\nmod b;\nmod c;\n"),
        ("a", "use crate::b::C;\n"),
        ("b", "pub use crate::c::C;\nuse crate::a::A;\n"),
        ("c", "pub struct C;\n"),
    ];
    assert_eq!(found(&files, &[]), [""; 0]);
}

#[test]
fn parents_tests_and_text_make_no_circle() {
    let b = ("b", "use crate::a::A;\n");
    for a in [
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
    let known = [KnownCircle { folder: "crates/x/src", modules: &["a", "b"], reason: "one" }];
    let circle = [ROOT, ("a", "use crate::b::B;\n"), ("b", "use crate::a::A;\n")];
    assert_eq!(found(&circle, &known), [""; 0]);
    let more = [
        ROOT,
        ("a", "use crate::b::B;\n"),
        ("b", "use crate::c::C;\n"),
        ("c", "use crate::a::A;\n"),
    ];
    assert_eq!(found(&more, &known).len(), 2);
    let all_gone = found(&[ROOT], &known);
    assert!(all_gone[0].contains("is gone (one)"), "{all_gone:?}");
    let gone = found(&[ROOT, ("a", ""), ("b", "use crate::a::A;\n")], &known);
    assert_eq!(gone.len(), 1);
    assert!(gone[0].contains("is gone (one)"), "{gone:?}");
    let smaller = found(
        &circle,
        &[KnownCircle { folder: "crates/x/src", modules: &["a", "b", "c"], reason: "one" }],
    );
    assert!(smaller[1].contains("is gone (one)"), "{smaller:?}");
}
