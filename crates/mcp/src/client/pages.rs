//! Lists that a server sends page by page.
//!
//! A cursor that was followed before leads in a circle, so it ends the list, as too many pages do.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    ClientRequest, CustomResult, ListToolsRequest, PaginatedRequestParams, Prompt, Resource,
    ServerResult, Tool,
};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde::Deserialize as _;

/// The items of all pages.
pub(crate) struct Pages<T> {
    pub(crate) items: Vec<T>,
    /// The reason why there may be more of them, as the end of a sentence about the list.
    pub(crate) cut: Option<&'static str>,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self { items: Vec::new(), cut: None }
    }
}

/// Returns all tools of a server, and why others cannot be read.
pub(crate) async fn tools(
    peer: &Peer<RoleClient>,
) -> Result<(Pages<Tool>, Vec<String>), ServiceError> {
    let unreadable = Mutex::new(Vec::new());
    let found = &unreadable;
    let list = |page: Option<PaginatedRequestParams>| async move {
        match peer.list_tools(page.clone()).await {
            Ok(page) => Ok((page.tools, page.next_cursor)),
            // One of the definitions violates the protocol.
            Err(ServiceError::UnexpectedResponse) => one_by_one(peer, page, found).await,
            Err(error) => Err(error),
        }
    };
    let pages = all(list).await?;
    Ok((pages, unreadable.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Lists a page again, and reads its tools one by one.
async fn one_by_one(
    peer: &Peer<RoleClient>,
    page: Option<PaginatedRequestParams>,
    unreadable: &Mutex<Vec<String>>,
) -> Result<(Vec<Tool>, Option<String>), ServiceError> {
    let request = ListToolsRequest { params: page, ..ListToolsRequest::default() };
    let listed = peer.send_request(ClientRequest::ListToolsRequest(request)).await?;
    let value = match listed {
        ServerResult::CustomResult(CustomResult(value)) => value,
        // The list has changed.
        ServerResult::ListToolsResult(page) => return Ok((page.tools, page.next_cursor)),
        _ => return Err(ServiceError::UnexpectedResponse),
    };
    let listed = value["tools"].as_array().ok_or(ServiceError::UnexpectedResponse)?;
    let mut tools = Vec::new();
    for tool in listed {
        match Tool::deserialize(tool) {
            Ok(tool) => tools.push(tool),
            Err(why) => {
                let name = tool["name"].as_str().map_or_else(
                    || "a tool without a name".to_owned(),
                    |name| format!("the tool {name:?}"),
                );
                let mut unreadable = unreadable.lock().unwrap_or_else(PoisonError::into_inner);
                unreadable.push(format!("{name} is left out, because it cannot be read: {why}"));
            }
        }
    }
    Ok((tools, value["nextCursor"].as_str().map(str::to_owned)))
}

/// Returns all prompts of a server.
pub(crate) async fn prompts(peer: &Peer<RoleClient>) -> Result<Pages<Prompt>, ServiceError> {
    let list = |page| async move {
        let page = peer.list_prompts(page).await?;
        Ok((page.prompts, page.next_cursor))
    };
    all(list).await
}

/// Returns all resources of a server.
pub(crate) async fn resources(peer: &Peer<RoleClient>) -> Result<Pages<Resource>, ServiceError> {
    let list = |page| async move {
        let page = peer.list_resources(page).await?;
        Ok((page.resources, page.next_cursor))
    };
    all(list).await
}

/// Reads pages until the cursor is missing or does not advance.
async fn all<T, F>(
    list: impl Fn(Option<PaginatedRequestParams>) -> F,
) -> Result<Pages<T>, ServiceError>
where
    F: Future<Output = Result<(Vec<T>, Option<String>), ServiceError>>,
{
    let mut pages = Pages::default();
    let mut followed = HashSet::new();
    let mut cursor = None;
    loop {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let (items, next) = list(Some(params)).await?;
        pages.items.extend(items);
        let Some(next) = next else { return Ok(pages) };
        pages.cut = match followed.insert(next.clone()) {
            false => Some("ends here, because its server sent the same cursor twice"),
            true if followed.len() >= MOST_PAGES => Some("ends here, because it has 1000 pages"),
            true => None,
        };
        if pages.cut.is_some() {
            return Ok(pages);
        }
        cursor = Some(next);
    }
}

/// The number of pages that are read of one list.
const MOST_PAGES: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(next: impl Fn(usize) -> Option<String>) -> (usize, bool) {
        let next = &next;
        let asked = std::cell::Cell::new(0);
        let asked = &asked;
        let list = |_| async move {
            asked.set(asked.get() + 1);
            Ok((vec![asked.get()], next(asked.get())))
        };
        let pages = all(list).await.unwrap();
        assert_eq!(pages.items.len(), asked.get());
        (pages.items.len(), pages.cut.is_some())
    }

    #[tokio::test]
    async fn list_ends_when_cursor_repeats() {
        assert_eq!(read(|_| None).await, (1, false));
        assert_eq!(read(|page| (page < 5).then(|| page.to_string())).await, (5, false));
        assert_eq!(read(|_| Some("same".to_owned())).await, (2, true));
        assert_eq!(read(|page| Some((page % 3).to_string())).await, (4, true));
        assert_eq!(read(|page| Some(page.to_string())).await, (MOST_PAGES, true));
    }
}
