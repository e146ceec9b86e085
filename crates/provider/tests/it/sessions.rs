//! Recording and replay of sessions.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::{Content, Message, Role, Usage};
use silcrow_provider::record::{Record, Replay, Secrets};
use silcrow_provider::{
    Delta, DeltaStream, Error, ErrorKind, OpeningSession, Provider, Request, ScriptedModel, Session,
};
use tokio::time::timeout;

use crate::played::{Item, Played, done, request, text};
use crate::record::File;

/// A model whose session follows a test's script.
struct Model(fn() -> Result<Talk, Error>);

struct Talk {
    /// The results of opening and sending, and the answers that follow.
    answers: VecDeque<Result<Vec<Item>, Error>>,
    stops: bool,
    answer: VecDeque<Item>,
}

impl Talk {
    fn new(answers: impl IntoIterator<Item = Result<Vec<Item>, Error>>) -> Self {
        let mut answers: VecDeque<_> = answers.into_iter().collect();
        let answer = answers.pop_front().unwrap().unwrap().into();
        Self { answers, stops: true, answer }
    }
}

impl Provider for Model {
    fn name(&self) -> &str {
        "model"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        futures_util::stream::iter([text("streamed"), done()]).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        let talk = (self.0)();
        Some(async { talk.map(|talk| Box::new(talk) as Box<dyn Session>) }.boxed())
    }
}

impl Session for Talk {
    fn receive(&mut self) -> BoxFuture<'_, Option<Item>> {
        let item = self.answer.pop_front();
        async { item }.boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        let stops = self.stops;
        async move { if stops { Ok(()) } else { Err(Error::new(ErrorKind::Network, "gone")) } }
            .boxed()
    }

    fn send<'a>(
        &'a mut self,
        _: &'a Content,
        _: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        let sent = self.answers.pop_front().unwrap();
        async { sent.map(|answer| self.answer = answer.into()) }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

fn shown(error: &Error) -> String {
    format!(
        "{} {error} {:?} {:?} {}",
        error.kind().as_str(),
        error.retry_after(),
        error.advice(),
        error.sent()
    )
}

/// All output of a session for the messages sent over it.
async fn talk(model: &dyn Provider, sent: &[(&str, &str)]) -> Vec<String> {
    let mut all = Vec::new();
    let mut session = match model.connect(request()).unwrap().await {
        Ok(session) => session,
        Err(error) => return vec![shown(&error)],
    };
    let mut sent = sent.iter();
    loop {
        // After the recorded part an answer hangs.
        while let Ok(item) = timeout(Duration::from_secs(1), session.receive()).await {
            let last = !matches!(item, Some(Ok(ref delta)) if !matches!(delta, Delta::Done(_)));
            all.push(match item {
                None => "cut".to_owned(),
                Some(Err(error)) => shown(&error),
                Some(Ok(delta)) => format!("{delta:?}"),
            });
            if last {
                break;
            }
        }
        let Some((kept, message)) = sent.next() else { break };
        if session.cancel().await.is_err() {
            all.push("lost".to_owned());
            return all;
        }
        if let Err(error) =
            session.send(&(*kept).into(), &[Message::new(Role::User, *message)]).await
        {
            all.push(shown(&error));
            return all;
        }
    }
    session.close().await;
    all
}

fn secrets() -> Secrets {
    Secrets::new(["sk-canary"])
}

/// Records a model's answers to messages, and returns them with the recording.
async fn recorded(
    model: fn() -> Result<Talk, Error>,
    sent: &[(&str, &str)],
) -> (Vec<String>, String) {
    let file = File::default();
    let record = Record::new(Model(model), file.clone(), secrets());
    let given = talk(&record, sent).await;
    (given, file.text())
}

