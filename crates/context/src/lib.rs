//! Stored events to the messages of the next request, as a pure function.
