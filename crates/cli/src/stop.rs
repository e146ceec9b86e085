//! `silcrow stop`, which stops the run of a conversation in whatever process of this machine it is.
//!
//! A process is asked as a person would ask it: by the signal of Ctrl-C, or, for a server, over HTTP
//! with the token that is beside the store.

use std::io::{self, Write as _};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use silcrow_sanitize::sanitize_line;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::active::{ActiveProcess, ActiveRun};
use crate::args::StopArgs;
use crate::failure::{Failure, written};
use crate::owned;
use crate::places::StorePlace;
use crate::serve::TOKEN_FILE;
use crate::stored_head::stored_head;

/// Stops the run of a conversation.
pub(crate) fn stop(args: &StopArgs) -> Result<(), Failure> {
    let place = StorePlace::choose(args.store.as_deref())?;
    place.kept()?;
    if let Some(folder) = place.missing() {
        let folder = folder.display();
        return Err(Failure::given(format!("there is no store in {folder} yet")));
    }
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::running(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let store = place.open_stored().await?.store();
        let (conversation, _) = stored_head(&*store, &args.conversation).await?;
        let Some(process) = find(&place, &conversation) else {
            let held = store.holder(&conversation).await.ok().flatten();
            let why = match held {
                Some(other) => format!("{other} runs it; only there it can be stopped"),
                None => "no run is at work in it".to_owned(),
            };
            let why = format!("cannot stop conversation {conversation}: {why}");
            return Err(Failure::running(sanitize_line(&why)));
        };
        stop_process(&place, &conversation, &process).await?;
        let line = format!("asked {} to stop", process.place());
        written(writeln!(io::stderr(), "silcrow: {}", sanitize_line(&line)))
    })
}

/// Returns the process of this machine that runs a conversation.
pub(crate) fn find(place: &StorePlace, conversation: &str) -> Option<ActiveProcess> {
    ActiveRun::find(place.folder()?, conversation)
}

/// Asks a process to stop its run.
pub(crate) async fn stop_process(
    place: &StorePlace,
    conversation: &str,
    process: &ActiveProcess,
) -> Result<(), Failure> {
    let failed = |why: &dyn std::fmt::Display| {
        Failure::running(format!("cannot stop {}: {why}", process.place()))
    };
    if !process.is_here() {
        return Err(failed(&"it is on another machine"));
    }
    if process.is_editor() {
        return Err(failed(&"it belongs to an editor; stop the run there"));
    }
    if let Some(address) = process.address() {
        let asked = timeout(PATIENCE, ask_server(place, conversation, address)).await;
        return match asked {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(failed(&why)),
            Err(_) => Err(failed(&"the server does not answer")),
        };
    }
    let pid = process.pid().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| failed(&"it did not say which process it is"))?;
    kill_process(pid, Signal::INT).map_err(|error| failed(&io::Error::from(error)))
}

/// Sends the request of a person who stops a run on the page of a server.
async fn ask_server(place: &StorePlace, conversation: &str, address: &str) -> io::Result<()> {
    let folder = place.folder().ok_or_else(|| io::Error::other("the store has no folder"))?;
    let token = owned::read(&folder.join(TOKEN_FILE))?;
    let host = address.strip_prefix("http://").unwrap_or(address);
    let mut socket = TcpStream::connect(host).await?;
    let head = format!(
        "POST /conversations/{}/stop HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {}\r\n\
         connection: close\r\ncontent-length: 0\r\n\r\n",
        escaped(conversation),
        token.trim(),
    );
    socket.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    socket.take(MOST).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    match answer.split(' ').nth(1) {
        Some("202") => Ok(()),
        Some("409") => Err(io::Error::other("its run is over already, or is that of another user")),
        _ => Err(io::Error::other(format!("it answers {:?}", answer.lines().next()))),
    }
}

/// Writes a name as a part of a path.
fn escaped(name: &str) -> String {
    name.bytes().fold(String::new(), |text, byte| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-_".contains(&byte) => {
            format!("{text}{}", char::from(byte))
        }
        byte => format!("{text}%{byte:02X}"),
    })
}

/// The time in which a server has to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most bytes of its answer that are read.
const MOST: u64 = 64 << 10;
