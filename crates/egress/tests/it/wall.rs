//! Connections that wait while somebody is asked.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use silcrow_egress::{NetworkPass, ProxyLimits, RefusalReason};
use silcrow_event::Grant;
use tokio::sync::{mpsc, oneshot};

use crate::socks::{ask, greet, token};
use crate::stage::{Stage, connect_head, grants, read_to_end, status};

/// A question that waits for its answer.
struct WallQuestion {
    wanted: Grant,
    answer: oneshot::Sender<Result<(), String>>,
}

/// Opens a pass whose questions arrive at a receiver.
fn asking(stage: &Stage, hosts: &[&str]) -> (NetworkPass, mpsc::Receiver<WallQuestion>) {
    let (sender, questions) = mpsc::channel(100);
    let pass = stage.proxy.open(&grants(hosts), move |wanted| {
        let sender = sender.clone();
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            sender.send(WallQuestion { wanted, answer }).await.unwrap();
            answered.await.unwrap()
        })
    });
    (pass, questions)
}

fn network(host: &str) -> Grant {
    Grant::Network(host.to_owned())
}

#[tokio::test]
async fn connections_to_one_host_wait_for_one_question() {
    let stage = Stage::new();
    let server = stage.host("example.org", 443).await;
    let (pass, mut questions) = asking(&stage, &[]);
    let clients = async {
        let connected = tokio::join!(
            stage.connect(&pass, "example.org:443"),
            stage.connect(&pass, "EXAMPLE.org:443"),
            async {
                let (mut client, _) = greet(&stage, &token(&pass)).await;
                ask(&mut client, 1, "example.org.", 443).await
            },
        );
        (connected.0.0, connected.1.0, connected.2)
    };
    let person = async {
        let question = questions.recv().await.unwrap();
        assert_eq!(question.wanted, network("example.org"));
        assert_eq!(server.connections(), 0);
        assert!(stage.outside.resolved.lock().unwrap().is_empty(), "a name was resolved too early");
        question.answer.send(Ok(())).unwrap();
    };
    let (answers, ()) = tokio::join!(clients, person);
    assert_eq!(answers, (200, 200, 0));
    // The yes holds, also for the other port that it was about.
    assert_eq!(stage.connect(&pass, "example.org:443").await.0, 200);
    assert_eq!(stage.connect(&pass, "example.org:80").await.0, 502);
    assert!(questions.try_recv().is_err());
    assert!(pass.refusals().is_empty());
}

#[tokio::test]
async fn denial_is_reported_and_remembered() {
    let stage = Stage::new();
    let server = stage.host("example.org", 80).await;
    let (pass, mut questions) = asking(&stage, &["granted.example"]);
    let person = async {
        let question = questions.recv().await.unwrap();
        question.answer.send(Err("not today".to_owned())).unwrap();
    };
    let (answer, ()) = tokio::join!(stage.get(&pass, "http://example.org/", ""), person);
    assert_eq!(status(&answer), 403);
    assert!(answer.ends_with("network:example.org is not granted: not today\n"), "{answer}");
    for _ in 0..3 {
        assert_eq!(stage.connect(&pass, "example.org:443").await.0, 403);
    }
    let [refusal] = &pass.refusals()[..] else { panic!("{:?}", pass.refusals()) };
    assert_eq!(refusal.grant, network("example.org"));
    assert_eq!(refusal.reason, RefusalReason::NotGranted("not today".to_owned()));
    assert!(questions.try_recv().is_err());
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn another_port_is_another_question() {
    let stage = Stage::new();
    let (pass, mut questions) = asking(&stage, &["example.org"]);
    let person = async {
        let question = questions.recv().await.unwrap();
        assert_eq!(question.wanted, network("example.org:22"));
        question.answer.send(Err("no".to_owned())).unwrap();
    };
    let ((status, _), ()) = tokio::join!(stage.connect(&pass, "example.org:22"), person);
    assert_eq!(status, 403);
}

#[tokio::test]
async fn abandoned_question_is_withdrawn() {
    let stage = Stage::new();
    let (pass, mut questions) = asking(&stage, &[]);
    // Over HTTP and over SOCKS.
    let mut clients = [stage.client().await, greet(&stage, &token(&pass)).await.0];
    let head = connect_head(&pass, "example.org:443");
    tokio::io::AsyncWriteExt::write_all(&mut clients[0], head.as_bytes()).await.unwrap();
    let mut question = questions.recv().await.unwrap();
    let mut request = b"\x05\x01\x00\x03\x0bexample.org".to_vec();
    request.extend(443_u16.to_be_bytes());
    tokio::io::AsyncWriteExt::write_all(&mut clients[1], &request).await.unwrap();
    drop(clients);
    question.answer.closed().await;
    // The next client asks again.
    let person = async {
        let question = questions.recv().await.unwrap();
        question.answer.send(Err("no".to_owned())).unwrap();
    };
    let ((status, _), ()) = tokio::join!(stage.connect(&pass, "example.org:443"), person);
    assert_eq!(status, 403);
}

#[tokio::test]
async fn ending_a_pass_withdraws_its_questions() {
    let stage = Stage::new();
    let (pass, mut questions) = asking(&stage, &[]);
    let mut client = stage.client().await;
    let head = connect_head(&pass, "example.org:443");
    tokio::io::AsyncWriteExt::write_all(&mut client, head.as_bytes()).await.unwrap();
    let mut question = questions.recv().await.unwrap();
    drop(pass);
    assert_eq!(read_to_end(&mut client).await, "");
    question.answer.closed().await;
    assert!(question.answer.send(Ok(())).is_err());
}

#[tokio::test]
async fn a_question_has_an_end() {
    let limits = ProxyLimits { question: Duration::from_millis(50), ..ProxyLimits::default() };
    let stage = Stage::with_limits(limits);
    let (pass, mut questions) = asking(&stage, &[]);
    let answer = stage.get(&pass, "http://example.org/", "").await;
    assert!(answer.contains("is not granted: nobody has answered in time"), "{answer}");
    assert!(questions.recv().await.unwrap().answer.is_closed());
}

#[tokio::test]
async fn a_command_cannot_ask_about_hosts_without_end() {
    let limits = ProxyLimits { questions_of_pass: 3, ..ProxyLimits::default() };
    let stage = Stage::with_limits(limits);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let all = Arc::clone(&asked);
    let pass = stage.proxy.open(&grants(&[]), move |wanted| {
        all.lock().unwrap().push(wanted);
        Box::pin(async { Err("no".to_owned()) })
    });
    for host in 0..100 {
        assert_eq!(stage.connect(&pass, &format!("h{host}.example:443")).await.0, 403);
    }
    assert_eq!(asked.lock().unwrap().len(), 3);
    assert_eq!(pass.refusals().len(), 32);
}

#[tokio::test]
async fn closed_destinations_ask_nothing() {
    let stage = Stage::new();
    let (pass, mut questions) = asking(&stage, &[]);
    for authority in ["localhost:80", "127.1:80", "[::1]:80", "db.internal:5432", "printer:80"] {
        assert_eq!(stage.connect(&pass, authority).await.0, 403, "{authority}");
    }
    assert!(questions.try_recv().is_err());
    let reasons: Vec<_> = pass.refusals().into_iter().map(|refusal| refusal.reason).collect();
    assert_eq!(reasons, vec![RefusalReason::NotPublic; 5], "{reasons:?}");
}
