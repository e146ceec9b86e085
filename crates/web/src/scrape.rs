//! The tool `web_scrape`.
//!
//! This module has the arguments, the preview and the output. Other modules fetch and read pages.

use std::panic::resume_unwind;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_event::{Content, ContentPart, Truncation};
use silcrow_media::{DirectDecoder, MediaDecoder};
use silcrow_tool::{
    ApprovalNeed, CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::failure::{check_risk, failed};
use crate::fetch_response::FetchResponse;
use crate::fetcher::{FetchRequest, Fetcher};
use crate::media_type::{MediaKind, MediaType};
use crate::medium::{WantedPages, medium_output};
use crate::page::{self, Page, PageContent};
use crate::web_url::WebUrl;

/// The tool `web_scrape {url, offset?, whole?, pages?, pictures?}`, which returns a page as readable Markdown.
///
/// Text, Markdown and JSON are returned as they are, a picture is shown, and a PDF is returned by
/// page: its text, or pictures of the pages. A long page is returned in part, with a remark on how
/// to continue. A redirect to another host is not followed but reported, because the approval
/// covers only the host of the URL.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
/// use silcrow_web::{Fetcher, WebScrape};
///
/// let scrape = WebScrape::new(Fetcher::new());
/// assert_eq!(scrape.name(), "web_scrape");
/// // It reaches the public web only.
/// let args = ToolArgs::new(r#"{"url":"http://192.168.0.1/admin"}"#);
/// assert!(scrape.call(args, &CallContext::new("c1", "a1")).await.is_err());
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct WebScrape {
    fetcher: Fetcher,
    leaves_site: bool,
    /// The slots for converting pages. Each conversion needs memory and a thread.
    slots: Arc<Semaphore>,
    decoder: Arc<dyn MediaDecoder>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScrapeArgs {
    url: String,
    #[serde(default)]
    offset: u64,
    #[serde(default)]
    whole: bool,
    pages: Option<String>,
    #[serde(default)]
    pictures: bool,
}

/// The contents of an answer.
enum ScrapedContent {
    Page(Page),
    Medium(ToolOutput),
}

impl WebScrape {
    /// Creates the tool, which reaches the same hosts as the fetcher.
    pub fn new(fetcher: Fetcher) -> Self {
        let slots = Arc::new(Semaphore::new(MAX_AT_ONCE));
        Self { fetcher, leaves_site: false, slots, decoder: Arc::new(DirectDecoder) }
    }

    /// Sets where pictures and PDFs are decoded, which by default is this process.
    #[must_use]
    pub fn with_decoder(self, decoder: Arc<dyn MediaDecoder>) -> Self {
        Self { decoder, ..self }
    }

    /// Follows redirects to other public hosts, too. An approval for a host then also covers hosts
    /// to which its pages redirect.
    #[must_use]
    pub fn with_redirects_to_other_hosts(self) -> Self {
        Self { leaves_site: true, ..self }
    }

    /// Reads the URL of a call and checks its host.
    fn url(&self, text: &str) -> Result<WebUrl, ToolError> {
        let url = WebUrl::parse(text).map_err(|error| failed("`url`", &error))?;
        self.fetcher.check(&url).map_err(|error| failed("`url`", &error))?;
        Ok(url)
    }

    async fn scrape(
        &self,
        args: &ScrapeArgs,
        context: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let url = self.url(&args.url)?;
        check_risk(self.fetcher.risk(&url).as_deref(), context)?;
        let leaves_site = self.leaves_site;
        let request = FetchRequest { leaves_site, ..FetchRequest::new(url.clone(), ACCEPT) };
        let of_url = |error| failed(url.host(), &error);
        let response = self.fetcher.send(request).await.map_err(of_url)?;
        let (place, status) = (response.url().clone(), response.status());
        let media_type = MediaType::parse(response.content_type());
        let pages = args.pages.as_deref().map(str::parse).transpose();
        let pages = pages.map_err(|why: String| ToolError::new(format!("`pages`: {why}")))?;
        let pages = WantedPages { pages, are_drawn: args.pictures };
        let content = self.read(response, &media_type, args.whole, pages).await?;
        let (mut output, title, remarks, is_incomplete) = match content {
            ScrapedContent::Medium(output) => (output, None, Vec::new(), false),
            ScrapedContent::Page(Page { content, title, remarks, is_incomplete }) => {
                (part(content, args.offset), title, remarks, is_incomplete)
            }
        };
        output.notices.extend(title.map(|title| format!("title: {}", quoted(&title))));
        output.notices.push(match &*media_type.name {
            "" => format!("address: {place}, status {status}"),
            name => format!("address: {place}, status {status}, type {name}"),
        });
        output.notices.extend(remarks);
        if is_incomplete && output.truncated.is_none() {
            output = output.with_truncation(Truncation::default());
        }
        if status >= 400 {
            output.summary = format!("status {status}, {}", output.summary);
        }
        Ok(output)
    }

    /// Reads the body of an answer, on a thread that may block.
    async fn read(
        &self,
        response: FetchResponse,
        media_type: &MediaType,
        whole: bool,
        pages: WantedPages,
    ) -> Result<ScrapedContent, ToolError> {
        let (url, media_type) = (response.url().clone(), media_type.clone());
        let host = url.host().to_owned();
        if let MediaKind::Binary(what) = media_type.kind() {
            return Err(failed(&host, &page::binary(what)));
        }
        let closing = || ToolError::new("the program is shutting down");
        let body = response.read().await.map_err(|error| failed(&host, &error))?;
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(|_| closing())?;
        let decoder = Arc::clone(&self.decoder);
        let work = spawn_blocking(move || {
            let _slot = slot;
            match medium_output(&body, &media_type, &url, &*decoder, pages)? {
                Some(output) => Ok(ScrapedContent::Medium(output)),
                None => Page::read(&body, &media_type, &url, whole).map(ScrapedContent::Page),
            }
        });
        let content = work.await.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(page::binary("not read, because the program is shutting down")),
        });
        content.map_err(|error| failed(&host, &error))
    }
}

