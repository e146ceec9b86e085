//! Any event, of each kind.

use std::time::Duration;

use proptest::prelude::*;
use silcrow_event::{
    ActionAttributes, Approval, ApprovalState, Call, CallChanges, CallKind, CallMode, CallResult,
    Compensation, ContextSummary, DeltaKind, ErrorEvent, ErrorOrigin, Event, FileDelta, HookEffect,
    HookRun, Json, KeptOutput, Metric, OnError, Parked, PersonCommand, Progress, Respond,
    ResultBatch, SummaryAuthor, Think, ThoughtOrigin, Truncation, Usage,
};

use crate::any_block;
use crate::question::{grants, open_question, text};

/// Returns any event.
pub(crate) fn event() -> impl Strategy<Value = Event> {
    let origin = prop_oneof![Just(ThoughtOrigin::Model), Just(ThoughtOrigin::Provider)];
    let error_origin = prop::sample::select(vec![
        ErrorOrigin::Model,
        ErrorOrigin::Tool,
        ErrorOrigin::Provider,
        ErrorOrigin::Caller,
    ]);
    let state = prop::sample::select(vec![
        ApprovalState::Asked,
        ApprovalState::Allowed,
        ApprovalState::Denied,
    ]);
    prop_oneof![
        text().prop_map(Event::user),
        (text(), origin).prop_map(|(content, origin)| Event::Think(Think {
            content,
            origin,
            opaque: None
        })),
        call().prop_map(Event::Call),
        call().prop_map(|call| Event::Call(call.as_instance())),
        any_block::mark(call()).prop_map(Event::Block),
        Just(Event::Execute),
        (text(), text(), text(), text()).prop_map(|(id, tool, summary, content)| {
            Event::Result(CallResult::success(id, tool, summary, content))
        }),
        (text(), prop::option::of(text()), text()).prop_map(|(id, tool, why)| {
            Event::Result(CallResult::failure(id, tool.as_deref(), "", why))
        }),
        (text(), text(), truncation(), prop::collection::vec(text(), 0..3)).prop_map(
            |(id, why, truncated, notices)| {
                let outcome = CallResult::framework_failure(id, None, "", why);
                Event::Result(outcome.with_truncation(truncated).with_notices(notices))
            }
        ),
        (prop::option::of(text()), text()).prop_map(|(id, content)| Event::Result({
            let result = CallResult::unknown(content);
            match id {
                Some(id) => result.with_id(id),
                None => result,
            }
        })),
        (text(), any::<u32>(), any::<u32>()).prop_map(|(content, ok, bad)| {
            Event::Batch(ResultBatch {
                content,
                success_count: ok.into(),
                failure_count: bad.into(),
            })
        }),
        (text(), prop::option::of(text()), any::<bool>()).prop_map(|(content, wire, last)| {
            Event::Respond(Respond { wire, last, ..Respond::new(content) })
        }),
        (text(), text()).prop_map(|(id, text)| Event::Respond(Respond::malformed(id, text))),
        Just(Event::End),
        (usage(), usage(), prop::option::of(any::<u64>())).prop_map(|(step, total, window)| {
            Event::Metric(Metric { window, ..Metric::new(step, total) })
        }),
        (text(), text(), error_origin, any::<bool>(), prop::option::of(any::<u64>())).prop_map(
            |(code, content, origin, retry, at)| Event::Error(ErrorEvent {
                code,
                content,
                origin,
                retry,
                at
            })
        ),
        text().prop_map(|reason| Event::Interrupt { reason }),
        text().prop_map(|content| Event::Cancelled { content }),
        text().prop_map(|content| Event::Notice { content }),
        text().prop_map(Event::title),
        text().prop_map(|mode| Event::Mode { mode }),
        (text(), text(), prop::option::of(any::<i64>())).prop_map(|(command, content, status)| {
            Event::PersonCommand(PersonCommand::new(command, content).with_status(status))
        }),
        hook_run().prop_map(Event::Hook),
        (text(), any::<[u64; 2]>(), prop::sample::select(SummaryAuthor::ALL.to_vec()), text())
            .prop_map(|(content, [until, shortened], author, name)| {
                let outputs = vec![KeptOutput { turn: until as u32, id: content.clone(), name }];
                Event::Summary(ContextSummary { content, until, shortened, author, outputs })
            }),
        (text(), text(), any::<u64>(), text()).prop_map(|(id, channel, n, content)| {
            Event::Progress(Progress { id, channel, n, content })
        }),
        (text(), prop::collection::vec(file_delta(), 0..3))
            .prop_map(|(id, files)| Event::Changes(CallChanges { id, files })),
        (text(), state, prop::array::uniform5(prop::option::of(text())), grants()).prop_map(
            |(id, state, [args_sha256, target, risk, scope, reason], grants)| {
                Event::Approval(Approval {
                    id,
                    state,
                    args_sha256,
                    target,
                    risk,
                    scope,
                    grants,
                    reason,
                })
            }
        ),
        (
            prop::array::uniform3(text()),
            any::<bool>(),
            prop::collection::vec(open_question(), 0..3),
            prop::array::uniform2(prop::collection::vec(text(), 0..3))
        )
            .prop_map(|([wire, dialect, root], inline, questions, [families, inside])| {
                Event::Parked(Parked { wire, dialect, inline, families, root, questions, inside })
            }),
    ]
}

