use crate::tidy::source::{ByteKind, SourceFile};

#[test]
fn code_literals_and_comments_are_told_apart() {
    let text = r##"let a = "// not a comment \" still"; // "not a string"
let b = r#"raw " /* text */"#; /* a /* nested */ comment */ b();
let c = '"'; let d: &'static str = br"x\"; let e = '\''; f::<'a>();
let over = 1; let r = over; r"end""##;
    let source = SourceFile::new(text.to_owned());
    assert_eq!(
        squeeze(&source.only(&[ByteKind::Code], true)),
        [
            "let a = ;",
            "let b = ; b();",
            "let c = ; let d: &'static str = b ; let e = ; f::<'a>();",
            "let over = 1; let r = over;"
        ]
    );
    assert_eq!(
        squeeze(&source.only(&[ByteKind::Literal], true)),
        [
            r#""// not a comment \" still""#,
            r##"r#"raw " /* text */"#"##,
            r#"'"' r"x\" '\''"#,
            r#"r"end""#
        ]
    );
    assert_eq!(
        squeeze(&source.only(&[ByteKind::Comment], true)),
        [r#"// "not a string""#, "/* a /* nested */ comment */", "", ""]
    );
}

#[test]
fn what_never_ends_does_not_hang() {
    for text in ["\"open", "'\\", "/* open", "r#\"open\"", "'", "r", "§'§", ""] {
        assert_eq!(SourceFile::new(text.to_owned()).only(&[], true).trim(), "", "{text}");
    }
}

#[test]
fn test_modules_are_no_code() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { \"}\"; }\n}\nfn c() {}\n\
                #[cfg(test)]\nmod more;\nfn d() {} // #[cfg(test)]\nfn e() {}\n";
    let code = SourceFile::new(text.to_owned()).code();
    assert_eq!(
        code.split_whitespace().collect::<Vec<_>>(),
        ["fn", "a()", "{}", "fn", "c()", "{}", "fn", "d()", "{}", "fn", "e()", "{}"]
    );
    assert_eq!(code.lines().count(), text.lines().count(), "lines keep their numbers");
}

fn squeeze(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}
