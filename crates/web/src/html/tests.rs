//! Laws of reading a page, with generated pages.

use proptest::collection::vec;
use proptest::prelude::*;

use super::to_markdown;
use crate::web_url::WebUrl;

/// Pieces of pages: whole tags, halves of tags, and text.
fn pieces() -> impl Strategy<Value = Vec<&'static str>> {
    let piece = prop::sample::select(vec![
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        "<b>",
        "</b>",
        "<i a=1>",
        "</i>",
        "<a href=/x>",
        "</a>",
        "<ul>",
        "<li>",
        "</ul>",
        "<ol start=3>",
        "</ol>",
        "<table>",
        "<tr>",
        "<td>",
        "<th>",
        "</table>",
        "<pre>",
        "</pre>",
        "<code>",
        "</code>",
        "<h1>",
        "</h1>",
        "<br>",
        "<hr/>",
        "<img alt='a' src=b>",
        "<blockquote>",
        "</blockquote>",
        "<dl>",
        "<dt>",
        "<dd>",
        "</dl>",
        "<main>",
        "</main>",
        "<article>",
        "<nav>",
        "</nav>",
        "<select>",
        "<option>",
        "</select>",
        "<title>",
        "</title>",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<!",
        "<?",
        "</",
        "<",
        ">",
        "<p",
        "<a href=\"",
        "\"",
        "'",
        "=",
        " ",
        "\n",
        "word",
        "ü",
        "`",
        "```",
        "*",
        "_",
        "&lt;",
        "&amp",
        "&#0;",
        "&#x1F600;",
        "\0",
        "[",
        "](",
        "|",
        "# ",
        "1. ",
        "<svg>",
        "</svg>",
        "<template>",
        "</template>",
        "<math>",
        "<body>",
        "</body>",
        "<frameset>",
        "<plaintext>",
    ]);
    vec(piece, 0..60)
}

/// Pieces of style sheets: whole words, halves of rules, and texts without a meaning.
fn css_pieces() -> impl Strategy<Value = Vec<&'static str>> {
    let words = "{ } : ; ( ) [ ] \" ' \\ .x #i * > + ~ , & | = ! % @media @supports @layer @keyframes \
        screen print not and or only :is( :not( :has( ::before :hover :root :nth-child( 2n+1 -n \
        99999999999 é /* */ <!-- --> display none block color #fff #ffff #f rgb( hsl( hwb( white \
        transparent var(--x) --x 0 1 -1e99px 1e999 -0.5e+3em 50% -100% . - calc( clip-path inset( \
        circle( polygon( clip rect( transform translate( matrix( scale( font 0/0 font-size zoom \
        position absolute left inset margin overflow hidden width height padding text-indent \
        visibility opacity filter opacity( background url( background-clip text !important \\6e \\";
    let mut pieces: Vec<_> = words.split_whitespace().collect();
    pieces.extend([
        " ",
        "\n",
        "a",
        "p",
        ".x{display:none}",
        ".x:not(",
        "@media (",
        "min-width: 1px",
    ]);
    vec(prop::sample::select(pieces), 0..40)
}

fn base() -> WebUrl {
    WebUrl::constant("https://example.com/dir/page")
}

proptest! {
    #[test]
    fn every_page_can_be_read(pieces in pieces(), whole: bool) {
        let page = to_markdown(&pieces.concat(), &base(), whole);
        prop_assert!(page.markdown.contains("```") || !page.markdown.contains("\n\n\n"));
    }

    #[test]
    fn any_text_can_be_read(html in "\\PC{0,200}", whole: bool) {
        to_markdown(&html, &base(), whole);
    }

    #[test]
    fn nothing_hidden_is_read(before in pieces(), after in pieces(), whole: bool) {
        // Whatever precedes, a hidden element is closed before the next text.
        let html = format!("{}<p hidden>SECRET</p>{}", closed(&before), closed(&after));
        let page = to_markdown(&html, &base(), whole);
        prop_assert!(!page.markdown.contains("SECRET"), "{}", page.markdown);
    }

    #[test]
    fn every_style_sheet_can_be_read(pieces in css_pieces(), style in css_pieces(), whole: bool) {
        let (css, style) = (pieces.concat(), style.concat().replace('\'', "\""));
        let html = format!("<style>{css}</style><div class=x><p class=x id=i style='{style}'>a<b>b");
        to_markdown(&html, &base(), whole);
    }

    #[test]
    fn no_other_rule_unhides_content(before in css_pieces(), after in css_pieces()) {
        let is_open = |css: &str| css.contains(['{', '}', '(', '[', '"', '\'', '\\', '@', '*', '/', '!']);
        let (before, after) = (before.concat(), after.concat());
        if !is_open(&before) && !is_open(&after) {
            let rule = "p.y{display:none!important}";
            let css = format!("{before}{{}}{rule}{after}{{display:block}}");
            let html = format!("<style>{css}</style><p>{}</p><p class=y>SECRET</p>", "a ".repeat(99));
            let page = to_markdown(&html, &base(), false);
            prop_assert!(!page.markdown.contains("SECRET"), "{css}: {}", page.markdown);
        }
    }

    #[test]
    fn all_plain_text_is_read(words in vec("[a-z]{1,9}", 1..50)) {
        let html = words.iter().map(|word| format!("<p>{word}</p>")).collect::<String>();
        prop_assert_eq!(to_markdown(&html, &base(), false).markdown, words.join("\n\n"));
    }
}

/// Returns pieces without those that swallow the next one as raw text or as a part of a tag.
fn closed(pieces: &[&str]) -> String {
    let is_whole = |piece: &&&str| {
        let is_raw = ["<title>", "<script>", "<plaintext>", "<!--"].contains(*piece);
        let is_tag = piece.starts_with('<') && piece.ends_with('>') && piece.len() > 2;
        is_tag && !is_raw || piece.chars().all(char::is_alphabetic)
    };
    pieces.iter().filter(is_whole).copied().collect()
}
