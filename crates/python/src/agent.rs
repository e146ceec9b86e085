//! An agent as Python holds it.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use silcrow_session::SessionHost;

use crate::alarm::Alarm;
use crate::attach::with_python;
use crate::options::AgentSettings;
use crate::run::{Run, RunWish};
use crate::runtime::runtime;
use crate::shared_agent::SharedAgent;

/// The parts of an agent that all of its runs share.
#[pyclass(module = "silcrow._silcrow", frozen)]
pub(crate) struct AgentCore {
    shared: Arc<SharedAgent>,
}

#[pymethods]
impl AgentCore {
    /// Creates an agent from options in JSON. `notice` is called with lines for the person.
    #[new]
    fn new(options: &str, notice: Py<PyAny>) -> PyResult<Self> {
        let settings = AgentSettings::read(options)?;
        let options = settings.session()?;
        let host: Arc<dyn SessionHost> = Arc::new(move |line: &str| {
            // Only opening a session emits notices, and no loop waits for that.
            with_python(|py| notice.call1(py, (line,)).map(drop));
        });
        // Errors in the options are reported here, and not at the first run.
        let shared = SharedAgent::check(settings, options, host);
        let shared = shared.map_err(|why| PyValueError::new_err(why.to_string()))?;
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Begins a run from an order in JSON.
    fn run(&self, order: &str) -> PyResult<Run> {
        let order = RunWish::read(order)?;
        Ok(Run::begin(Arc::clone(&self.shared), order))
    }

    /// Ends the work that remains after runs, and then calls `done`.
    fn close(&self, done: Py<PyAny>) {
        let shared = Arc::clone(&self.shared);
        runtime().spawn(async move {
            shared.close().await;
            let alarm = Alarm::default();
            alarm.set(done, || false);
            alarm.ring();
        });
    }
}
