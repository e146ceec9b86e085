//! A wrapper around a provider loses none of its methods.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_event::{Content, Message, Role};
use silcrow_provider::record::{Record, Secrets};
use silcrow_provider::{
    Attempt, Delta, DeltaStream, Error, KeyRotation, MaskedErrors, OpeningSession, Provider,
    RateLimited, RateLimiter, RateLimits, Request, Retry, Session,
};

use crate::played::{Item, done, request, text};

/// A model that records which of its methods are called, and with what arguments.
#[derive(Clone, Default)]
struct Model(Arc<Mutex<Vec<String>>>);

impl Model {
    fn note(&self, call: String) {
        self.0.lock().unwrap().push(call);
    }
}

fn shown(messages: &[Message]) -> String {
    let shown =
        messages.iter().map(|message| format!("{}={}", message.role.as_str(), message.content));
    shown.collect::<Vec<_>>().join(",")
}

impl Provider for Model {
    fn name(&self) -> &str {
        "the model"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.note(format!("stream {} {}", shown(&request.messages), request.streaming));
        stream::iter([text("streamed"), done()]).boxed()
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        self.note(format!("connect {} {}", shown(&request.messages), request.streaming));
        let session = self.clone();
        Some(async { Ok(Box::new(session) as Box<dyn Session>) }.boxed())
    }
}

impl Session for Model {
    fn receive(&mut self) -> BoxFuture<'_, Option<Item>> {
        self.note("receive".to_owned());
        async { Some(text("received")) }.boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.note("cancel".to_owned());
        async { Ok(()) }.boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.note(format!("send {kept} {}", shown(messages)));
        async { Ok(()) }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.note("close".to_owned());
        async {}.boxed()
    }
}

#[tokio::test]
async fn wrappers_forward_every_method() {
    type Wrap = fn(Model) -> Box<dyn Provider>;
    let wrappers: [(&str, Wrap); 8] = [
        ("nothing", |model| Box::new(model)),
        ("Box", |model| Box::new(Box::new(model))),
        ("Arc", |model| Box::new(Arc::new(model))),
        ("KeyRotation", |model| Box::new(KeyRotation::new(model, []))),
        ("RateLimited", |model| {
            let limits = RateLimits::default().with_requests(NonZeroU32::new(9).unwrap());
            Box::new(RateLimited::new(model, RateLimiter::new(limits)))
        }),
        ("MaskedErrors", |model| Box::new(MaskedErrors::new(model, Secrets::default()))),
        ("Retry", |model| Box::new(Retry::new(model))),
        ("Record", |model| Box::new(Record::new(model, Vec::new(), Secrets::default()))),
    ];
    for (wrapper, wrap) in wrappers {
        let model = Model::default();
        let wrapped = wrap(model.clone());
        assert_eq!(wrapped.name(), "the model", "{wrapper}");
        let whole = request().with_streaming(false);
        let deltas: Vec<_> = wrapped.stream(whole).map(Result::unwrap).collect().await;
        assert_eq!(deltas[0], Delta::Text("streamed".to_owned()), "{wrapper}");
        for attempt in [Attempt::First, Attempt::Only] {
            let opening = wrapped.connect(request().with_attempt(attempt));
            let mut session = opening.unwrap_or_else(|| panic!("{wrapper}")).await.unwrap();
            let delta = session.receive().await.unwrap().unwrap();
            assert_eq!(delta, Delta::Text("received".to_owned()), "{wrapper}");
            session.cancel().await.unwrap();
            session.send(&"kept".into(), &[Message::new(Role::User, "next")]).await.unwrap();
            session.close().await;
        }
        let once = ["connect user=hi true", "receive", "cancel", "send kept user=next", "close"];
        let mut expected = vec!["stream user=hi false"];
        expected.extend(once.into_iter().chain(once));
        assert_eq!(*model.0.lock().unwrap(), expected, "{wrapper}");
    }
}