impl Tool for WebScrape {
    fn name(&self) -> &str {
        "web_scrape"
    }

    fn description(&self) -> &str {
        "Fetches a public web page and returns its main text as Markdown with absolute links, or \
         text and JSON as they are. Shows a picture, and returns the text of a PDF by page. Runs no \
         scripts. Returns at most 64 KiB, and says how to continue. Example: {\"url\": \"https://example.com/docs\"}"
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy {
            read_only: true,
            sends_out: true,
            approval: ApprovalNeed::Always,
            ..ToolPolicy::default()
        }
    }

    /// Returns the URL in the form in which it is sent. This sends nothing, and does not resolve
    /// the name.
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let url = self.url(&args.read::<ScrapeArgs>()?.url)?;
            let preview = Preview::new(url.host()).with_target(url.as_str());
            let preview = preview.with_effect(format!("sends a request to {}", url.host()));
            Ok(match self.fetcher.risk(&url) {
                Some(risk) => preview.with_risk(risk),
                None => preview,
            })
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { self.scrape(&args.read()?, context).await }.boxed()
    }
}

/// Returns the part of a content from `offset` on.
fn part(content: PageContent, offset: u64) -> ToolOutput {
    let text = match content {
        PageContent::Json(json) if offset == 0 && json.as_str().len() <= MAX_BYTES => {
            let summary = format!("{} bytes of JSON", json.as_str().len());
            let mut content = Content::default();
            content.push(ContentPart::Json(json));
            return ToolOutput::new(summary, content);
        }
        PageContent::Json(json) => json.as_str().to_owned(),
        PageContent::Text(text) => text,
    };
    let start = usize::try_from(offset).map_or(text.len(), |at| text.floor_char_boundary(at));
    let end = text.floor_char_boundary(start.saturating_add(MAX_BYTES));
    let (part, left) = (&text[start..end], text.len() - end);
    if part.is_empty() {
        let notice = match text.is_empty() {
            true => "the page has no text; it may need scripts, or `whole`".to_owned(),
            false => format!("the page ends before: it has {} bytes", text.len()),
        };
        return ToolOutput::new("nothing", "").with_notice(notice);
    }
    let summary = match left {
        0 => format!("{} bytes", part.len()),
        _ => format!("{} of {} bytes", part.len(), text.len()),
    };
    let gap = Truncation::default().with_omitted_bytes(left as u64).with_next_offset(end as u64);
    ToolOutput::new(summary, part).with_truncation((left > 0).then_some(gap))
}

/// Returns a text of the page on one line, so that it cannot be taken for a remark of the tool.
fn quoted(text: &str) -> String {
    let short: String = text.chars().take(MAX_TITLE).collect();
    format!("{short:?}")
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""url":{"type":"string","description":"the page: https://HOST/PATH"},"#,
    r#""offset":{"type":"integer","minimum":0,"#,
    r#""description":"bytes of the result to leave out at its beginning"},"#,
    r#""whole":{"type":"boolean","#,
    r#""description":"true for navigation and sidebars too, not only the main text"},"#,
    r#""pages":{"type":"string","description":"pages of a PDF, such as 3 or 1-5"},"#,
    r#""pictures":{"type":"boolean","description":"pages as pictures"}},"#,
    r#""required":["url"],"additionalProperties":false}"#,
);

/// The media types that are read.
const ACCEPT: &str = "text/html, text/markdown;q=0.9, text/plain;q=0.9, application/json;q=0.9, \
                      */*;q=0.1";

/// The number of bytes that a call returns at most.
const MAX_BYTES: usize = 64 << 10;

/// The length of the longest title that is shown, in characters.
const MAX_TITLE: usize = 200;

/// The number of pages that are converted at once.
const MAX_AT_ONCE: usize = 4;
