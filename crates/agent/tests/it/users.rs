//! The user of a conversation, which nobody else may continue.

use std::sync::Arc;

use silcrow_agent::{Agent, ChildAgent, ErrorKind, RunOutcome, Workflow};
use silcrow_event::{ActionAttributes, Call, CallKind, Entry, Event};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::search::Query;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Toolbox};

use crate::support::{Answer, DeltaModel, Ran, run};

fn answers(store: &Arc<MemoryStore>) -> Agent {
    Agent::new(ScriptedModel::parse("§respond: yes\n§end", 1), Arc::clone(store))
}

/// The ids of a user's conversations.
async fn conversations(store: &MemoryStore, user: Option<&str>) -> Vec<String> {
    let list = store.list(user).await.unwrap();
    let mut ids: Vec<_> = list.into_iter().map(|one| one.conversation).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn prompts_of_children_name_the_user() {
    let store = Arc::new(MemoryStore::new());
    // It would be somebody else's if it could say so.
    let inner = Agent::new(ScriptedModel::parse("<response>1</response>", 1), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_user("bob");
    let child = ChildAgent::new("scout", "A test's.", move || inner.clone());
    let mut tools = Toolbox::new();
    tools.add_as(CallKind::Agent, child.clone()).unwrap();
    let within = Agent::new(ScriptedModel::parse("", 1), Arc::clone(&store)).with_tools(tools);
    let step = Call::parse("s", r#"{"name":"scout","args":{"task":"go"}}"#).unwrap();
    let step =
        step.with_action(ActionAttributes { kind: CallKind::Agent, ..ActionAttributes::default() });
    let flow = Workflow::new("flow", "A test's.", [step], move || within.clone());
    let mut tools = Toolbox::new();
    tools.add_as(CallKind::Agent, child).unwrap();
    tools.add_as(CallKind::Workflow, flow).unwrap();
    let asks = r#"<action type="agent" id="x">{"name":"scout","parameters":{"task":"go"}}</action>
<action type="workflow" id="y">{"name":"flow","parameters":{},"on_error":"skip"}</action>
<response>$x</response>"#;
    let agent = Agent::new(ScriptedModel::parse(asks, 1), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_user("ann");
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    let said: Vec<_> = ran.stored.iter().map(|entry| entry.user.as_deref()).collect();
    assert_eq!(said[0], Some("ann"));
    assert!(said[1..].iter().all(Option::is_none), "only what the user said names the user");
    assert_eq!(conversations(&store, Some("ann")).await, ["c", "c/1/x", "c/1/y", "c/1/y/1/s"]);
    assert_eq!(conversations(&store, Some("ann")).await, conversations(&store, None).await);
}

#[tokio::test]
async fn conversation_continues_only_for_its_user() {
    for (owner, others) in
        [(Some("ann"), vec![Some("bob"), Some("Ann"), None]), (None, vec![Some("ann")])]
    {
        let store = Arc::new(MemoryStore::new());
        let as_user = |user: Option<&str>| {
            let agent = answers(&store);
            user.map_or_else(|| agent.clone(), |user| agent.clone().with_user(user))
        };
        run(&as_user(owner), &store, "one", &CancellationToken::new()).await.ended.unwrap();
        for other in others {
            let ran = run(&as_user(other), &store, "two", &CancellationToken::new()).await;
            let error = ran.ended.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused);
            let wanted = match (owner, other) {
                (Some(_), Some(other)) => format!("\"ann\", and user {other:?} asks"),
                (Some(_), None) => "\"ann\", and no user is named".to_owned(),
                (None, _) => "belongs to no user, and user \"ann\" asks".to_owned(),
            };
            assert!(error.to_string().contains(&wanted), "{error}");
            assert_eq!((Ran::types(&ran.shown), ran.stored.len()), (vec!["error"], 2));
        }
        let again = run(&as_user(owner), &store, "two", &CancellationToken::new()).await;
        assert_eq!(again.ended.unwrap(), RunOutcome::Answered);
        assert_eq!(again.stored.len(), 4);
    }
}

#[tokio::test]
async fn unstorable_names_are_refused() {
    let store = Arc::new(MemoryStore::new());
    for name in ["", &"n".repeat(257), "a\nb", "a\u{1b}[2J"] {
        let says = DeltaModel::new([] as [Answer; 0]);
        let agent = Agent::new(says.clone(), Arc::clone(&store)).with_user(name);
        let error = run(&agent, &store, "go", &CancellationToken::new()).await.ended.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{name:?}");
        assert!(says.asked().is_empty());
    }
    assert_eq!(conversations(&store, None).await.len(), 0);
}

/// A call of an earlier run is open, and another user has a conversation of the name that a run
/// within it would have had.
#[tokio::test]
async fn recovery_is_limited_to_the_users_conversations() {
    let store = Arc::new(MemoryStore::new());
    let call = |id| Event::Call(Call::parse(id, r#"{"name":"x","args":{}}"#).unwrap());
    let left = |user: &str, path: Option<&str>| {
        let user = Some(user.to_owned());
        let agent_path = path.map(str::to_owned);
        let at = |event: Event| Entry { turn: Some(1), ..event.into() };
        vec![Entry { user, agent_path, ..at(Event::user("go")) }, at(call("a"))]
    };
    let logs = [("c", "ann", None), ("c/1/a", "bob", None), ("c/1/a~2", "ann", Some("x"))];
    for (id, user, path) in logs {
        store.append(id, 0, left(user, path)).await.unwrap();
        store.put(&format!("started/{id}"), "1/a", 0, Vec::new()).await.unwrap();
    }
    let ran =
        run(&answers(&store).with_user("ann"), &store, "go on", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    for (id, events) in [("c/1/a", 2), ("c/1/a~2", 3)] {
        assert_eq!(store.head(id).await.unwrap(), events, "{id}");
    }
}

/// However long the ids are, the name of a call's conversation shows the conversation that it was
/// in.
#[tokio::test]
async fn child_conversation_nests_under_its_parent() {
    let store = Arc::new(MemoryStore::new());
    let conversation = "c".repeat(200);
    let inner = Agent::new(ScriptedModel::parse("<response>1</response>", 1), Arc::clone(&store))
        .with_dialect(Dialect::Action);
    let mut tools = Toolbox::new();
    tools
        .add_as(CallKind::Agent, ChildAgent::new("scout", "A test's.", move || inner.clone()))
        .unwrap();
    let id = "x".repeat(60);
    let asks = format!(
        r#"<action type="agent" id="{id}">{{"name":"scout","parameters":{{"task":"go"}}}}</action>
<response>Done.</response>"#
    );
    let agent = Agent::new(ScriptedModel::parse(&asks, 1), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(tools);
    agent.run(&*conversation, "go", &mut |_| {}).await.unwrap();
    let all = conversations(&store, None).await;
    assert_eq!(all.len(), 2, "{all:?}");
    let query = Query { except: Some(conversation), ..Query::default() };
    assert!(all.iter().all(|id| query.excludes(id)), "{all:?}");
    let head = store.head(&all[1]).await.unwrap();
    let entries = store.read(&all[1], 1..=head).await.unwrap();
    assert_eq!(entries.last().unwrap().event, Event::respond("1"));
}
