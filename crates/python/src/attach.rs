//! Calls into Python from threads of this crate, until the interpreter ends.
//!
//! A thread that has Python's lock when the interpreter ends takes the process with it. So no
//! thread begins to call Python after `atexit`, which waits for the calls that have begun.

use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;

/// Calls a function with Python's lock, or returns `None` if the interpreter ends.
pub(crate) fn with_python<T>(act: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let is_over = IS_OVER.read().unwrap_or_else(PoisonError::into_inner);
    if *is_over { None } else { Python::try_attach(act) }
}

/// Makes the end of the interpreter wait for current callers, and keeps others out.
pub(crate) fn end_with_interpreter(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let end = wrap_pyfunction!(end_calls, module)?;
    module.py().import("atexit")?.call_method1("register", (end,))?;
    Ok(())
}

/// Waits until no thread of this side calls Python, and prevents further calls.
#[pyfunction]
fn end_calls(py: Python<'_>) {
    // The caller of Python holds the lock of this thread meanwhile.
    py.detach(|| *IS_OVER.write().unwrap_or_else(PoisonError::into_inner) = true);
}

/// Whether the interpreter ends.
static IS_OVER: RwLock<bool> = RwLock::new(false);
