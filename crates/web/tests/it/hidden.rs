//! Text that a page hides from people is not read.

use silcrow_tool::{CallContext, Tool as _, ToolArgs, ToolOutput};
use silcrow_web::WebScrape;

use crate::server::TestServer;

/// Scrapes a page of HTML, as its main text or as a whole.
async fn scraped(html: &str, whole: bool) -> ToolOutput {
    let server = TestServer::with_page("text/html; charset=utf-8", html).await;
    let scrape = WebScrape::new(server.fetcher());
    let args = format!(r#"{{"url":"{}","whole":{whole}}}"#, server.url("/"));
    scrape.call(ToolArgs::new(&args), &CallContext::new("c", "a1")).await.unwrap()
}

/// Checks that `SECRET` is not read from any of these pages, and the text around it is.
async fn check_hidden(pages: &[&str]) {
    for page in pages {
        for whole in [false, true] {
            let html = format!("<body><p>before</p>{page}<p>after</p></body>");
            let text = scraped(&html, whole).await.content.into_text();
            assert!(!text.contains("SECRET"), "{page}: {text}");
            assert!(text.starts_with("before") && text.ends_with("after"), "{page}: {text}");
        }
    }
}

async fn check_shown(pages: &[&str]) {
    for page in pages {
        let html = format!("<body><p>before</p>{page}<p>after</p></body>");
        let output = scraped(&html, false).await;
        assert!(output.content.text().contains("SHOWN"), "{page}: {output:?}");
    }
}

#[tokio::test]
async fn a_style_on_the_element_hides_its_text() {
    let styles = [
        "display:none",
        "DISPLAY : None ! important",
        "disp\\6c ay:none",
        "display:/* x */none;",
        "visibility:hidden",
        "visibility: collapse",
        "content-visibility:hidden",
        "opacity:0",
        "opacity: 1%",
        "filter: blur(1px) opacity(0)",
        "font-size:0",
        "font-size:0.01em",
        "font-size: 1%",
        "font:0/0 a",
        "font: 1px sans-serif",
        "color:transparent",
        "color: rgba(0, 0, 0, 0)",
        "color: #0000",
        "color:white",
        "color:#FFF",
        "color: rgb(254 254 254)",
        "color: hsl(0, 0%, 100%)",
        "color: hwb(0 100% 0%)",
        "-webkit-text-fill-color: transparent",
        "background:black",
        "background:#222; color: #222222",
        "position:absolute;left:-9999px",
        "position: fixed; top: -200vh",
        "position:absolute; inset: 0 0 0 -5000px",
        "position: absolute; right: 9999px",
        "margin-left:-9999px",
        "margin: 0 0 0 -9999px",
        "text-indent:-9999px",
        "text-indent:-999em; overflow: hidden",
        "transform: translateX(-9999px)",
        "transform:translate(0, -300%)",
        "translate: -9999px 0",
        "transform: scale(0)",
        "scale: 0",
        "transform: matrix(0,0,0,0,0,0)",
        "zoom: 0.01",
        "position:absolute;clip:rect(0 0 0 0)",
        "clip: rect(1px, 1px, 1px, 1px)",
        "clip-path: inset(50%)",
        "clip-path:inset(0 100% 0 0)",
        "clip-path: circle(0)",
        "clip-path: polygon(0 0, 0 0, 0 0)",
        "height:0;overflow:hidden",
        "width:1px; height:1px; overflow:hidden",
        "max-height: 0; overflow-y: hidden",
    ];
    for style in styles {
        check_hidden(&[&format!("<p style='{style}'>SECRET</p>")]).await;
    }
    check_hidden(&[
        "<div style='opacity:0'><p style='opacity:1'>SECRET</p></div>",
        "<div style='color:#fff'><p>SECRET <b>SECRET</b></p></div>",
        "<div style='font-size:0'><p style='font-size:2em'>SECRET</p></div>",
        "<p style=\"display&#58;none\">SECRET</p>",
        "<p aria-hidden=true>SECRET</p>",
        "<div aria-hidden='TRUE'><p>SECRET</p></div>",
        "<font color=white>SECRET</font>",
        "<table><tr><td bgcolor='#000000'>SECRET</table>",
        "<p style='visibility:hidden'><img alt=SECRET src=x></p>",
        "<a href=/SECRET><span style='display:none'>x</span></a>",
    ])
    .await;
}

#[tokio::test]
async fn a_style_sheet_hides_text() {
    let rules = [
        ".x{display:none}",
        ".X{display:none}",
        "#i{visibility:hidden}",
        "p.x{opacity:0}",
        "div p{font-size:0}",
        "div > .x{color:transparent}",
        "div.y.z > p#i.x{display:none}",
        ".before + div .x{display:none}",
        ".before ~ div .x{display:none}",
        "[data-k]{display:none}",
        "[data-k='v w' i]{display:none}",
        "[class^=x]{display:none}",
        "p.x:not(.before):not(div){display:none}",
        ":is(.a, .x){display:none}",
        "p:nth-child(1).x{display:none}",
        ".x:first-child{display:none}",
        ".x:has(b){display:none}",
        ".\\78{display:none}",
        "/* .x{} */ .a,\n.x /* { */ {color:red;display:none}",
        "<!-- .x{display:none} -->",
        "@media screen and (min-width: 600px){.x{display:none}}",
        "@media (width > 1px){.x{display:none}}",
        "@supports (display:grid){.x{display:none}}",
        "@layer a{.x{display:none}}",
        "@media all{@layer b{@supports (x:y){.x{display:none}}}}",
        "div{ .x{display:none} }",
        "div{ & > .x{display:none} }",
        ".x{ @media screen{display:none} }",
        ".x{display:none!important} .x{display:block}",
        ".x{display:block} p.x{display:none} .x{display:inline}",
        ".x{display:none} @media print{.x{display:block}}",
        ".x{display:none} .x:hover{display:block}",
        ".x{display:none} @supports (foo:bar){.x{display:block}}",
        ":root{--c:#fff} .x{color:var(--c)}",
        "html{background:#000;color:#ccc} .x{color:black}",
        "body{background:#123456;color:#eee} .x{color:#123456}",
        ".y{background:navy} .x{color:navy}",
        ".x{position:absolute;left:-10000px}",
        ".x{clip:rect(0,0,0,0);position:absolute}",
        ".x{width:0;overflow:hidden}",
        ".x{content:'}'; display:none}",
        ".a{content:\"/*\"} .x{display:none}",
        "@import 'a;b'; .x{display:none}",
        "@font-face{font-family:a} .x{display:none}",
        ".x{display:none",
    ];
    for rule in rules {
        let body = "<p class=before>-</p><div class='y z'>\
                    <p class=x id=i data-k='v w'>SECRET <b>SECRET</b></p></div>";
        for page in [format!("<style>{rule}</style>{body}"), format!("{body}<style>{rule}</style>")]
        {
            check_hidden(&[&page]).await;
        }
    }
    let deep =
        format!("<style>.x{{display:none}}</style>{}<p class=x>SECRET</p>", "<div>".repeat(400));
    let text = scraped(&(deep + &"</div>".repeat(400) + "<p>after</p>"), false).await;
    assert!(!text.content.text().contains("SECRET"), "{text:?}");
}

#[tokio::test]
async fn content_not_hidden_by_styles_is_read() {
    let rules = [
        ".y{display:none}",
        ".x:hover{display:none}",
        ".x::before{display:none}",
        "@media print{.x{display:none}}",
        "@media (max-width: 600px){.x{display:none}}",
        "@media (prefers-color-scheme: dark){.x{color:#fff}}",
        "@keyframes x{from{opacity:0}}",
        ".x{display:none} .x{display:block}",
        ".x{display:none} p.x{display:block}",
        ".x{display:block!important} p.x{display:none}",
        "@layer a{p.x{display:none}} .x{display:block}",
        ".x{color:#fff;background:#000}",
        ".x{color:#fff;background:url(a.png)}",
        ".x{color:#fff;background-image:linear-gradient(red,blue)}",
        ".x{color:transparent;background:linear-gradient(red,blue);background-clip:text}",
        "html{background:#000} .x{color:#fff}",
        "body{background:#222;color:#fff}",
        ".x{color:var(--unknown)}",
        ".x{height:0}",
        ".x{position:relative;left:-10px;margin-left:-50vw}",
        ".x{height:0;overflow:hidden;padding-bottom:56%}",
        ".x{transform:translate(-50%,-50%);clip-path:inset(5px)}",
        "body{visibility:hidden} .x{visibility:visible}",
        "body{font-size:0} p{font-size:14px}",
        "/* .x{display:none} */",
        ".x{color:red} } .a{display:none}",
        "%%%{display:none} .x > > .x{display:none}",
    ];
    for rule in rules {
        check_shown(&[&format!("<style>{rule}</style><p class=x>SHOWN</p>")]).await;
    }
    check_shown(&[
        "<style media=print>p{display:none}</style><p>SHOWN</p>",
        "<style type='text/less'>p{display:none}</style><p>SHOWN</p>",
        "<template><style>p{display:none}</style></template><p>SHOWN</p>",
        "<p style='opacity:0.5;font-size:0.9em;color:#eee'>SHOWN</p>",
        "<div style='visibility:hidden'><p style='visibility:visible'>SHOWN</p></div>",
        "<p aria-hidden=false>SHOWN</p>",
        "<div style='background:#000'><mark>SHOWN</mark></div>",
        "<p style='color:#fff'><a href=/x>SHOWN</a></p>",
    ])
    .await;
}

#[tokio::test]
async fn page_hidden_until_script_runs_is_read() {
    let text = "A sentence of the text. ".repeat(20);
    let pages = [
        format!("<style>body{{opacity:0}}</style><p>{text}</p>"),
        format!("<html style='visibility:hidden'><body><p>{text}</p></body></html>"),
        format!("<body hidden><p>{text}</p></body>"),
        format!("<p>Loading…</p><div id=app style='display:none'><p>{text}</p></div>"),
        format!(
            "<style>.part{{opacity:0}}</style>{}",
            format!("<p class=part>{text}</p>").repeat(9)
        ),
    ];
    for page in pages {
        let output = scraped(&page, false).await;
        assert!(output.content.text().contains(text.trim()), "{page}: {output:?}");
        let notice = "the page hides its text until a script shows it, and was read as if it had";
        assert!(output.notices.iter().any(|line| line == notice), "{:?}", output.notices);
    }
    // A script does not turn off a disguise, and in shown elements hidden text stays hidden.
    let page = format!(
        "<body style='opacity:0'><p>{text}</p><p style='color:#fff'>SECRET</p>\
         <p style='display:none'>SECRET</p></body>"
    );
    assert!(!scraped(&page, false).await.content.text().contains("SECRET"));
    let page = format!("<p style='font-size:0'>SECRET {text}</p>");
    assert!(!scraped(&page, false).await.content.text().contains("SECRET"));
}

#[tokio::test]
async fn a_notice_says_how_much_is_hidden() {
    let page = "<style>.x{display:none}</style><p>before</p><p class=x>123 45 678</p>";
    let notices = scraped(page, false).await.notices;
    let notice = "about 8 bytes that the page hides are left out";
    assert!(notices.iter().any(|line| line == notice), "{notices:?}");
}

#[tokio::test]
async fn hostile_style_sheets_end_within_their_limits() {
    let many = 100_000;
    let sheets = [
        ".x{display:none}".repeat(many),
        "a{".repeat(many),
        "a{b{c{d{".repeat(many) + "display:none",
        "&,&".repeat(20) + "{&,&{&,&{&,&{&,&{&,&{display:none}}}}}}",
        "(".repeat(many),
        "\"\n".repeat(many),
        "\\".repeat(many),
        "/*".repeat(many),
        "/**/".repeat(many),
        "@media (".repeat(many),
        ":not(".repeat(many) + "{display:none}",
        ":is(a,".repeat(30) + &"b)".repeat(30) + "{display:none}",
        "a ".repeat(many) + "{display:none}",
        "a,".repeat(many) + "a{display:none}",
        "* * * * * * * * .never{display:none}".repeat(200),
        ":nth-child(99999999999n + 1){display:none}:nth-child(-n - 2147483648){opacity:0}"
            .to_owned(),
        format!("a{{{}}}", "--x:var(--x);color:var(--x);".repeat(many)),
        format!("a{{color:{}}}", "#".repeat(many)),
        "é{é:é}[é=\"é\"]{é}".repeat(many / 10),
    ];
    for sheet in sheets {
        let start: String = sheet.chars().take(30).collect();
        let body = "<div class=never><p>text<p class=y>text</div>".repeat(300);
        let begin = std::time::Instant::now();
        let output = scraped(&format!("<style>{sheet}</style>{body}"), false).await;
        let (text, took) = (output.content.text(), begin.elapsed());
        assert!(text.len() <= 64 << 10 && took.as_secs() < 30, "{start}: {took:?}");
    }
}
