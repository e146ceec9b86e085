//! Which call may run next: pure planning of a turn's calls.