pub(crate) fn duration() -> impl Strategy<Value = Duration> {
    prop_oneof![any::<u64>().prop_map(Duration::from_nanos), any::<Duration>()]
}

fn hook_run() -> impl Strategy<Value = HookRun> {
    let effect = prop::sample::select(HookEffect::ALL.to_vec());
    let about = prop::array::uniform2(prop::option::of(text()));
    (prop::array::uniform3(text()), about, effect, duration(), any::<bool>()).prop_map(
        |([moment, command, content], [id, tool], effect, time, is_of_project)| {
            let mut run = HookRun::new(moment, command, effect);
            (run.id, run.tool, run.content) = (id, tool, content);
            (run.time, run.is_of_project) = (time, is_of_project);
            run
        },
    )
}

fn file_delta() -> impl Strategy<Value = FileDelta> {
    let kind = prop::sample::select(DeltaKind::ALL.to_vec());
    (text(), kind, any::<[u64; 2]>(), text()).prop_map(|(path, kind, [added, removed], hunks)| {
        FileDelta::new(path, kind).with_lines(added, removed).with_hunks(hunks)
    })
}

fn usage() -> impl Strategy<Value = Usage> {
    let counts = prop::array::uniform6(prop_oneof![Just(0), any::<u64>()]);
    let seconds = prop::array::uniform2(prop_oneof![Just(Duration::ZERO), duration()]);
    (counts, seconds, any::<bool>()).prop_map(
        |(counts, [time_to_first_delta, duration], estimated)| {
            let [input, output, cached, cache_written, reasoning, sent_bytes] = counts;
            Usage {
                input,
                output,
                cached,
                cache_written,
                reasoning,
                sent_bytes,
                time_to_first_delta,
                duration,
                estimated,
            }
        },
    )
}

fn call() -> impl Strategy<Value = Call> {
    let action = (
        prop::sample::select(CallKind::ALL.to_vec()),
        prop::sample::select(CallMode::ALL.to_vec()),
        prop::collection::vec(text(), 0..3),
        prop::option::of(text()),
        prop::option::of(duration()),
        prop::option::of(any::<u32>()),
        prop::option::of(prop::sample::select(OnError::ALL.to_vec())),
        (
            prop::option::of(compensation()),
            any::<bool>(),
            prop::collection::vec(text(), 0..3),
            prop::option::of(text()),
        ),
    )
        .prop_map(
            |(kind, mode, depends_on, output_key, timeout, retry, on_error, rollback)| {
                let (compensate, show, transactions, undoes) = rollback;
                ActionAttributes {
                    kind,
                    mode,
                    depends_on,
                    output_key,
                    timeout,
                    retry,
                    on_error,
                    compensate,
                    show,
                    transactions,
                    undoes,
                }
            },
        );
    (text(), text(), prop::option::of(action)).prop_map(|(id, value, action)| {
        let content =
            format!("{{ \"name\": \"t\",\n\"args\": {{\"v\": {}}}}}", Json::string(&value));
        let call = Call::parse(id, content).expect("it is a call");
        match action {
            Some(action) => call.with_action(action),
            None => call,
        }
    })
}

fn compensation() -> impl Strategy<Value = Box<Compensation>> {
    (prop::sample::select(CallKind::ALL.to_vec()), "[a-z$\"]{1,5}", text()).prop_map(
        |(kind, name, value)| {
            let args = Json::parse(&format!("{{\"v\":{}}}", Json::string(&value))).unwrap();
            Box::new(Compensation { kind, name, args })
        },
    )
}

fn truncation() -> impl Strategy<Value = Truncation> {
    let number = || prop::option::of(any::<u64>());
    let name = || prop::option::of(text());
    (number(), number(), number(), name(), name()).prop_map(|(bytes, lines, next, full, tail)| {
        let mut truncated = Truncation::default();
        truncated.omitted_bytes = bytes;
        truncated.omitted_lines = lines;
        truncated.next_offset = next;
        truncated.full_output = full;
        truncated.tail = tail;
        truncated
    })
}
