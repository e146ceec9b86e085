//! The text that is read from a page.

use silcrow_tool::{CallContext, Tool as _, ToolArgs, ToolOutput};
use silcrow_web::WebScrape;

use crate::server::TestServer;

/// Scrapes a page of HTML.
async fn scraped(html: impl Into<Vec<u8>>, more: &str) -> (TestServer, ToolOutput) {
    let server = TestServer::with_page("text/html; charset=utf-8", html).await;
    let scrape = WebScrape::new(server.fetcher());
    let args = format!(r#"{{"url":"{}"{more}}}"#, server.url("/dir/page?q=1"));
    let context = CallContext::new("c", "a1");
    let output = scrape.call(ToolArgs::new(&args), &context).await.unwrap();
    (server, output)
}

async fn markdown(html: &str) -> String {
    scraped(html, "").await.1.content.into_text()
}

#[tokio::test]
async fn a_page_becomes_markdown() {
    let html = include_str!("../cases/page.html");
    let (server, output) = scraped(html, "").await;
    let expected = include_str!("../cases/page.md").trim_end();
    assert_eq!(output.content.text(), expected.replace("BASE", &server.url("")));
    assert_eq!(
        output.notices,
        [
            "title: \"A & B – Site\"".to_owned(),
            format!("address: {}, status 200, type text/html", server.url("/dir/page?q=1")),
            "about 21 bytes beside the main text, such as navigation, are left out; `whole` reads \
             them"
                .to_owned(),
        ]
    );
}

#[tokio::test]
async fn hidden_content_is_left_out() {
    let hidden = [
        "<p style='display:none'>SECRET</p>",
        "<p style='color: red; DISPLAY : NONE !important'>SECRET</p>",
        "<p style=visibility:hidden>SECRET</p>",
        "<p style='font-size: 0'>SECRET</p>",
        "<p style='font-size:0px;'>SECRET</p>",
        "<p style='opacity:0.0'>SECRET</p>",
        "<p hidden>SECRET</p>",
        "<p hidden=until-found>SECRET</p>",
        "<p HIDDEN=''>SECRET</p>",
        "<div hidden><p>SECRET <b>SECRET</b></p></div>",
        "<span class='a sr-only'>SECRET</span>",
        "<!-- SECRET -->",
        "<!-- <p> --!>shown<!--> shown <!-- SECRET -->",
        "<![CDATA[ SECRET ]]>",
        "<?php SECRET ?>",
        "<script>SECRET</script>",
        "<script>'<p>SECRET</p>'</script >",
        "<style>SECRET</style>",
        "<template>SECRET</template>",
        "<noscript>SECRET</noscript>",
        "<textarea>SECRET</textarea>",
        "<select><option>SECRET</select>",
        "<input value=SECRET>",
        "<button>SECRET</button>",
        "<dialog>SECRET</dialog>",
        "<iframe>SECRET</iframe>",
        "<svg><text>SECRET</text></svg>",
        "<object>SECRET</object>",
        "<p data-x='SECRET' title='SECRET' onclick='SECRET'>a</p>",
        "<a href='data:text/plain,SECRET'>a</a>",
        "<a href='javascript:SECRET'>a</a>",
        "<img alt='' src=SECRET.png>",
    ];
    for html in hidden {
        for whole in ["", r#","whole":true"#] {
            let page = format!("<body><p>before</p>{html}<p>after</p></body>");
            let text = scraped(page, whole).await.1.content.into_text();
            assert!(!text.contains("SECRET"), "{html}: {text}");
            assert!(text.starts_with("before") && text.ends_with("after"), "{html}: {text}");
        }
    }
    let shown = [
        "<p style='opacity:0.5'>SHOWN</p>",
        "<p style='font-size:0.9em'>SHOWN</p>",
        "<dialog open>SHOWN</dialog>",
    ];
    for html in shown {
        assert!(markdown(html).await.contains("SHOWN"), "{html}");
    }
}

#[tokio::test]
async fn the_main_text_is_found() {
    let text = "A sentence of the text. ".repeat(40);
    let menu = "<a href=/>Menu</a> ".repeat(20);
    let pages = [
        format!("<div>{menu}</div><main><p>{text}</p></main><div>{menu}</div>"),
        format!("<div>{menu}</div><div role=main><p>{text}</p></div>"),
        format!("<div>{menu}</div><article><header><h1>Title</h1></header><p>{text}</p></article>"),
        format!("<div>{menu}</div><div class=post><h2>Title</h2><p>{text}</p></div>"),
        format!("<nav>{menu}</nav><p>{text}</p><footer>{menu}</footer>"),
        format!("<div role=navigation>{menu}</div><p>{text}</p>"),
        format!("<form><nav>{menu}</nav><main><p>{text}</p></main></form>"),
        format!("<form>{menu}</form><p>{text}</p>"),
        format!("<header>{menu}</header><p>{text}</p>"),
    ];
    for html in pages {
        let found = markdown(&html).await;
        assert!(found.contains(text.trim()) && !found.contains("Menu"), "{html}: {found}");
        let whole = scraped(html, r#","whole":true"#).await.1.content.into_text();
        assert!(whole.contains("Menu"), "{whole}");
    }
    // A page that is only navigation is read as it is.
    assert!(markdown(&format!("<nav>{menu}</nav>")).await.contains("Menu"));
    // A list of articles has no main one.
    let list = "<article><p>first</p></article><article><p>second</p></article>";
    assert_eq!(markdown(list).await, "first\n\nsecond");
}

#[tokio::test]
async fn a_page_of_deeply_nested_tags_is_read() {
    for tag in [
        "div",
        "b",
        "p",
        "ul><li",
        "table><tr><td",
        "blockquote",
        "a href=/x",
        "font a=1",
        "span",
        "section",
        "q",
        "h1",
    ] {
        let open = format!("<{tag}>").repeat(20_000);
        let close = format!("</{}>", tag.split([' ', '>']).next().unwrap()).repeat(20_000);
        for html in [format!("{open}TEXT{close}<p>END</p>"), format!("{open}TEXT")] {
            let (_, output) = scraped(html, "").await;
            let text = output.content.text();
            assert!(text.contains("TEXT"), "{tag}: {}", text.len());
        }
    }
    let (_, output) = scraped("<div>".repeat(20_000) + "TEXT", "").await;
    assert!(
        output.notices.contains(&"tags that are nested more than 256 deep are ignored".to_owned())
    );
    let hidden =
        "<div>".repeat(400) + "<p hidden>SECRET<b>SECRET</b></p><script>SECRET</script>END";
    assert_eq!(scraped(hidden, "").await.1.content.into_text(), "END");
}

#[tokio::test]
async fn hostile_pages_end_within_their_limits() {
    let many = 10_000;
    let pages = [
        "<".repeat(1 << 20),
        "<a".repeat(1 << 20),
        "<!--".repeat(1 << 19),
        "<!--x--!".repeat(1 << 18),
        "</".repeat(1 << 20),
        "<a b='".repeat(1 << 18),
        "<p a a a a a a a a ".repeat(1 << 15),
        "&".repeat(1 << 18),
        "&amp".repeat(1 << 17),
        "<script>".repeat(1 << 18),
        "<title>".repeat(1 << 18),
        "<p><b><i><u><font a=1><tt>".repeat(many),
        "<b><p>".repeat(many),
        "<li>".repeat(many),
        "<tr><td>".repeat(many),
        format!("<table><tr>{}</table>", "<td>a".repeat(many)),
        format!("<table><tr><th>a{}</table>", "<tr><td>b".repeat(many)),
        format!("<table><tr>{}{}</table>", "<th>a".repeat(1000), "<tr><td>b".repeat(many)),
        format!("<table><tr><th>{}{}</table>", "long ".repeat(10_000), "<tr><td>b".repeat(many)),
        "<table><tr><th>".repeat(many / 4),
        "<select><option>".repeat(many),
        "<pre>".repeat(many) + "\n```\n",
        "<a href=x>".repeat(many),
        "<b>a</b>".repeat(many),
        "<i>a</i><em>b</em>".repeat(many),
        "<code>a</code>".repeat(many),
        "<code>`</code> ".repeat(many),
        "<ol>".repeat(many),
        "<ol start=65535><li>".repeat(many),
        "<ul><li>a".repeat(many),
        "<a href=x>a</a>".repeat(many),
        "*_`[]".repeat(200_000),
        " \n\t".repeat(500_000),
        "<br>".repeat(many),
        "<img alt=a src=b>".repeat(many),
        "\0".repeat(10),
    ];
    for html in pages {
        let start: String = html.chars().take(30).collect();
        let server = TestServer::with_page("text/html", html).await;
        let args = format!(r#"{{"url":"{}"}}"#, server.url("/"));
        let context = CallContext::new("c", "a1");
        let called = WebScrape::new(server.fetcher()).call(ToolArgs::new(&args), &context).await;
        if let Ok(output) = called {
            assert!(output.content.text().len() <= 64 << 10, "{start}");
        } else {
            assert!(start.starts_with('\0'), "{start}");
        }
    }
}

#[tokio::test]
async fn tables_without_headers_and_large_ones_are_lines() {
    let layout = "<table><tr><td>1.</td><td><a href=/a>A</a></td></tr><tr><td>2.</td><td>B</td></tr></table>";
    let (server, output) = scraped(layout, "").await;
    assert_eq!(output.content.text(), format!("1. [A]({})\n\n2. B", server.url("/a")));
    let rows = "<tr><td>x<td>y".repeat(2000);
    let large = format!("<table><tr><th>{}<th>b{rows}</table>", "wide ".repeat(100));
    let text = markdown(&large).await;
    assert!(!text.contains('|') && text.contains("x y"), "{}", &text[..200]);
}

#[tokio::test]
async fn code_is_kept_verbatim() {
    let text =
        markdown("<pre>a  b\n\n\n    c &amp;&amp; <span class=k>d</span>\n*e* _f_</pre>").await;
    assert_eq!(text, "```\na  b\n\n\n    c && d\n*e* _f_\n```");
    let text = markdown("<ul><li>a<pre>  x\n\n\n```\n  y  </pre>b").await;
    assert_eq!(text, "- a\n\n  ````\n    x\n\n\n  ```\n    y\n  ````\n\n  b");
}

#[tokio::test]
async fn links_without_words_are_left_out() {
    let html = "<p>a <a href=/1></a><a href=/2> </a><a href=/3><img src=x></a>\
                <a href=/4><img src=x alt=pic></a> z</p>";
    let (server, output) = scraped(html, "").await;
    let image = format!("[![pic]({})]({})", server.url("/dir/x"), server.url("/4"));
    assert_eq!(output.content.text(), format!("a {image} z"));
}
