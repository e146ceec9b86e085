//! Conversations as a person names them.

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_history::{
    ConversationOwner, Conversations, ErrorKind, ForkPoint, ListQuery, conversations_inside, rename,
};
use silcrow_store::{MemoryStore, Store as _};

/// Returns a store with a conversation of Ann, one of nobody, and one of a call.
async fn store() -> MemoryStore {
    let store = MemoryStore::new();
    for (id, user) in [("tea-green", Some("ann")), ("tea-black", None), ("tea-black/1/a", None)] {
        let user = user.map(str::to_owned);
        let entry = Entry { user, ..Event::user("How hot?").into() };
        store.append(id, 0, vec![entry]).await.unwrap();
    }
    store
}

#[tokio::test]
async fn beginning_names_one_conversation_from_four_characters_on() {
    let store = store().await;
    let resolve = |typed| Conversations::resolve(&store, typed, ConversationOwner::Anybody);
    assert_eq!(resolve("tea-g").await.unwrap(), "tea-green");
    // A conversation of a call is found by its whole id only.
    assert_eq!(resolve("tea-bl").await.unwrap(), "tea-black");
    assert_eq!(resolve("tea-black/1/a").await.unwrap(), "tea-black/1/a");
    assert_eq!(resolve("tea").await.unwrap_err().kind(), ErrorKind::Unknown);
    let error = resolve("tea-").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Ambiguous);
    let message = error.to_string();
    assert!(message.starts_with("2 conversations begin with `tea-`: `tea-"), "{message}");
    let error = resolve("tea-gren").await.unwrap_err().to_string();
    assert!(error.contains("did you mean `tea-green` (How hot?)"), "{error}");
}

#[tokio::test]
async fn only_the_owners_conversations_are_meant() {
    let store = store().await;
    let resolve =
        |typed, user| Conversations::resolve(&store, typed, ConversationOwner::Just(user));
    assert_eq!(resolve("tea-", Some("ann")).await.unwrap(), "tea-green");
    assert_eq!(resolve("tea-", None).await.unwrap(), "tea-black");
    assert_eq!(resolve("tea-", Some("bob")).await.unwrap_err().kind(), ErrorKind::Unknown);
}

#[tokio::test]
async fn unmatched_name_prefix_stays_as_typed() {
    let store = store().await;
    let resolved = Conversations::resolve_or_typed(&store, "coffee").await.unwrap();
    assert_eq!(resolved, "coffee");
    let resolved = Conversations::resolve_or_typed(&store, "tea-g").await.unwrap();
    assert_eq!(resolved, "tea-green");
}

#[tokio::test]
async fn list_omits_child_conversations() {
    let store = store().await;
    let count = async |query: ListQuery| query.read(&store).await.unwrap().conversations.len();
    assert_eq!(count(ListQuery::new()).await, 2);
    assert_eq!(count(ListQuery::new().with_inner(true)).await, 3);
    assert_eq!(count(ListQuery::new().with_user(Some("ann".to_owned()))).await, 1);
    assert_eq!(count(ListQuery::new().with_folder(Some("/nowhere".to_owned()))).await, 0);
    let inside = conversations_inside(&store, "tea-black").await.unwrap();
    assert!(inside.into_iter().eq(["tea-black/1/a"]));
}

#[tokio::test]
async fn pages_are_the_list_in_pieces() {
    let store = store().await;
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = ListQuery::new().with_page(std::num::NonZeroUsize::new(1), after.take());
        let page = page.read(&store).await.unwrap();
        found.extend(page.conversations.into_iter().map(|one| one.conversation));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let whole = ListQuery::new().read(&store).await.unwrap().conversations;
    assert!(found.iter().eq(whole.iter().map(|one| &one.conversation)), "{found:?}");
}

#[tokio::test]
async fn name_equal_to_an_id_is_ambiguous() {
    let store = store().await;
    store.append("tea-green@1", 0, vec![Event::user("hi").into()]).await.unwrap();
    let error = ForkPoint::named(&store, "tea-green@1").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Ambiguous);
    assert_eq!(error.conversation(), Some("tea-green"));
    let error = ForkPoint::named(&store, "tea-black@9999999999999999999999").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoEvent);
    // The position belongs to the id if only the whole name is one.
    store.append("mail@2", 0, vec![Event::user("hi").into()]).await.unwrap();
    let point = ForkPoint::named(&store, "mail@2").await.unwrap();
    assert_eq!((&*point.conversation, point.at), ("mail@2", 1));
}

#[tokio::test]
async fn new_name_is_the_title() {
    let store = store().await;
    let id = rename(&store, "tea-g", "Green tea", Timestamp::from_nanos(1)).await.unwrap();
    assert_eq!(id, "tea-green");
    let named = store.list(None).await.unwrap();
    let named = named.iter().find(|one| one.conversation == id).unwrap();
    assert_eq!(named.title, "Green tea");
}
