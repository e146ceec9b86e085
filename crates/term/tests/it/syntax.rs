//! Code with colours.

use silcrow_term::{MarkdownStream, Options, TextRole};

fn roles(text: &str) -> Vec<(String, TextRole)> {
    let mut stream = MarkdownStream::new(&Options::default());
    stream.push(text);
    let code = &stream.finish()[1];
    code.spans().map(|span| (span.text.trim().to_owned(), span.style.role())).collect()
}

#[test]
fn code_has_the_roles_of_its_syntax() {
    let rust = roles("```rust\nlet a = \"b\"; // 1\n```\n");
    for (text, role) in
        [("let", TextRole::Keyword), ("\"b\"", TextRole::Literal), ("// 1", TextRole::Comment)]
    {
        assert!(rust.contains(&(text.to_owned(), role)), "{text}: {rust:?}");
    }
    assert_eq!(roles("```ts\n// a\n```\n"), [("// a".to_owned(), TextRole::Comment)]);
}

#[test]
fn other_code_has_one_role() {
    for text in ["```unknown\nlet a\n```\n", "```\nlet a\n```\n", "```rust\nlet a"] {
        assert_eq!(roles(text), [("let a".to_owned(), TextRole::Code)], "{text}");
    }
}