#[tokio::test(start_paused = true)]
async fn session_replays_as_recorded() {
    let whole = || {
        let usage = Usage {
            input: 3,
            output: 2,
            cached: 1,
            reasoning: 1,
            sent_bytes: 9,
            ..Usage::default()
        };
        Ok(Talk::new([
            Ok(vec![text("§a"), Ok(Delta::Reasoning("r".into())), Ok(Delta::Usage(usage)), done()]),
            Ok(vec![text("b"), done()]),
        ]))
    };
    let cut = || Ok(Talk::new([Ok(vec![text("a"), done()]), Ok(vec![text("b")])]));
    let broken = || {
        let error = Error::new(ErrorKind::Rate, "slow").with_advice(false).with_sent(7);
        let error = Err(error.with_retry_after(Duration::from_millis(1500)));
        Ok(Talk::new([Ok(vec![text("a"), error])]))
    };
    let gone =
        || Ok(Talk::new([Ok(vec![text("a"), done()]), Err(Error::new(ErrorKind::Cut, "x"))]));
    let stuck = || Ok(Talk { stops: false, ..Talk::new([Ok(vec![text("a")])]) });
    let refused = || Err(Error::new(ErrorKind::Network, "no server"));
    let sent = [("§a", "r1"), ("b", "r2")];
    for (model, sent, last) in [
        (whole as fn() -> Result<Talk, Error>, &sent[..1], "Done(Stop)"),
        (cut, &sent[..1], "cut"),
        (broken, &[], "rate slow Some(1.5s) Some(false) 7"),
        (gone, &sent[..1], "cut x None None 0"),
        (refused, &[], "network no server None None 0"),
    ] {
        let (first, file) = recorded(model, sent).await;
        assert_eq!(first.last().unwrap(), last);
        let replay = Replay::parse(&file, secrets()).unwrap();
        assert_eq!(talk(&replay, sent).await, first, "{file}");
    }
    // A session that could not be cancelled cannot be cancelled in the replay either.
    let file = File::default();
    let record = Record::new(Model(stuck), file.clone(), secrets());
    let mut session = record.connect(request()).unwrap().await.unwrap();
    session.receive().await.unwrap().unwrap();
    session.cancel().await.unwrap_err();
    drop(session);
    let replay = Replay::parse(&file.text(), secrets()).unwrap();
    let mut session = replay.connect(request()).unwrap().await.unwrap();
    session.receive().await.unwrap().unwrap();
    session.cancel().await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn cancelled_answer_replays_as_cancelled() {
    let file = File::default();
    let record = Record::new(ScriptedModel::parse("abcdefgh\n%%\nb", 1), file.clone(), secrets());
    let mut session = record.connect(request()).unwrap().await.unwrap();
    let Some(Ok(Delta::Text(first))) = session.receive().await else { panic!() };
    session.cancel().await.unwrap();
    session.send(&(&*first).into(), &[Message::new(Role::User, "r")]).await.unwrap();
    drop(session);
    assert_eq!(file.text().lines().count(), 2);
    let replay = Replay::parse(&file.text(), secrets()).unwrap();
    let given = talk(&replay, &[(&first, "r")]).await;
    assert_eq!(given, [format!("Text({first:?})")]);
}

#[tokio::test(start_paused = true)]
async fn changed_session_is_refused_with_a_diff() {
    let model = || Ok(Talk::new([Ok(vec![text("a"), done()]), Ok(vec![text("b"), done()])]));
    let (_, file) = recorded(model, &[("a", "r1")]).await;
    let again = |sent: &'static [(&'static str, &'static str)]| {
        let replay = Replay::parse(&file, secrets()).unwrap();
        async move { talk(&replay, sent).await.pop().unwrap() }
    };
    let kept = again(&[("", "r1")]).await;
    assert!(kept.contains("of the last answer, `` counts where `a` was recorded"), "{kept}");
    let result = again(&[("a", "r2")]).await;
    assert!(result.contains("message 1 (user) has `r2` where `r1` was recorded"), "{result}");
    let more = again(&[("a", "r1"), ("b", "r2")]).await;
    assert!(more.starts_with("recording") && more.contains("every answer"), "{more}");
    // Text that was sent over a session is not repeated in a stream.
    let replay = Replay::parse(&file, secrets()).unwrap();
    let error = replay.stream(request()).next().await.unwrap().unwrap_err();
    assert!(error.to_string().contains("another mode"), "{error}");
    // A model without sessions has none in the replay either.
    let plain = File::default();
    let record = Record::new(Played::new([vec![done()]]), plain.clone(), secrets());
    assert!(record.connect(request()).is_none());
    record.stream(request()).count().await;
    assert!(Replay::parse(&plain.text(), secrets()).unwrap().connect(request()).is_none());
}

#[tokio::test(start_paused = true)]
async fn secrets_are_masked_in_recordings_and_replays() {
    let model = || Ok(Talk::new([Ok(vec![text("sk-"), text("canary"), done()]), Ok(vec![done()])]));
    let (first, file) = recorded(model, &[("sk-canary", "is it sk-canary?")]).await;
    assert!(first[1].contains("canary"));
    assert!(!file.contains("canary"), "{file}");
    assert!(file.contains(r#""kept":"[secret]""#), "{file}");
    // A run that reads the masked answer counts it the same, and sends the same messages.
    let replay = Replay::parse(&file, secrets()).unwrap();
    let again = talk(&replay, &[("[secret]", "is it sk-canary?")]).await;
    assert_eq!(again.last().unwrap(), "Done(Stop)");
}

#[tokio::test(start_paused = true)]
async fn sessions_and_streams_share_a_file() {
    let file = File::default();
    let model = || Ok(Talk::new([Ok(vec![text("a"), done()]), Ok(vec![text("b"), done()])]));
    let record = Record::new(Model(model), file.clone(), secrets());
    for _ in 0..2 {
        talk(&record, &[("a", "r")]).await;
    }
    record.stream(request()).count().await;
    let replay = Replay::parse(&file.text(), secrets()).unwrap();
    let streamed: Vec<_> = replay.stream(request()).map(Result::unwrap).collect().await;
    assert_eq!(streamed[0], Delta::Text("streamed".into()));
    for _ in 0..2 {
        assert_eq!(talk(&replay, &[("a", "r")]).await.len(), 4);
    }
}
