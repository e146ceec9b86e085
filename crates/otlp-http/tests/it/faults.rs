//! A collector that fails costs a run nothing, and a program no more than it allows.

use std::time::{Duration, Instant};

use silcrow_otlp_http::{Exporter, send_spans};
use silcrow_testkit::check_sources;

use crate::collector::{CollectorReply, TestCollector};
use crate::runs::{agent, at, only_traces, span, to};

/// A time that is over only if something is wrong.
const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_run_ends_while_its_collector_hangs() {
    let mut collector = TestCollector::start(|_| CollectorReply::Hang).await;
    let mut options = to(&collector);
    (options.max_batch, options.metric_interval) = (1, Duration::from_millis(1));
    let exporter = Exporter::start(options).unwrap();
    agent(&exporter).ask("Is it open?").await.unwrap();
    // The collector has a request that it will never answer.
    collector.next().await;
    for _ in 0..20 {
        agent(&exporter).ask("Is it open?").await.unwrap();
    }
    let begin = Instant::now();
    let report = exporter.shutdown(Duration::from_millis(100)).await;
    assert!(begin.elapsed() < LONG / 6, "{:?}", begin.elapsed());
    assert_eq!((report.sent, report.dropped, report.unsent), (0, 0, 21 * 4));
    let lost = report.lost().unwrap();
    assert_eq!(
        lost,
        "telemetry: 84 spans were not sent (84 still waiting at the end): the collector did not \
         answer in time"
    );
}

#[tokio::test]
async fn queue_is_bounded_by_count() {
    let mut collector = TestCollector::start(|_| CollectorReply::Hang).await;
    let mut options = only_traces(&collector.address);
    (options.max_queue, options.max_batch) = (100, 10);
    let exporter = Exporter::start(options).unwrap();
    exporter.push((0..10).map(|number| span(number, 1)).collect());
    collector.next().await;
    for number in 0..10_000 {
        exporter.push(vec![span(number, 1)]);
    }
    let report = exporter.shutdown(Duration::ZERO).await;
    assert_eq!((report.dropped, report.unsent), (9_900, 110));
}

#[tokio::test]
async fn queue_is_bounded_by_bytes() {
    let mut collector = TestCollector::start(|_| CollectorReply::Hang).await;
    let mut options = only_traces(&collector.address);
    (options.max_queue_bytes, options.max_batch) = (1 << 20, 1);
    let exporter = Exporter::start(options).unwrap();
    exporter.push(vec![span(0, 1)]);
    collector.next().await;
    for number in 0..100 {
        exporter.push(vec![span(number, 100_000)]);
    }
    let report = exporter.shutdown(Duration::ZERO).await;
    assert_eq!(report.dropped + report.unsent, 101);
    assert!((5..=11).contains(&report.unsent), "{report:?}");
}

#[tokio::test]
async fn busy_collector_is_retried() {
    let replies: [fn(usize) -> CollectorReply; 2] = [
        |number| match number {
            0 => CollectorReply::Status(429, "retry-after: 1\r\n"),
            _ => CollectorReply::Status(200, ""),
        },
        |number| match number {
            0 => CollectorReply::Status(503, ""),
            1 => CollectorReply::Close,
            _ => CollectorReply::Status(200, ""),
        },
    ];
    for reply in replies {
        let mut collector = TestCollector::start(reply).await;
        let begin = Instant::now();
        let mut options = only_traces(&collector.address);
        options.traces.as_mut().unwrap().timeout = LONG;
        send_spans(&options, &[span(1, 1)]).await.unwrap();
        assert!(begin.elapsed() >= Duration::from_millis(990), "{:?}", begin.elapsed());
        let requests = collector.rest();
        assert!(requests.len() >= 2);
        assert!(requests.windows(2).all(|two| two[0].body == two[1].body));
    }
}

#[tokio::test]
async fn excessive_retry_delay_is_not_awaited() {
    let reply = |_| CollectorReply::Status(429, "retry-after: 3600\r\n");
    let collector = TestCollector::start(reply).await;
    let begin = Instant::now();
    let failed = send_spans(&only_traces(&collector.address), &[span(1, 1)]).await;
    assert!(failed.unwrap_err().to_string().contains("answered 429"));
    assert!(begin.elapsed() < Duration::from_secs(9));
}

#[tokio::test]
async fn a_refusal_is_final() {
    type Refusal = (fn(usize) -> CollectorReply, &'static str);
    let replies: [Refusal; 4] = [
        (|_| CollectorReply::Status(401, ""), "answered 401; check OTEL_EXPORTER_OTLP_HEADERS"),
        (|_| CollectorReply::Status(307, "location: http://127.0.0.1:9/\r\n"), "answered 307"),
        (|_| CollectorReply::Status(415, ""), "try OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"),
        (|_| CollectorReply::Status(500, ""), "answered 500"),
    ];
    for (reply, words) in replies {
        let mut collector = TestCollector::start(reply).await;
        let exporter = Exporter::start(only_traces(&collector.address)).unwrap();
        agent(&exporter).ask("Is it open?").await.unwrap();
        let report = exporter.shutdown(LONG).await;
        assert_eq!((report.refused, report.unsent), (4, 0));
        let lost = report.lost().unwrap();
        assert!(lost.contains(words), "{lost}");
        assert!(!lost.contains("hunter2"), "{lost}");
        assert_eq!(collector.rest().len(), 1);
    }
}

#[tokio::test]
async fn partial_rejection_is_reported() {
    let collector = TestCollector::start(|_| {
        CollectorReply::Body(
            br#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#,
        )
    })
    .await;
    let exporter = Exporter::start(only_traces(&collector.address)).unwrap();
    agent(&exporter).ask("Is it open?").await.unwrap();
    let report = exporter.shutdown(LONG).await;
    assert_eq!((report.sent, report.refused), (2, 2));
    assert_eq!(report.lost().unwrap(), "telemetry: 2 spans were not sent (2 not taken): too old");
}

#[tokio::test]
async fn unreachable_collector_is_named_without_password() {
    // Nothing listens at the address of a closed listener.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut options = only_traces(&format!("http://ann:hunter2hunter2@{gone}"));
    options.traces.as_mut().unwrap().timeout = Duration::from_millis(100);
    let error = send_spans(&options, &[span(1, 1)]).await.unwrap_err();
    check_sources(&error);
    let words = silcrow_event::error_chain(&error);
    assert!(words.contains(&format!("the collector at http://{gone}/v1/traces")), "{words}");
    assert!(!words.contains("hunter2"), "{words}");
    assert!(!format!("{options:?}").contains("hunter2"));
    let exporter = Exporter::start(at(&format!("http://{gone}"))).unwrap();
    agent(&exporter).ask("Is it open?").await.unwrap();
}
