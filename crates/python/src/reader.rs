//! The parsers as Python calls them, and the way back.

use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyAny, PyBytes, PyDict, PyList, PyString, PyType};
use silcrow_event::{CallTextFragment, TextFragment, TextKind};
use silcrow_reading::{
    FormReader, ReadEvent, ReaderOptions, WireForm, WrongOptions, write_events, write_grammar,
};

/// Reads one answer of a model.
#[pyclass(module = "silcrow._silcrow")]
#[derive(Debug)]
pub(crate) struct EventSource {
    reader: Option<FormReader>,
}

#[pymethods]
impl EventSource {
    /// Creates a reader from options in JSON.
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        let options = ReaderOptions::parse(options).map_err(wrong)?;
        Ok(Self { reader: Some(FormReader::new(options)) })
    }

    /// Reads a chunk, and returns the events that are certain.
    fn push<'py>(&mut self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let reader = self.reader.as_mut().ok_or_else(finished)?;
        let mut events = Built::new(chunk.py())?;
        if let Ok(text) = chunk.cast::<PyString>() {
            reader.push(text.to_str()?.as_bytes(), &mut |event| events.push(&event));
        } else if let Ok(bytes) = chunk.cast::<PyBytes>() {
            reader.push(bytes.as_bytes(), &mut |event| events.push(&event));
        } else {
            let bytes: Vec<u8> = chunk.extract()?;
            reader.push(&bytes, &mut |event| events.push(&event));
        }
        events.into_list()
    }

    /// Ends the answer, and returns the events that are left.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let reader = self.reader.take().ok_or_else(finished)?;
        let mut events = Built::new(py)?;
        reader.finish(&mut |event| events.push(&event));
        events.into_list()
    }
}

/// Writes events, one in each line of JSON, as the text of a dialect.
#[pyfunction]
pub(crate) fn write(options: &str, lines: &str) -> PyResult<String> {
    match ReaderOptions::parse(options).map_err(wrong)?.form {
        WireForm::Dialect(options) => write_events(options, lines).map_err(wrong),
        WireForm::Native(_) => Err(PyValueError::new_err(
            "a native form is read only; name a dialect: sigil, phase, action",
        )),
    }
}

/// Writes a grammar from options in JSON.
#[pyfunction]
pub(crate) fn grammar(options: &str) -> PyResult<String> {
    write_grammar(options).map_err(wrong)
}

/// Returns the families of native forms as JSON.
#[pyfunction]
pub(crate) fn families() -> String {
    silcrow_reading::families()
}

/// The events of a call, as objects of Python.
struct Built<'py> {
    class: &'py Bound<'py, PyType>,
    events: Vec<Bound<'py, PyAny>>,
    timestamp: f64,
    /// The first error of Python.
    failed: Option<PyErr>,
}

impl<'py> Built<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self {
            class: CLASS.import(py, "silcrow._events", "Event")?,
            events: Vec::new(),
            timestamp: now.as_secs_f64(),
            failed: None,
        })
    }

    fn push(&mut self, event: &ReadEvent<'_>) {
        let built = match event {
            ReadEvent::Text(text @ TextFragment { id: None, .. }) => self.piece(text),
            ReadEvent::CallText(piece) => self.call_piece(piece),
            other => self.whole(&other.to_json()),
        };
        match built {
            Ok(event) => self.events.push(event),
            Err(why) => {
                self.failed.get_or_insert(why);
            }
        }
    }

    fn piece(&self, text: &TextFragment<'_>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.class.py();
        let event = self.class.call0()?;
        let members = event.cast::<PyDict>()?;
        let kind = match text.kind {
            TextKind::Think => intern!(py, "think"),
            TextKind::Respond { .. } | TextKind::Malformed => intern!(py, "respond"),
        };
        members.set_item(intern!(py, "type"), kind)?;
        members.set_item(intern!(py, "content"), text.text)?;
        if !matches!(text.kind, TextKind::Think | TextKind::Respond { last: true }) {
            members.set_item(intern!(py, "final"), false)?;
        }
        if text.kind == TextKind::Malformed {
            members.set_item(intern!(py, "malformed"), true)?;
        }
        members.set_item(intern!(py, "part"), text.part)?;
        members.set_item(intern!(py, "timestamp"), self.timestamp)?;
        Ok(event)
    }

    fn call_piece(&self, piece: &CallTextFragment<'_>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.class.py();
        let event = self.class.call0()?;
        let members = event.cast::<PyDict>()?;
        members.set_item(intern!(py, "type"), intern!(py, "call_text"))?;
        members.set_item(intern!(py, "call"), piece.call)?;
        if let Some(id) = piece.id {
            members.set_item(intern!(py, "id"), id)?;
        }
        if let Some(name) = piece.name {
            members.set_item(intern!(py, "name"), name)?;
        }
        members.set_item(intern!(py, "content"), piece.text)?;
        members.set_item(intern!(py, "timestamp"), self.timestamp)?;
        Ok(event)
    }

    fn whole(&self, json: &str) -> PyResult<Bound<'py, PyAny>> {
        static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = self.class.py();
        let loads = LOADS.import(py, "json", "loads")?;
        let event = self.class.call1((loads.call1((json,))?,))?;
        event.cast::<PyDict>()?.set_item(intern!(py, "timestamp"), self.timestamp)?;
        Ok(event)
    }

    fn into_list(self) -> PyResult<Bound<'py, PyList>> {
        match self.failed {
            Some(why) => Err(why),
            None => PyList::new(self.class.py(), self.events),
        }
    }
}

fn wrong(why: WrongOptions) -> PyErr {
    PyValueError::new_err(why.to_string())
}

fn finished() -> PyErr {
    PyValueError::new_err("the parser is finished; each answer needs a new one")
}
