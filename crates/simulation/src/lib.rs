//! Runs a model's text against stubs of its tools, in virtual time.
//!
//! When you design a prompt, a dialect or a workflow, you want to see what an agent does with a
//! text: which calls run in parallel, what waits for what, when the answer begins, and what happens
//! if a tool is slow, fails twice or never returns. A simulation shows that without a model or real
//! tools, and without waiting.
//!
//! ```toml
//! [dependencies]
//! silcrow-parser = "0.1"
//! silcrow-simulation = "0.1"
//! ```
//!
//! ```
//! use silcrow_parser::Dialect;
//! use silcrow_simulation::{Simulation, Stubs, Timeline};
//!
//! fn main() -> Result<(), silcrow_simulation::Error> {
//!     let wire = r#"<action mode="async" id="map">{"name":"search"}</action>
//! <action mode="async" id="news">{"name":"search"}</action>
//! <action id="sum" depends_on="map,news">{"name":"summarize"}</action>
//! <response>Here it is.</response>"#;
//!     let stubs =
//!         Stubs::parse(r#"{"map": {"ms": 1500}, "news": {"ms": 2000}, "summarize": {"ms": 500}}"#)?;
//!     let events = Simulation::new(wire, Dialect::Action).with_stubs(stubs).run()?;
//!
//!     assert_eq!(
//!         Timeline::new(events).render(50),
//!         "\
//! map     █████████████████             ok 1.50 s
//! news    ███████████████████████       ok 2.00 s
//! sum                            █████  ok 2.50 s
//! answer                              ─ from 2.50 s
//! done                                │ 2.50 s
//!
//! Here it is.
//! "
//!     );
//!     Ok(())
//! }
//! ```
//!
//! ```text
//! wire text ──► answers, cut at execution points ──► a model that writes them at a rate ─┐
//! stubs ──────► a tool for each name that the text calls ────────────────────────────────┼─► an agent
//!                                                                                         │
//!            lines of JSON, a timeline for a terminal ◄── events with virtual times ◄─────┘
//! ```
//!
//! The loop, the plan, the runner and the store are the real ones. Only the clock differs: it jumps
//! to the next timer whenever nothing can run, so a simulation finishes at once and always gives
//! the same times.
//!
//! Actions of the tool `workflow` run against stubs, too; their rows appear below the call's row. A
//! stub named `workflow` replaces the tool.
//!
//! This crate asks no model, runs no real tool and reads no file. It does not judge whether an
//! answer is good. For a model that follows rules and calls real tools, see `silcrow-rehearsal`.

mod block_rows;
mod error;
mod event;
mod inner_calls;
mod model;
mod script;
mod simulation;
mod stub_tool;
mod stubs;
mod timeline;

pub use error::{Error, ErrorKind};
pub use event::{SimulationEvent, TimedEvent};
pub use simulation::Simulation;
pub use stubs::{Stub, Stubs};
pub use timeline::Timeline;
