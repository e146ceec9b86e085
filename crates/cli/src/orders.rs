//! `silcrow runs stop` and `silcrow runs budget`: orders to a run at work, in any process and on
//! any machine.

use std::io::{self, Write as _};
use std::time::Duration;

use silcrow_agent::{ErrorKind, RunOrder};
use silcrow_event::{SpendingLimit, error_chain};
use silcrow_exec::AccountKind;
use silcrow_sanitize::sanitize_line;
use silcrow_store::{Holder, Store};
use tokio::time::{Instant, sleep};

use crate::args::{BudgetOrderArgs, LimitedAccount, OrderedRun, StopArgs};
use crate::failure::Failure;
use crate::host::host;
use crate::places::{StorePlace, failure};
use crate::runtime;
use crate::stored_head::stored_head;
use silcrow_session::user;

/// Stops a run, and waits until it has stopped.
pub(crate) fn stop(args: &StopArgs) -> Result<(), Failure> {
    ordered(
        &args.run,
        async |store, conversation, holder| {
            let begun = Instant::now();
            while store
                .shared_runs()
                .holder(conversation)
                .await
                .map_err(|error| failure(&error))?
                .is_some()
            {
                if begun.elapsed() > PATIENCE {
                    return Err(Failure::running(format!(
                        "{} has the order to stop, and has not stopped yet; if it is gone, the run ends when \
                     another process takes the conversation over",
                        sanitize_line(holder)
                    )));
                }
                sleep(PAUSE).await;
            }
            say(&format!("stopped the run in {}", sanitize_line(holder)));
            Ok(())
        },
        RunOrder::Stop,
    )
}

/// Changes a limit of a run.
pub(crate) fn budget(args: &BudgetOrderArgs) -> Result<(), Failure> {
    let account = match args.of {
        LimitedAccount::Run => AccountKind::Run,
        LimitedAccount::Conversation => AccountKind::Conversation,
        LimitedAccount::User => AccountKind::User,
    };
    let limit = SpendingLimit { tokens: args.tokens, cost: args.cost };
    ordered(
        &args.run,
        async |_, _, holder| {
            say(&format!("told the run in {}", sanitize_line(holder)));
            Ok(())
        },
        RunOrder::Limit { account, limit },
    )
}

/// Sends an order, and then does something with the store, the conversation and the process that has
/// it.
fn ordered(
    run: &OrderedRun,
    then: impl AsyncFnOnce(&dyn Store, &str, &str) -> Result<(), Failure>,
    order: RunOrder,
) -> Result<(), Failure> {
    let place = StorePlace::choose(run.store.as_deref())?;
    place.kept()?;
    if let Some(folder) = place.missing() {
        let folder = folder.display();
        return Err(Failure::given(format!("no store found in {folder}")));
    }
    runtime::block_on(async {
        let store = place.open_stored(&host()).await?.store();
        let user = user(run.user.as_deref())?;
        let (conversation, _) = stored_head(&*store, &run.conversation).await?;
        let holder = store.shared_runs().holder(&conversation).await;
        let holder = holder.map_err(|error| failure(&error))?;
        let sent = order.send(&*store, &conversation, user.as_deref()).await;
        let sent = sent.map_err(|error| match error.kind() {
            ErrorKind::Refused => Failure::given(error_chain(&error)),
            _ => Failure::running(error_chain(&error)),
        })?;
        match (holder, sent) {
            (Some(Holder { name, .. }), true) => then(&*store, &conversation, &name).await,
            (None, true) => {
                say(
                    "the process of the run is gone; the process that continues the run gets the order",
                );
                Ok(())
            }
            (_, false) => {
                let conversation = sanitize_line(&conversation);
                Err(Failure::running(format!("no run is at work in conversation {conversation}")))
            }
        }
    })
}

/// Tells the person something. If stderr is closed, it is lost.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "silcrow: {line}");
}

/// The time that a run may take to stop: its tools may have to be ended.
const PATIENCE: Duration = Duration::from_secs(20);

const PAUSE: Duration = Duration::from_millis(100);
