//! The Rust half of the Python package `silcrow`: parsers, and agents whose tools are Python
//! functions.
//!
//! This is the module `silcrow._silcrow`. People import the package [`silcrow`], whose files are in
//! the folder of the same name and documented by docstrings.
//!
//! ```text
//! async for event in agent("…")
//!      │  take, wait                    ┌─ events ◄─┐
//!      ▼                                ▼           │
//!   asyncio  ◄── call_soon_threadsafe ─ Alarm      the run, on a thread of tokio
//!      ▲                                ▲           │
//!      │  requests, answer              └─ Desk  ◄──┘   calls of tools, questions, answers of a model
//!   functions of Python
//! ```
//!
//! Python threads never wait for an agent, and tokio threads never wait for Python. A run puts its
//! requests to Python on a desk and rings; the asyncio loop picks them up, runs the function, and
//! answers.
//!
//! # What it does not do
//!
//! It contains no logic of agents or parsers; the crates below do.
//!
//! [`silcrow`]: https://github.com/silcrow/silcrow/tree/main/crates/python/silcrow

mod action_turn;
mod agent;
mod alarm;
mod approval;
mod attach;
mod desk;
mod model;
mod options;
mod own_tools;
mod reader;
mod run;
mod runtime;
mod shared_agent;
mod tool;

use pyo3::prelude::*;

/// The part of the package that is written in Rust.
#[pymodule]
mod _silcrow {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::action_turn::ActionTurn;
    #[pymodule_export]
    use super::agent::AgentCore;
    #[pymodule_export]
    use super::reader::{EventSource, families, grammar, write};
    #[pymodule_export]
    use super::run::Run;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        super::attach::end_with_interpreter(module)
    }
}
