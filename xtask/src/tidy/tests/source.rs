use crate::tidy::source::SourceFile;

fn tokens(text: &str) -> Vec<String> {
    let source = SourceFile::parse(text).unwrap();
    source.tokens.into_iter().map(|token| token.text).collect()
}

#[test]
fn literals_and_comments_are_no_tokens() {
    let text = r##"let a = "// not a comment \" still"; // "not a string"
        let b = r#"raw " /* text */"#; /* a /* nested */ comment */ a::b('"', 'x');"##;
    let expected = "let a = ; let b = ; a :: b ( , ) ;";
    assert_eq!(tokens(text).join(" "), expected);
}

#[test]
fn test_modules_are_no_tokens() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { \"}\"; }\n}\nfn c() {}\n\
                #[cfg(test)]\nmod more;\nfn d() {} // #[cfg(test)]\nfn e() {}\n";
    let expected = "fn a ( ) { } fn c ( ) { } fn d ( ) { } fn e ( ) { }";
    assert_eq!(tokens(text).join(" "), expected);
}

#[test]
fn tokens_know_their_lines_and_what_they_stand_in() {
    let source = SourceFile::parse("fn a() {\n    b(c::d);\n}\n").unwrap();
    let found = source.find(&["c", "::", "d"]).unwrap();
    assert_eq!((found.line, found.depth), (2, 2));
    assert!(source.find(&["c", "d"]).is_none());
    assert!(SourceFile::parse("fn a( {\n").is_err());
}
