//! The package `silcrow` of Python: parsers, and agents whose tools are functions of Python.
//!
//! This is the half in Rust, the module `silcrow._silcrow`. People import the package [`silcrow`], whose
//! files are in the folder of this name; its documentation is in its docstrings.
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
//! No thread of Python waits for an agent, and no thread of tokio waits for Python. A run puts what it
//! wants of Python on a desk and rings; the loop of asyncio takes it, runs the function,
//! and answers.
//!
//! # What it does not do
//!
//! It has no logic of agents or parsers: that is in the crates below.
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
        super::attach::end_with_interpreter(module)
    }
}
